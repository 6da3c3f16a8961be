// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "core/base/error.h"
#include "core/observe/deviation.h"

using namespace mantissa;
using namespace mantissa::observe;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor floats(const std::vector<float>& values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kFloat));
}

// 5003 elements (two whole blocks, a part of a block, a part of a lane) that FP32 holds exactly. The same two lines in
// NumPy give the numbers below, taken in float64:
//   i = np.arange(5003); a = (((i*37)%101-50)/64).astype(np.float32)
//   b = (a.astype(np.float64)+((i*53)%17-8)/4096).astype(np.float32)
at::Tensor series_a() {
  std::vector<float> values;
  for (int i = 0; i < 5003; ++i) values.push_back(static_cast<float>((i * 37) % 101 - 50) / 64.0F);
  return floats(values);
}

at::Tensor series_b() {
  std::vector<float> values;
  for (int i = 0; i < 5003; ++i) {
    values.push_back(static_cast<float>((i * 37) % 101 - 50) / 64.0F + static_cast<float>((i * 53) % 17 - 8) / 4096.0F);
  }
  return floats(values);
}

DeviationSums of(const at::Tensor& reference, const at::Tensor& other, Ulp ulp = Ulp::Measure) {
  DeviationSums sums;
  sums.add(reference, other, ulp);
  return sums;
}

bool close(double found, double expected) { return std::fabs(found - expected) <= 1e-13 * std::fabs(expected); }

}  // namespace

class DeviationTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void float32_statistics_equal_numpys() {
    const DeviationSums sums = of(series_a(), series_b());
    QCOMPARE(sums.count(), std::int64_t{5003});
    QCOMPARE(sums.max(), 0.001953125);  // 8 / 4096
    QVERIFY(close(sums.rmse(), 0.0011960399134683486));
    QVERIFY(close(sums.relative(), 0.002625298909632509));
    QVERIFY(close(sums.cosine(), 0.9999965539205551));
    QCOMPARE(sums.ulp(), 989855744.0);  // 0 against 8/4096: from the bit patterns
  }

  void float16_widens_exactly() {
    const DeviationSums sums = of(series_a(), series_b().to(at::kHalf));
    QVERIFY(close(sums.rmse(), 0.0012088558331107065));
    QVERIFY(close(sums.relative(), 0.002653429760019811));
    QVERIFY(close(sums.cosine(), 0.9999964796727944));
  }

  void every_finite_float16_is_read_as_pytorch_reads_it() {
    const at::Tensor all = at::arange(65536, at::kInt).sub(32768).to(at::kShort).view(at::kHalf);
    const at::Tensor finite = all.masked_select(at::isfinite(all));
    QCOMPARE(finite.numel(), std::int64_t{2 * 31 * 1024});  // two signs, all exponents but the last
    const DeviationSums sums = of(finite.to(at::kFloat), finite);
    QCOMPARE(sums.max(), 0.0);
    QCOMPARE(sums.ulp(), 0.0);
    QVERIFY(sums.relative() == 0.0 && sums.cosine() == 1.0);
    const at::Tensor infinity = at::full({1}, -std::numeric_limits<double>::infinity(), at::kHalf);
    QCOMPARE(of(infinity.to(at::kFloat), infinity).ulp(), 0.0);
    QVERIFY(std::isnan(of(floats({1}), at::full({1}, std::nan(""), at::kHalf)).max()));
  }

  void bfloat16_widens_exactly() {
    const DeviationSums sums = of(series_a(), series_b().to(at::kBFloat16));
    QVERIFY(close(sums.rmse(), 0.0010341778956269522));
    QVERIFY(close(sums.relative(), 0.0022700129579139917));
    QVERIFY(close(sums.cosine(), 0.9999974236720507));
  }

  void float64_is_compared_in_float64() {
    const DeviationSums sums = of(series_a().to(at::kDouble) / 3.0, series_b().to(at::kDouble) / 3.0);
    QVERIFY(close(sums.max(), 0.0006510416666666852));
    QVERIFY(close(sums.rmse(), 0.00039867997115611623));
    QCOMPARE(sums.ulp(), 975874731.0);  // of the values rounded to FP32
    QVERIFY(of(at::tensor({1.0}, at::kDouble), at::tensor({1.0 + 1e-12}, at::kDouble)).max() > 0);
  }

  void microbatches_add_up_to_the_batch() {
    const at::Tensor a = series_a();
    const at::Tensor b = series_b();
    DeviationSums sums;
    sums.add(a.slice(0, 0, 1000), b.slice(0, 0, 1000), Ulp::Measure);
    sums.add(a.slice(0, 1000, 1001), b.slice(0, 1000, 1001), Ulp::Measure);
    sums.add(a.slice(0, 1001, 5003), b.slice(0, 1001, 5003), Ulp::Measure);
    QCOMPARE(sums.count(), std::int64_t{5003});
    QVERIFY(close(sums.rmse(), 0.0011960399134683486));
    QVERIFY(close(sums.cosine(), 0.9999965539205551));
    QCOMPARE(sums.max(), 0.001953125);
    QCOMPARE(sums.ulp(), 989855744.0);
  }

  void layout_does_not_matter() {
    const at::Tensor a = at::arange(6, at::kFloat).reshape({2, 3});
    const at::Tensor b = a.t().contiguous().t() + 0;  // other strides, same elements …
    const at::Tensor transposed = a.t().contiguous().t();
    QVERIFY(!transposed.is_contiguous());
    QCOMPARE(of(a, transposed).max(), 0.0);
    QCOMPARE(of(a, b.flatten()).max(), 0.0);  // … and another shape with as many elements
  }

  void by_hand() {
    // a = (3, 4), b = (3, 5): difference (0, 1); rmse sqrt(1/2), relative 1/5, cosine 29 / (5 · sqrt(34)).
    const DeviationSums sums = of(floats({3, 4}), floats({3, 5}));
    QCOMPARE(sums.max(), 1.0);
    QVERIFY(close(sums.rmse(), std::sqrt(0.5)));
    QVERIFY(close(sums.relative(), 0.2));
    QVERIFY(close(sums.cosine(), 29.0 / (5.0 * std::sqrt(34.0))));
    QCOMPARE(of(floats({1, 2}), floats({-2, -4})).cosine(), -1.0);
    QCOMPARE(of(floats({0.1F, 0.7F, 3e30F}), floats({0.1F, 0.7F, 3e30F})).cosine(), 1.0);
  }

  void squares_beyond_float32_do_not_overflow() {
    // (2e38)² is far above the largest FP32; the relative difference of 1e38 and 2e38 is 1.
    const DeviationSums sums = of(floats({1e38F}), floats({2e38F}));
    QVERIFY(std::fabs(sums.relative() - 1.0) < 1e-6);
    QVERIFY(of(floats({1e-45F}), floats({3e-45F})).relative() > 0.9);
  }

  void nothing_over_nothing_is_zero_and_something_over_nothing_infinite() {
    QCOMPARE(of(floats({0, 0}), floats({0, 0})).relative(), 0.0);
    QCOMPARE(of(floats({0, 0}), floats({0, 1})).relative(), static_cast<double>(kInfinity));
    QCOMPARE(of(floats({0, 0}), floats({0, 0})).cosine(), 1.0);
    QCOMPARE(of(floats({0, 0}), floats({0, 1})).cosine(), 0.0);
    QCOMPARE(of(floats({0, 1}), floats({0, 0})).cosine(), 0.0);
    const DeviationSums nothing = of(floats({}), floats({}));
    QCOMPARE(nothing.rmse(), 0.0);
    QCOMPARE(nothing.relative(), 0.0);
    QCOMPARE(nothing.count(), std::int64_t{0});
  }

  void one_nan_shows_in_every_statistic() {
    for (const int place : {0, 8, 18}) {  // the first lane, another round, the rest behind the last whole one
      std::vector<float> values(19, 1.0F);
      const at::Tensor a = floats(values);
      values[static_cast<std::size_t>(place)] = kNan;
      values[3] += 2.0F;  // a difference that must not hide it
      const DeviationSums sums = of(a, floats(values));
      QVERIFY(std::isnan(sums.max()));
      QVERIFY(std::isnan(sums.rmse()));
      QVERIFY(std::isnan(sums.relative()));
      QVERIFY(std::isnan(sums.cosine()));
      QVERIFY(std::isnan(sums.ulp()));
    }
  }

  void nan_stays_when_clean_microbatches_follow() {
    DeviationSums sums = of(floats({kNan}), floats({1}));
    sums.add(floats({1}), floats({5}), Ulp::Measure);
    QVERIFY(std::isnan(sums.max()));
    QVERIFY(std::isnan(sums.ulp()));
  }

  void an_infinity_on_one_side_is_infinitely_far() {
    const DeviationSums sums = of(floats({1, 2}), floats({1, kInfinity}));
    QCOMPARE(sums.max(), static_cast<double>(kInfinity));
    QCOMPARE(sums.rmse(), static_cast<double>(kInfinity));
    QCOMPARE(sums.relative(), static_cast<double>(kInfinity));
    QCOMPARE(sums.ulp(), static_cast<double>(kInfinity));
    QCOMPARE(of(floats({kInfinity}), floats({kInfinity})).ulp(), 0.0);
  }

  void ulp_counts_float32_values() {
    // NumPy: differences of the bit patterns on the number line, as in the tests of judge/.
    QCOMPARE(of(floats({1.0F}), floats({1.0003F})).ulp(), 2517.0);
    QCOMPARE(of(floats({-1.0F}), floats({1.0F})).ulp(), 2130706432.0);
    QCOMPARE(of(floats({-0.0F}), floats({0.0F})).ulp(), 0.0);
    QCOMPARE(of(floats({-1e-45F}), floats({1e-45F})).ulp(), 2.0);
    // The two ends of FP32: 2 · 0x7f7fffff.
    const float largest = std::numeric_limits<float>::max();
    QCOMPARE(of(floats({largest}), floats({-largest})).ulp(), 4278190078.0);
    QCOMPARE(of(floats({1.0F}), floats({1.0003F}), Ulp::Skip).ulp(), 0.0);
  }

  void tensors_that_cannot_be_compared_are_refused() {
    QVERIFY_EXCEPTION_THROWN(of(floats({1, 2}), floats({1})), Error);
    QVERIFY_EXCEPTION_THROWN(of(at::arange(3), floats({1, 2, 3})), Error);
    QVERIFY_EXCEPTION_THROWN(of(floats({1}), at::Tensor()), Error);
  }

  void autograd_sees_nothing() {
    at::Tensor a = at::ones({2, 3}).t().requires_grad_();
    const auto version = a._version();
    of(a, at::ones({3, 2}).to(at::kBFloat16));
    QCOMPARE(a._version(), version);
    QVERIFY(a.is_leaf());
  }
};

QTEST_GUILESS_MAIN(DeviationTests)
#include "deviation_tests.moc"
