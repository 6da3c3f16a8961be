// SPDX-License-Identifier: Apache-2.0
#include "core/spec/words.h"

#include "core/spec/parse.h"

namespace mantissa::spec {

std::string to_text(Task value) { return word_of(value); }
std::string to_text(Order value) { return word_of(value); }
std::string to_text(Missing value) { return word_of(value); }
std::string to_text(Labels value) { return word_of(value); }
std::string to_text(TargetTransform value) { return word_of(value); }
std::string to_text(PinMemory value) { return word_of(value); }
std::string to_text(ActivationCheckpointing value) { return word_of(value); }
std::string to_text(ModelKind value) { return word_of(value); }
std::string to_text(Attention value) { return word_of(value); }
std::string to_text(Activation value) { return word_of(value); }
std::string to_text(StoredDtype value) { return word_of(value); }
std::string to_text(Loss value) { return word_of(value); }
std::string to_text(Reduction value) { return word_of(value); }
std::string to_text(OnNonFinite value) { return word_of(value); }
std::string to_text(OptimizerKind value) { return word_of(value); }
std::string to_text(ScheduleKind value) { return word_of(value); }
std::string to_text(SchedulePer value) { return word_of(value); }
std::string to_text(Autocast value) { return word_of(value); }
std::string to_text(HysteresisRefill value) { return word_of(value); }
std::string to_text(Of value) { return word_of(value); }
std::string to_text(FlipsDecision value) { return word_of(value); }
std::string to_text(Reduce value) { return word_of(value); }

}  // namespace mantissa::spec
