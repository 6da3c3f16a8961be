// SPDX-License-Identifier: Apache-2.0
// The dtype that each documented operator really returns under cast_policy = cuda, against the documentation of
// torch.amp (docs/source/amp.md of PyTorch, "CUDA Op-Specific Behavior"), and what the lists of the linked header 2.11
// hold beyond it. The newest text of that page leaves out chain_matmul, which the header still lists.
#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/cuda_cast_policy.h"

using namespace mantissa::precision;

namespace {

using at::Tensor;

struct Documented {
  const char* name;  ///< as the documentation spells it
  std::function<Tensor()> call;
};

Tensor of(at::IntArrayRef shape, c10::ScalarType dtype) { return at::full(shape, 0.5, dtype); }
Tensor wide(at::IntArrayRef shape) { return of(shape, at::kFloat); }
Tensor half(at::IntArrayRef shape) { return of(shape, at::kHalf); }
Tensor square() { return half({2, 2}); }
Tensor square32() { return wide({2, 2}); }
Tensor labels() { return at::zeros({2}, at::kLong); }

// "CUDA Ops that can autocast to float16". Called with FP32.
const std::vector<Documented> kToFloat16 = {
    {"__matmul__", [] { return square32().matmul(square32()); }},
    {"addbmm",
     [] {
       return at::addbmm(square32(), wide({3, 2, 2}), wide({3, 2, 2}));
     }},
    {"addmm", [] { return at::addmm(square32(), square32(), square32()); }},
    {"addmv", [] { return at::addmv(wide({2}), square32(), wide({2})); }},
    {"addr", [] { return at::addr(square32(), wide({2}), wide({2})); }},
    {"baddbmm",
     [] {
       return at::baddbmm(wide({3, 2, 2}), wide({3, 2, 2}), wide({3, 2, 2}));
     }},
    {"bmm",
     [] {
       return at::bmm(wide({3, 2, 2}), wide({3, 2, 2}));
     }},
    {"chain_matmul",
     [] {
       return at::chain_matmul({square32(), square32()});
     }},
    {"multi_dot",
     [] {
       return at::linalg_multi_dot({square32(), square32()});
     }},
    {"conv1d",
     [] {
       return at::conv1d(wide({1, 1, 4}), wide({1, 1, 3}));
     }},
    {"conv2d",
     [] {
       return at::conv2d(wide({1, 1, 4, 4}), wide({1, 1, 3, 3}));
     }},
    {"conv3d",
     [] {
       return at::conv3d(wide({1, 1, 4, 4, 4}), wide({1, 1, 3, 3, 3}));
     }},
    {"conv_transpose1d",
     [] {
       return at::conv_transpose1d(wide({1, 1, 4}), wide({1, 1, 3}));
     }},
    {"conv_transpose2d",
     [] {
       return at::conv_transpose2d(wide({1, 1, 4, 4}), wide({1, 1, 3, 3}));
     }},
    {"conv_transpose3d",
     [] {
       return at::conv_transpose3d(wide({1, 1, 4, 4, 4}), wide({1, 1, 3, 3, 3}));
     }},
    {"GRUCell",
     [] {
       return at::gru_cell(square32(), square32(), wide({6, 2}), wide({6, 2}));
     }},
    {"linear", [] { return at::linear(square32(), square32()); }},
    {"LSTMCell",
     [] {
       return std::get<0>(at::lstm_cell(square32(), {square32(), square32()}, wide({8, 2}), wide({8, 2})));
     }},
    {"matmul", [] { return at::matmul(square32(), square32()); }},
    {"mm", [] { return at::mm(square32(), square32()); }},
    {"mv", [] { return at::mv(square32(), wide({2})); }},
    {"prelu", [] { return at::prelu(square32(), wide({1})); }},
    {"RNNCell", [] { return at::rnn_tanh_cell(square32(), square32(), square32(), square32()); }},
};

// "CUDA Ops that can autocast to float32". Called with FP16.
const std::vector<Documented> kToFloat32 = {
    {"__pow__", [] { return square().pow(2); }},
    {"__rdiv__", [] { return square().reciprocal() * 2; }},
    {"__rpow__", [] { return at::pow(2, square()); }},
    {"__rtruediv__", [] { return square().reciprocal() * 2; }},
    {"acos", [] { return at::acos(square()); }},
    {"asin", [] { return at::asin(square()); }},
    {"binary_cross_entropy_with_logits", [] { return at::binary_cross_entropy_with_logits(square(), square()); }},
    {"cosh", [] { return at::cosh(square()); }},
    {"cosine_embedding_loss", [] { return at::cosine_embedding_loss(square(), square(), half({2})); }},
    {"cdist", [] { return at::cdist(square(), square()); }},
    {"cosine_similarity", [] { return at::cosine_similarity(square(), square()); }},
    {"cross_entropy", [] { return at::cross_entropy_loss(square(), labels()); }},
    {"cumprod", [] { return at::cumprod(square(), 0); }},
    {"cumsum", [] { return at::cumsum(square(), 0); }},
    {"dist", [] { return at::dist(square(), square()); }},
    {"erfinv", [] { return at::erfinv(square()); }},
    {"exp", [] { return at::exp(square()); }},
    {"expm1", [] { return at::expm1(square()); }},
    {"group_norm", [] { return at::group_norm(square(), 1); }},
    {"hinge_embedding_loss", [] { return at::hinge_embedding_loss(square(), square()); }},
    {"kl_div", [] { return at::kl_div(square(), square()); }},
    {"l1_loss", [] { return at::l1_loss(square(), square()); }},
    {"layer_norm", [] { return at::layer_norm(square(), {2}); }},
    {"log", [] { return at::log(square()); }},
    {"log_softmax", [] { return at::log_softmax(square(), 1); }},
    {"log10", [] { return at::log10(square()); }},
    {"log1p", [] { return at::log1p(square()); }},
    {"log2", [] { return at::log2(square()); }},
    {"margin_ranking_loss", [] { return at::margin_ranking_loss(half({2}), half({2}), half({2})); }},
    {"mse_loss", [] { return at::mse_loss(square(), square()); }},
    {"multilabel_margin_loss",
     [] {
       return at::multilabel_margin_loss(square(), at::zeros({2, 2}, at::kLong));
     }},
    {"multi_margin_loss", [] { return at::multi_margin_loss(square(), labels()); }},
    {"nll_loss", [] { return at::nll_loss(square(), labels()); }},
    {"norm", [] { return at::norm(square()); }},
    {"normalize",
     [] {
       return square() / square().norm(2, {1}, true).clamp_min(1e-12).expand({2, 2});
     }},
    {"pdist", [] { return at::pdist(square()); }},
    {"poisson_nll_loss",
     [] { return at::poisson_nll_loss(square(), square(), true, false, 1e-8, at::Reduction::Mean); }},
    {"pow", [] { return at::pow(square(), square()); }},
    {"prod", [] { return at::prod(square()); }},
    {"reciprocal", [] { return at::reciprocal(square()); }},
    {"rsqrt", [] { return at::rsqrt(square()); }},
    {"sinh", [] { return at::sinh(square()); }},
    {"smooth_l1_loss", [] { return at::smooth_l1_loss(square(), square()); }},
    {"soft_margin_loss", [] { return at::soft_margin_loss(square(), square()); }},
    {"softmax", [] { return at::softmax(square(), 1); }},
    {"softmin", [] { return at::softmax(-square(), 1); }},
    {"softplus", [] { return at::softplus(square()); }},
    {"sum", [] { return at::sum(square()); }},
    {"renorm", [] { return at::renorm(square(), 2, 0, 1); }},
    {"tan", [] { return at::tan(square()); }},
    {"triplet_margin_loss", [] { return at::triplet_margin_loss(square(), square(), square()); }},
};

// "CUDA Ops that promote to the widest input type". Called with FP16 and FP32, then with FP16 alone.
struct Promoting {
  const char* name;
  std::function<Tensor(c10::ScalarType)> call;  ///< one of its inputs has this dtype, the others are FP16
};
const std::vector<Promoting> kToWidest = {
    {"addcdiv",
     [](c10::ScalarType other) {
       return at::addcdiv(square(), square(), of({2, 2}, other));
     }},
    {"addcmul",
     [](c10::ScalarType other) {
       return at::addcmul(square(), square(), of({2, 2}, other));
     }},
    {"atan2",
     [](c10::ScalarType other) {
       return at::atan2(square(), of({2, 2}, other));
     }},
    {"bilinear",
     [](c10::ScalarType other) {
       return at::bilinear(square(), of({2, 2}, other), half({1, 2, 2}), {});
     }},
    {"cross",
     [](c10::ScalarType other) {
       return at::cross(half({2, 3}), of({2, 3}, other));
     }},
    {"dot", [](c10::ScalarType other) { return at::dot(half({2}), of({2}, other)); }},
    {"grid_sample",
     [](c10::ScalarType other) {
       return at::grid_sampler(half({1, 1, 2, 2}), of({1, 2, 2, 2}, other), 0, 0, false);
     }},
    {"index_put",
     [](c10::ScalarType other) { return at::index_put(half({2}), {at::zeros({1}, at::kLong)}, of({1}, other)); }},
    {"scatter_add",
     [](c10::ScalarType other) { return at::scatter_add(half({2}), 0, at::zeros({1}, at::kLong), of({1}, other)); }},
    {"tensordot",
     [](c10::ScalarType other) {
       return at::tensordot(square(), of({2, 2}, other), {1}, {0});
     }},
};

template <class Call>
Tensor under_cuda(c10::ScalarType dtype, const Call& call) {
  const AutocastScope autocast(c10::DeviceType::CPU, dtype);
  const CudaCastScope cuda;
  return call();
}

// What stands in the header's lists and, under the documentation's names for it, not in the documentation.
using Set = std::set<std::string>;

#define MANTISSA_FIRST(OPERATOR, ...) #OPERATOR,
#define MANTISSA_NAME(...) MANTISSA_FIRST(__VA_ARGS__, )
Set base_names(const std::vector<const char*>& listed) { return {listed.begin(), listed.end()}; }
const Set kListedFloat16 = base_names({AT_FORALL_LOWER_PRECISION_FP(MANTISSA_NAME)});
const Set kListedFloat32 =
    base_names({AT_FORALL_FP32(MANTISSA_NAME) AT_FORALL_FP32_SET_OPT_DTYPE(MANTISSA_NAME) "norm"});
const Set kListedWidest = base_names({AT_FORALL_PROMOTE(MANTISSA_NAME)});

template <class Rows>
Set documented(const Rows& rows) {
  Set names;
  for (const auto& row : rows) names.insert(row.name);
  return names;
}

Set without(const Set& these, const Set& those) {
  Set rest;
  std::set_difference(these.begin(), these.end(), those.begin(), those.end(), std::inserter(rest, rest.end()));
  return rest;
}

}  // namespace

