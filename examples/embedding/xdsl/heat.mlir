// A stencil in xDSL's dialect: the mean of four neighbors, on 64 x 64 elements with a rim of one.
func.func @step(%u: !stencil.field<[-1,65]x[-1,65]xf64>, %v: !stencil.field<[-1,65]x[-1,65]xf64>) {
  %in = stencil.load %u : !stencil.field<[-1,65]x[-1,65]xf64> -> !stencil.temp<?x?xf64>
  %out = stencil.apply(%a = %in : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %n = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %s = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    %e = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
    %x = arith.addf %n, %s : f64
    %y = arith.addf %w, %e : f64
    %z = arith.addf %x, %y : f64
    %q = arith.constant 2.5e-01 : f64
    %r = arith.mulf %z, %q : f64
    stencil.return %r : f64
  }
  stencil.store %out to %v(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,65]x[-1,65]xf64>
  return
}
