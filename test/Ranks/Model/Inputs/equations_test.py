# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each number here was computed by hand from the formula in the paper, not with the code."""

import dataclasses
import math
import unittest

from comm_mlir.vratio import calibration, equations, model, profile, tables
from comm_mlir.vratio.errors import VratioError

MACHINE = calibration.Calibration(
    switch_s=1e-7, call_s=1e-6, shared_latency_s=2e-6, shared_bandwidth=1e9, network_latency_s=1e-3,
    network_call_s=1e-5, core_nic_bandwidth=1e8, nic_nic_bandwidth=2.5e8,
)
PROFILE = profile.Profile(
    processes=2, threads=1, per_thread=1, span_s=2.2, compute_s=1.0, wait_s=1.2, sends=100, receives=100, collectives=0,
    blocking=100, network_messages=100, network_bytes=1e6, shared_messages=0, shared_bytes=0,
)


class Equations(unittest.TestCase):
    def test_1_computation(self):
        # 10 * 1024 * 512 * 4 / (1e6 * 1024) = 0.02048 s on one rank
        found = equations.computation(4, t_serial=2, iters=10, gxsz=1024, gysz=512, kmax=4, tsc=1e6)
        self.assertAlmostEqual(found, 2.00512, 12)

    def test_2_shared_memory(self):
        # 4 * 2 * 1000 B at 8 GB/s = 1 us, and 1 us of latency, 40 times
        found = equations.shared_memory(iters=10, halo=2, gxsz=1000, l_s=1e-6, b_s=8e9)
        self.assertAlmostEqual(found, 8e-5, 15)

    def test_3_network_limited_by_cores(self):
        # 3 cores send 8 * 1500 / 6 = 2000 B each: 6000 B at 3 * 0.2 GB/s = 10 us, and 10 us of latency, 20 times
        sizes = {"iters": 5, "halo": 1, "gysz": 1500, "l_n": 1e-5}
        found = equations.network(3, 2, b_nic_nic=1e9, b_core_nic=2e8, **sizes)
        self.assertAlmostEqual(found, 4e-4, 15)

    def test_3_network_limited_by_nic(self):
        # the same 6000 B at 1 GB/s = 6 us
        sizes = {"iters": 5, "halo": 1, "gysz": 1500, "l_n": 1e-5}
        found = equations.network(3, 2, b_nic_nic=1e9, b_core_nic=1e9, **sizes)
        self.assertAlmostEqual(found, 3.2e-4, 15)

    def test_4_cpu_bound(self):
        self.assertAlmostEqual(equations.virtualized(4, cpu_s=2.8, t_net=0.5, t_comp=0.5), 3.05, 12)

    def test_4_network_bound(self):
        self.assertAlmostEqual(equations.virtualized(4, cpu_s=2.8, t_net=1.0, t_comp=0.5), 4.25, 12)

    def test_5_cpu(self):
        self.assertAlmostEqual(equations.cpu(4, t_comp=0.5, t_shmem=0.1), 2.4, 12)
        self.assertAlmostEqual(equations.cpu(4, t_comp=0.5, t_shmem=0.1, calls=100, t_ovhd=1e-3), 2.8, 12)

    def test_overlapped(self):
        self.assertAlmostEqual(equations.overlapped(4, computation_s=1, wait_s=1.13), 1.38, 12)
        self.assertAlmostEqual(equations.overlapped(4, computation_s=1, wait_s=0.1, overhead_s=0.02), 1.02, 12)
        self.assertAlmostEqual(equations.overlapped(4, computation_s=1, wait_s=0.1, wire_s=1.2), 1.2, 12)

    def test_latency_is_not_billed_for_each_rank(self):
        # 0.98 ms of computation, 1.13 ms of latency, measured with AMPI: 1.35 ms at V = 4 (and the paper's term: 4.6)
        self.assertAlmostEqual(equations.overlapped(4, computation_s=0.98, wait_s=1.13), 1.375, 12)
        self.assertAlmostEqual(equations.virtualized(4, cpu_s=0.98, t_net=1.13, t_comp=0.245), 4.6425, 12)


