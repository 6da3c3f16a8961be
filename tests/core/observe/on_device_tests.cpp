// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "core/observe/on_device.h"

using namespace mantissa::observe;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

/// ATen's operators are the same on every device, so the functions for GPUs are tried here on the CPU.
class OnDeviceTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sums_of_a_pair_are_those_of_hand_arithmetic() {
    // reference 3, -4, 0; other 3.5, -4, 2: differences 0.5, 0, 2.
    const on_device::PairSums sums =
        on_device::pair_sums(at::tensor({3.0F, -4.0F, 0.0F}), at::tensor({3.5F, -4.0F, 2.0F}));
    QCOMPARE(sums.max, 2.0);
    QCOMPARE(sums.squares_of_difference, 4.25);  // 0.25 + 4
    QCOMPARE(sums.squares_of_reference, 25.0);   // 9 + 16
    QCOMPARE(sums.squares_of_other, 32.25);      // 12.25 + 16 + 4
    QCOMPARE(sums.products, 26.5);               // 10.5 + 16
  }

  void half_precision_is_summed_in_double() {
    // 60000^2 is far beyond FP16 and three of them beyond nothing in FP64.
    const at::Tensor large = at::full({3}, 60000.0, at::kHalf);
    QCOMPARE(on_device::sum_of_squares({large}), 3.0 * 60000.0 * 60000.0);
    QCOMPARE(on_device::pair_sums(large, at::zeros({3})).squares_of_difference, 3.0 * 60000.0 * 60000.0);
  }

  void non_finite_elements_show_in_every_sum() {
    const at::Tensor finite = at::tensor({1.0F, 2.0F});
    QVERIFY(std::isnan(on_device::pair_sums(finite, at::tensor({1.0F, kNan})).max));
    QVERIFY(std::isinf(on_device::pair_sums(finite, at::tensor({1.0F, kInfinity})).max));
    QVERIFY(std::isnan(on_device::sum_of_squares({finite, at::tensor({kNan})})));
    QVERIFY(std::isinf(on_device::sum_of_squares_of_differences({finite}, {at::tensor({-kInfinity, 0.0F})})));
  }

  void units_in_the_last_place_are_counted_across_zero() {
    const float smallest = std::numeric_limits<float>::denorm_min();
    QCOMPARE(on_device::largest_ulp(at::tensor({0.0F}), at::tensor({-0.0F})), 0.0);
    QCOMPARE(on_device::largest_ulp(at::tensor({smallest}), at::tensor({-smallest})), 2.0);
    // From 1 to its neighbour above and to 2: 2^23 numbers of FP32 lie in [1, 2).
    QCOMPARE(on_device::largest_ulp(at::tensor({1.0F}), at::tensor({1.0F + 0x1p-23F})), 1.0);
    QCOMPARE(on_device::largest_ulp(at::tensor({1.0F, 1.0F}), at::tensor({1.0F, 2.0F})), 8388608.0);
  }

  void units_in_the_last_place_of_non_finite_numbers() {
    const at::Tensor reference = at::tensor({1.0F, kInfinity});
    QCOMPARE(on_device::largest_ulp(reference, reference), 0.0);
    QVERIFY(std::isinf(on_device::largest_ulp(reference, at::tensor({1.0F, 5.0F}))));
    QVERIFY(std::isnan(on_device::largest_ulp(reference, at::tensor({kNan, 5.0F}))));
  }

  void one_bad_element_in_any_tensor_is_found() {
    const at::Tensor good = at::ones({3, 3}, at::kBFloat16);
    QVERIFY(on_device::all_finite({good, at::Tensor(), at::arange(4), at::empty({0})}));
    QVERIFY(on_device::all_finite({}));
    QVERIFY(!on_device::all_finite({good, at::tensor({1.0F, -kInfinity})}));
    QVERIFY(!on_device::all_finite({at::tensor({kNan}), good}));
  }

  void sparse_gradients_are_added_up_before_they_are_looked_at() {
    // 40000 + 40000 at one index is beyond FP16's 65504.
    const at::Tensor index = at::tensor({1, 1}, at::kLong).unsqueeze(0);
    const at::Tensor sparse =
        at::sparse_coo_tensor(index, at::full({2}, 40000.0, at::kHalf), {3}, at::TensorOptions(at::kHalf));
    QVERIFY(!on_device::all_finite({sparse}));
  }

  void transposed_tensors_are_compared_in_logical_order() {
    const at::Tensor rows = at::arange(6, at::kFloat).reshape({2, 3});
    QCOMPARE(on_device::pair_sums(rows, rows.t().contiguous().t()).squares_of_difference, 0.0);
    QCOMPARE(on_device::pair_sums(at::empty({0}), at::empty({0})).max, 0.0);
  }
};

QTEST_GUILESS_MAIN(OnDeviceTests)
#include "on_device_tests.moc"
