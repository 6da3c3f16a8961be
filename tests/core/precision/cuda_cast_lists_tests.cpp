// SPDX-License-Identifier: Apache-2.0
// Each operator of ATen/autocast_mode.h is called under cast_policy = cuda, and what reaches it below autocast is
// measured. The lists are taken from the linked header by its own macros, so that a list that changes with LibTorch
// changes this test, and a wrapper that is missing in Mantissa fails it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/cuda_cast_policy.h"

using namespace mantissa::precision;

namespace {

#define MANTISSA_NAME1(OPERATOR) "aten::" #OPERATOR,
#define MANTISSA_NAME2(OPERATOR, OVERLOAD) "aten::" #OPERATOR "." #OVERLOAD,
#define MANTISSA_NAME_OF(_1, _2, NAME, ...) NAME
#define MANTISSA_NAME(...) MANTISSA_NAME_OF(__VA_ARGS__, MANTISSA_NAME2, MANTISSA_NAME1, )(__VA_ARGS__)
#define MANTISSA_NAME_OF_DIFFERENT_SIGNATURE(FUNCTION, NAME, ...) "aten::" NAME,

using Names = std::vector<std::string>;
const Names kLowerPrecision = {AT_FORALL_LOWER_PRECISION_FP(MANTISSA_NAME)};
const Names kFloat32 = {AT_FORALL_FP32(MANTISSA_NAME)};
const Names kFloat32ByArgument = {AT_FORALL_FP32_SET_OPT_DTYPE(MANTISSA_NAME)};
const Names kFloat32ByOtherOverload = {AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(MANTISSA_NAME_OF_DIFFERENT_SIGNATURE)};
const Names kWidest = {AT_FORALL_PROMOTE(MANTISSA_NAME)};

/// The call of an operator that came last: with the casts, where autocast had any.
struct LastCall {
  std::vector<c10::ScalarType> tensors;
  std::optional<c10::ScalarType> dtype_argument;
};
thread_local std::string watched_name;  // "aten::softmax", of all overloads
thread_local LastCall last_call;

void note_tensors(const c10::IValue& value) {
  if (value.isTensor() && value.toTensor().defined()) last_call.tensors.push_back(value.toTensor().scalar_type());
  if (!value.isTensorList()) return;
  for (const at::Tensor& tensor : value.toTensorVector()) last_call.tensors.push_back(tensor.scalar_type());
}

std::unique_ptr<at::ObserverContext> note_call(const at::RecordFunction& function) {
  const auto handle = function.operator_name();
  if (!handle || handle->name != watched_name) return nullptr;
  last_call = {};
  const auto schema = function.operator_schema();
  const c10::ArrayRef<const c10::IValue> inputs = function.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    note_tensors(inputs[i]);
    if (schema->arguments()[i].name() == "dtype" && inputs[i].isInt()) {
      last_call.dtype_argument = static_cast<c10::ScalarType>(inputs[i].toInt());
    }
  }
  return nullptr;
}

/// Arguments of the right kinds; whether the operator can make anything of them does not matter, it is seen when
/// called. Tensors are 2 × 2 and take their dtypes in turn.
torch::jit::Stack arguments_for(const c10::FunctionSchema& schema, const std::vector<c10::ScalarType>& dtypes) {
  std::size_t tensors = 0;
  const auto tensor = [&] { return at::ones({2, 2}, dtypes[tensors++ % dtypes.size()]).requires_grad_(); };
  torch::jit::Stack stack;
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::TypePtr& type = argument.type();
    if (type->kind() == c10::TypeKind::TensorType) {
      stack.emplace_back(tensor());
    } else if (type->str() == "Tensor[]") {
      stack.emplace_back(std::vector<at::Tensor>{tensor(), tensor()});
    } else if (type->str() == "Tensor?[]") {
      c10::List<std::optional<at::Tensor>> indices;
      indices.push_back(at::zeros({1}, at::kLong));
      stack.emplace_back(indices);
    } else if (argument.default_value()) {
      stack.push_back(*argument.default_value());
    } else if (type->kind() == c10::TypeKind::OptionalType) {
      stack.emplace_back();
    } else if (type->str() == "str[]") {
      stack.emplace_back(std::vector<std::string>{"dimname::N"});
    } else if (type->kind() == c10::TypeKind::StringType) {
      stack.emplace_back(schema.name() == "aten::einsum" ? "ij,jk->ik" : "dimname::N");
    } else if (type->kind() == c10::TypeKind::BoolType) {
      stack.emplace_back(false);
    } else if (type->kind() == c10::TypeKind::FloatType || type->kind() == c10::TypeKind::NumberType) {
      stack.emplace_back(1.0);
    } else if (type->kind() == c10::TypeKind::ListType) {
      stack.emplace_back(std::vector<std::int64_t>{1});
    } else {
      stack.emplace_back(std::int64_t(1));
    }
  }
  return stack;
}