class Model(unittest.TestCase):
    def setUp(self):
        self.base = model.fit(PROFILE)

    def test_overhead(self):
        # 200 calls of 1 us, 100 switches of 0.1 us; 100 messages of 10 us; and 300 copies of 10 kB at 1 GB/s
        self.assertAlmostEqual(model.overhead(self.base, MACHINE, 1), 2.1e-4 + 1e-3, 12)
        self.assertAlmostEqual(model.overhead(self.base, MACHINE, 4), 8.4e-4 + 1e-3 + 3e-3, 12)

    def test_overlapped(self):
        times = model.predict(self.base, MACHINE, [1, 4])["overlapped"]
        self.assertAlmostEqual(times[1], 2.2, 12)
        self.assertAlmostEqual(times[4], 0.25 + (2.2 - 1 - 1.21e-3) + 4.84e-3, 12)

    def test_paper(self):
        # cpu: 1 + 4 * 75 * 12 us + 4 * 200 us = 1.0044; net: 4 * 100 * (1 ms + 2500 B at 100 MB/s) = 0.41; 0.25 / 2
        self.assertAlmostEqual(model.paper(self.base, MACHINE, 4), 1.0044 + 0.125, 12)

    def test_wire(self):
        slow = dataclasses.replace(MACHINE, core_nic_bandwidth=5e5)
        # 1 MB at 0.5 MB/s
        self.assertAlmostEqual(model.overlapped(self.base, slow, 4), 2 + 4.84e-3, 12)

    def test_maxrate(self):
        self.assertEqual(MACHINE.network_bandwidth(1), 1e8)
        self.assertEqual(MACHINE.network_bandwidth(4), 2.5e8)

    def test_serial_part(self):
        second = dataclasses.replace(PROFILE, per_thread=4, compute_s=1.3, span_s=1.8)
        base = model.fit(PROFILE, second)
        self.assertAlmostEqual(base.serial_s, 0.1, 12)
        self.assertAlmostEqual(base.compute_s, 0.9, 12)
        # a rank: 0.1 + 0.9 / 2; a core: 0.9 + 2 * 0.1
        wait = 2.2 - 1 - 1.21e-3
        expected = max(1.1, 0.55 + wait) + 4.2e-4 + 1e-3 + 1e-3
        self.assertAlmostEqual(model.overlapped(base, MACHINE, 2), expected, 12)

    def test_messages_stay_in_the_node(self):
        base = model.fit(dataclasses.replace(PROFILE, shared_messages=50, shared_bytes=5e5))
        self.assertEqual(model.shared_messages_of_core(base, 1), 50)
        self.assertEqual(model.shared_messages_of_core(base, 4), 500)

    def test_best_is_the_least_that_is_worth_it(self):
        self.assertEqual(model.best({1: 2.0, 2: 1.005, 4: 1.0, 8: 1.5}), 2)
        self.assertEqual(model.best({1: 2.0, 2: 1.03, 4: 1.0, 8: 1.5}), 4)
        self.assertEqual(model.best({1: 1.0, 2: 1.0}), 1)

    def test_best_is_good_where_messages_are_late(self):
        self.assertEqual(model.best(model.Times({1: 2.0, 2: 1.0, 4: 1.0}, {1: 2.2, 2: 1.1, 4: 1.0})), 4)
        self.assertEqual(model.best(model.Times({1: 2.0, 2: 1.0, 4: 1.1}, {1: 2.2, 2: 1.1, 4: 1.0})), 2)
        # waits as long as it computes: V = 2 would hide it just now, and no longer when it is late
        base = dataclasses.replace(self.base, compute_s=1.0, span_s=1.5 + model.overhead(self.base, MACHINE, 1))
        times = model.predict(base, MACHINE, [1, 2, 4])["overlapped"]
        self.assertEqual((model.best(dict(times)), model.best(times)), (2, 4))

    def test_errors(self):
        with self.assertRaisesRegex(VratioError, "needs a profile at V = 1, this one is of V = 4"):
            model.fit(dataclasses.replace(PROFILE, per_thread=4))
        with self.assertRaisesRegex(VratioError, "no communication"):
            model.fit(dataclasses.replace(PROFILE, sends=0))
        with self.assertRaisesRegex(VratioError, "same -nn and -nc"):
            model.fit(PROFILE, dataclasses.replace(PROFILE, per_thread=4, threads=2))
        alone = calibration.Calibration(1e-7, 1e-6, 1e-6, 1e9)
        with self.assertRaisesRegex(VratioError, "knows no network"):
            model.predict(self.base, alone, [1])


class Tables(unittest.TestCase):
    def test_errors(self):
        predicted, measured = {1: 1.1, 2: 0.9, 4: 1.2}, {1: 1.0, 2: 1.0, 4: 0.8}
        self.assertAlmostEqual(tables.error_percent(1.1, 1.0), 10)
        # V = 1 was profiled, so its error is meaningless.
        self.assertAlmostEqual(tables.mean_error(predicted, measured), (10 + 50) / 2)
        self.assertTrue(math.isnan(tables.mean_error({1: 1.1}, {1: 1.0})))
        self.assertAlmostEqual(tables.loss_percent(predicted, measured), 25)


if __name__ == "__main__":
    unittest.main()