class CudaCastDocumentationTests : public QObject {
  Q_OBJECT

  static void rows(const std::vector<Documented>& documented) {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < documented.size(); ++i) QTest::newRow(documented[i].name) << static_cast<int>(i);
  }

 private Q_SLOTS:
  void an_operator_documented_as_float16_runs_in_it_data() { rows(kToFloat16); }
  void an_operator_documented_as_float16_runs_in_it() {
    QFETCH(int, row);
    const auto& call = kToFloat16[static_cast<std::size_t>(row)].call;
    QVERIFY(under_cuda(at::kHalf, call).scalar_type() == at::kHalf);
    QVERIFY(under_cuda(at::kBFloat16, call).scalar_type() == at::kBFloat16);
  }

  void an_operator_documented_as_float32_runs_in_it_data() { rows(kToFloat32); }
  void an_operator_documented_as_float32_runs_in_it() {
    QFETCH(int, row);
    QVERIFY(under_cuda(at::kHalf, kToFloat32[static_cast<std::size_t>(row)].call).scalar_type() == at::kFloat);
  }

  void an_operator_documented_to_promote_does_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < kToWidest.size(); ++i) QTest::newRow(kToWidest[i].name) << static_cast<int>(i);
  }
  void an_operator_documented_to_promote_does() {
    QFETCH(int, row);
    const auto& call = kToWidest[static_cast<std::size_t>(row)].call;
    QVERIFY(under_cuda(at::kHalf, [&] { return call(at::kFloat); }).scalar_type() == at::kFloat);
    QVERIFY(under_cuda(at::kHalf, [&] { return call(at::kHalf); }).scalar_type() == at::kHalf);
  }

  // "Prefer binary_cross_entropy_with_logits over binary_cross_entropy": it raises an error.
  void binary_cross_entropy_is_refused() {
    QVERIFY_THROWS_EXCEPTION(c10::Error,
                             under_cuda(at::kHalf, [] { return at::binary_cross_entropy(square(), square()); }));
  }

  // The header knows more operators than the documentation names, mostly what a documented one is made of.
  void the_linked_lists_differ_from_the_documentation_in_these_operators() {
    QVERIFY((without(kListedFloat16, documented(kToFloat16)) ==
             Set{"_convolution", "_scaled_dot_product_flash_attention", "_thnn_fused_gru_cell", "_thnn_fused_lstm_cell",
                 "conv_tbc", "convolution", "einsum", "gru_cell", "linalg_multi_dot", "linalg_vecdot", "lstm_cell",
                 "rnn_relu_cell", "rnn_tanh_cell", "scaled_dot_product_attention"}));
    QVERIFY((without(kListedFloat32, documented(kToFloat32)) == Set{"_upsample_bicubic2d_aa",
                                                                    "_upsample_bilinear2d_aa",
                                                                    "_upsample_nearest_exact1d",
                                                                    "_upsample_nearest_exact2d",
                                                                    "_upsample_nearest_exact3d",
                                                                    "frobenius_norm",
                                                                    "huber_loss",
                                                                    "linalg_matrix_norm",
                                                                    "linalg_vector_norm",
                                                                    "logsumexp",
                                                                    "native_layer_norm",
                                                                    "nll_loss2d",
                                                                    "nuclear_norm",
                                                                    "upsample_bicubic2d",
                                                                    "upsample_bilinear2d",
                                                                    "upsample_linear1d",
                                                                    "upsample_nearest1d",
                                                                    "upsample_nearest2d",
                                                                    "upsample_nearest3d",
                                                                    "upsample_trilinear3d"}));
    QVERIFY((without(kListedWidest, documented(kToWidest)) == Set{"grid_sampler", "vdot"}));
  }

  // Other names of listed operators, and functions that are made of them.
  void the_documentation_names_these_without_the_lists() {
    QVERIFY((without(documented(kToFloat16), kListedFloat16) ==
             Set{"GRUCell", "LSTMCell", "RNNCell", "__matmul__", "multi_dot"}));
    QVERIFY((without(documented(kToFloat32), kListedFloat32) ==
             Set{"__pow__", "__rdiv__", "__rpow__", "__rtruediv__", "cross_entropy", "normalize", "softmin"}));
    QVERIFY((without(documented(kToWidest), kListedWidest) == Set{"grid_sample"}));
  }
};

QTEST_GUILESS_MAIN(CudaCastDocumentationTests)
#include "cuda_cast_documentation_tests.moc"
