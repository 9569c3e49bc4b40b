//===- Condition.cpp - Conditions for keeping an order --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Order/Condition.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace comm;

MemoryQuestion::~MemoryQuestion() = default;

void Question::forEachOperand(llvm::function_ref<void(Value)> fn) const {
  for (Value value : {first, second, entry})
    if (value)
      fn(value);
  if (memory)
    memory->forEachOperand(fn);
}

Condition Condition::ifEntered(Value entry, bool isEnteredIfTrue) const {
  Condition result = *this;
  for (Question &question : result.questions) {
    question.entry = entry;
    question.isEnteredIfTrue = isEnteredIfTrue;
  }
  return result;
}

Condition &Condition::operator|=(const Condition &other) {
  holds |= other.holds;
  if (holds)
    questions.clear();
  else
    for (const Question &question : other.questions)
      if (!llvm::is_contained(questions, question))
        questions.push_back(question);
  return *this;
}