/// What reaches an operator that is called with tensors of these dtypes under CUDA's autocast to FP16.
LastCall seen_below_autocast(const std::string& full_name, const std::vector<c10::ScalarType>& dtypes) {
  const std::size_t dot = full_name.find('.');
  watched_name = full_name.substr(0, dot);
  last_call = {};
  const c10::OperatorHandle handle = c10::Dispatcher::singleton().findSchemaOrThrow(
      watched_name.c_str(), dot == std::string::npos ? "" : full_name.substr(dot + 1).c_str());
  torch::jit::Stack stack = arguments_for(handle.schema(), dtypes);
  at::RecordFunctionCallback callback(&note_call);
  const at::CallbackHandle observed = at::addThreadLocalCallback(callback.needsInputs(true));
  try {
    const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
    const CudaCastScope cuda;
    handle.callBoxed(stack);
  } catch (const std::exception&) {  // the arguments make no sense to it, or it has no kernel on a CPU
  }
  at::removeCallback(observed);
  return last_call;
}

bool all_are(const LastCall& call, c10::ScalarType dtype) {
  std::size_t floating = 0;
  for (const c10::ScalarType found : call.tensors) {
    if (!c10::isFloatingType(found)) continue;
    if (found != dtype) return false;
    ++floating;
  }
  return floating > 0;
}

std::string text_of(const LastCall& call) {
  std::string text;
  for (const c10::ScalarType dtype : call.tensors) text += std::string(c10::toString(dtype)) + " ";
  return text;
}

}  // namespace

class CudaCastListsTests : public QObject {
  Q_OBJECT

  static void rows(const Names& names) {
    QTest::addColumn<QString>("name");
    for (const std::string& name : names) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }

 private Q_SLOTS:
  void an_operator_of_the_lower_precision_list_gets_fp16_data() { rows(kLowerPrecision); }
  void an_operator_of_the_lower_precision_list_gets_fp16() {
    QFETCH(QString, name);
    const LastCall call = seen_below_autocast(name.toStdString(), {at::kFloat});
    QVERIFY2(all_are(call, at::kHalf), text_of(call).c_str());
  }

  void an_operator_of_the_fp32_list_gets_fp32_data() { rows(kFloat32); }
  void an_operator_of_the_fp32_list_gets_fp32() {
    QFETCH(QString, name);
    const LastCall call = seen_below_autocast(name.toStdString(), {at::kHalf});
    QVERIFY2(all_are(call, at::kFloat), text_of(call).c_str());
  }

  // The operator casts by itself: its tensors stay FP16.
  void an_operator_of_the_second_fp32_list_is_told_to_compute_in_fp32_data() { rows(kFloat32ByArgument); }
  void an_operator_of_the_second_fp32_list_is_told_to_compute_in_fp32() {
    QFETCH(QString, name);
    const LastCall call = seen_below_autocast(name.toStdString(), {at::kHalf});
    QVERIFY2(all_are(call, at::kHalf), text_of(call).c_str());
    QVERIFY(call.dtype_argument == at::kFloat);
  }

  void a_norm_is_sent_to_its_overload_that_computes_in_fp32_data() { rows(kFloat32ByOtherOverload); }
  void a_norm_is_sent_to_its_overload_that_computes_in_fp32() {
    QFETCH(QString, name);
    const LastCall call = seen_below_autocast(name.toStdString(), {at::kHalf});
    QVERIFY2(all_are(call, at::kHalf), text_of(call).c_str());
    QVERIFY(call.dtype_argument == at::kFloat);
  }

  void an_operator_of_the_promoting_list_gets_its_widest_dtype_data() { rows(kWidest); }
  void an_operator_of_the_promoting_list_gets_its_widest_dtype() {
    QFETCH(QString, name);
    QVERIFY(all_are(seen_below_autocast(name.toStdString(), {at::kHalf, at::kFloat}), at::kFloat));
    QVERIFY(all_are(seen_below_autocast(name.toStdString(), {at::kHalf, at::kHalf}), at::kHalf));
  }

  void an_operator_on_no_list_keeps_its_inputs() {
    for (const char* name : {"aten::relu", "aten::mul.Tensor", "aten::gelu", "aten::mean", "aten::tanh"}) {
      QVERIFY(all_are(seen_below_autocast(name, {at::kHalf}), at::kHalf));
      QVERIFY(all_are(seen_below_autocast(name, {at::kFloat}), at::kFloat));
    }
  }

  void doubles_and_in_place_calls_are_not_cast() {
    QVERIFY(all_are(seen_below_autocast("aten::mm", {at::kDouble}), at::kDouble));
    QVERIFY(all_are(seen_below_autocast("aten::exp", {at::kDouble}), at::kDouble));
    QVERIFY(all_are(seen_below_autocast("aten::exp_", {at::kHalf}), at::kHalf));
    QVERIFY(all_are(seen_below_autocast("aten::addmm_", {at::kFloat}), at::kFloat));
  }
};

QTEST_GUILESS_MAIN(CudaCastListsTests)
#include "cuda_cast_lists_tests.moc"
