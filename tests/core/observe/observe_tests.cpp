// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>

#include <QTest>

#include "core/base/error.h"
#include "core/observe/finite_scan.h"
#include "core/observe/memory_recorder.h"
#include "core/observe/norms.h"

using namespace mantissa;
using namespace mantissa::observe;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const at::ScalarType kFloatingTypes[] = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

}  // namespace

class ObserveTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_largest_and_smallest_numbers_of_every_dtype_are_finite() {
    for (const at::ScalarType dtype : kFloatingTypes) {
      const double largest = dtype == at::kHalf ? 65504.0 : dtype == at::kBFloat16 ? 3.3895313892515355e38 : 3.4e38;
      QVERIFY2(all_finite(at::tensor({largest, -largest, 0.0, -0.0, 1e-8}, at::kDouble).to(dtype)),
               c10::toString(dtype));
    }
    QVERIFY(all_finite(at::tensor({std::numeric_limits<double>::max(), 5e-324}, at::kDouble)));
  }

  void one_bad_element_anywhere_is_found() {
    for (const at::ScalarType dtype : kFloatingTypes) {
      for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
        for (const int place : {0, 2047, 2048, 5002}) {
          at::Tensor values = at::ones({5003}, dtype);
          QVERIFY(all_finite(values));
          values[place] = bad;
          QVERIFY2(!all_finite(values), c10::toString(dtype));
        }
      }
    }
  }

  void strides_empty_undefined_and_integer_tensors_are_understood() {
    at::Tensor values = at::ones({4, 4});
    values[0][1] = kInfinity;
    QVERIFY(!all_finite(values.t()));
    QVERIFY(all_finite(values.slice(1, 2, 4)));  // the view leaves the bad column out
    QVERIFY(all_finite(at::empty({0})));
    QVERIFY(all_finite(at::Tensor()));
    QVERIFY(all_finite(at::arange(3)));
    QVERIFY(all_finite(std::vector<at::Tensor>{}));
  }

  void the_first_bad_tensor_is_named_with_place_value_and_count() {
    at::Tensor second = at::ones({50, 100}, at::kHalf);
    second[30][7] = -kInfinity;  // flat index 3007
    second[49][99] = std::nan("");
    const std::vector<at::Tensor> tensors = {at::ones({3}), at::Tensor(), second, at::full({2}, kInfinity)};
    const auto found = first_non_finite(tensors);
    QVERIFY(found.has_value());
    QCOMPARE(found->tensor, std::size_t{2});
    QCOMPARE(found->index, std::int64_t{3007});
    QCOMPARE(found->value, -kInfinity);
    QCOMPARE(found->count, std::int64_t{2});
    QVERIFY(!all_finite(tensors));
    QVERIFY(!first_non_finite({at::ones({3})}));
  }

  void norms_equal_numpys() {
    // The series of deviation_tests.cpp: np.linalg.norm of a, of both together, of a - b, in float64.
    std::vector<float> a_values;
    std::vector<float> b_values;
    for (int i = 0; i < 5003; ++i) {
      a_values.push_back(static_cast<float>((i * 37) % 101 - 50) / 64.0F);
      b_values.push_back(a_values.back() + static_cast<float>((i * 53) % 17 - 8) / 4096.0F);
    }
    const at::Tensor a = at::tensor(a_values);
    const at::Tensor b = at::tensor(b_values);
    QVERIFY(std::fabs(two_norm({a}) - 32.22420161806767) < 1e-12);
    QVERIFY(std::fabs(two_norm({a, at::Tensor(), b.to(at::kDouble)}) - 45.571981236330664) < 1e-12);
    QVERIFY(std::fabs(difference_norm({a}, {b}) - 0.08459816137169118) < 1e-14);
    QVERIFY(std::fabs(difference_norm({a.to(at::kDouble)}, {b}) - 0.08459816137169118) < 1e-14);
    QCOMPARE(two_norm({}), 0.0);
  }

  void norms_do_not_overflow_where_float32_would() {
    QVERIFY(std::fabs(two_norm({at::full({100}, 1e20)}) / 1e21 - 1.0) < 1e-6);  // sqrt(100 · 1e40)
    QCOMPARE(two_norm({at::full({1}, kInfinity)}), kInfinity);
    QVERIFY(std::isnan(two_norm({at::full({1}, std::nan(""))})));
  }

  void lists_that_do_not_match_are_refused() {
    QVERIFY_EXCEPTION_THROWN(difference_norm({at::ones({2})}, {at::ones({3})}), Error);
    QVERIFY_EXCEPTION_THROWN(difference_norm({at::ones({2})}, {}), Error);
  }

  void memory_is_counted_byte_for_byte() {
    MemoryRecorder recorder;
    QCOMPARE(recorder.live(), std::int64_t{0});
    at::Tensor kept = at::empty({1000}, at::kFloat);  // 4 bytes each
    QCOMPARE(recorder.live(), std::int64_t{4000});
    {
      const at::Tensor passing = at::empty({3}, at::kDouble);  // 8 bytes each
      QCOMPARE(recorder.live(), std::int64_t{4024});
    }
    QCOMPARE(recorder.live(), std::int64_t{4000});
    QCOMPARE(recorder.peak(), std::int64_t{4024});
    recorder.reset_peak();
    QCOMPARE(recorder.peak(), std::int64_t{4000});
    kept.reset();
    QCOMPARE(recorder.live(), std::int64_t{0});
    QCOMPARE(recorder.peak(), std::int64_t{4000});
  }

  void views_cost_nothing_and_in_place_work_neither() {
    MemoryRecorder recorder;
    at::Tensor values = at::ones({256}, at::kFloat);
    const std::int64_t before = recorder.live();
    const at::Tensor view = values.reshape({16, 16}).t();
    values.mul_(2);
    QCOMPARE(recorder.live(), before);
  }

  void memory_from_before_the_recorder_is_not_counted() {
    at::Tensor older = at::empty({1000}, at::kFloat);
    MemoryRecorder recorder;
    older.reset();
    QCOMPARE(recorder.live(), std::int64_t{0});
  }

  void nor_is_memory_at_an_address_that_an_earlier_recorder_has_seen() {
    // LibTorch keeps the size of what outlives a recorder, and the allocator may hand the address out again: what the
    // allocator does is done here by hand, as it cannot be told which address to take.
    char address = 0;
    {
      const MemoryRecorder earlier;
      c10::profiledCPUMemoryReporter().New(&address, 408);
      QCOMPARE(earlier.live(), std::int64_t{408});
    }
    const MemoryRecorder recorder;
    c10::profiledCPUMemoryReporter().Delete(&address);
    QCOMPARE(recorder.live(), std::int64_t{0});
  }

  void results_are_the_same_with_and_without_the_recorder() {
    const at::Tensor a = at::arange(12, at::kFloat).reshape({3, 4});
    const at::Tensor without = a.mm(a.t());
    MemoryRecorder recorder;
    QVERIFY(at::equal(a.mm(a.t()), without));
    QVERIFY(recorder.peak() >= 36);  // the 3 · 3 result in FP32
  }
};

QTEST_GUILESS_MAIN(ObserveTests)
#include "observe_tests.moc"
