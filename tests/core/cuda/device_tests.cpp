// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <chrono>
#include <thread>

#include <ATen/ATen.h>

#include "core/cuda/device_facts.h"
#include "core/cuda/device_work.h"

using namespace mantissa;

namespace {

bool has_device() { return !cuda::find_devices().devices.empty(); }

const c10::Device gpu(c10::kCUDA, 0);

}  // namespace

class DeviceTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_machine_without_a_device_says_why() {
    const cuda::DeviceReport report = cuda::find_devices();
    QCOMPARE(report.problem.empty(), !report.devices.empty());
  }

  void a_build_for_the_cpu_names_no_backend_and_the_way_to_one() {
    const cuda::DeviceReport report = cuda::find_devices();
    if (!report.backend.empty()) QSKIP("this build is for GPUs");
    QVERIFY(report.toolkit.empty());
    QVERIFY(report.problem.find("--cuda") != std::string::npos);
  }

  void time_on_the_cpu_passes_as_the_steady_clock_says() {
    cuda::DeviceTimer timer(c10::kCPU);
    timer.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double seconds = timer.stop();
    QVERIFY2(seconds >= 0.020, qPrintable(QString::number(seconds)));
    QCOMPARE(timer.method(), "steady clock");
  }

  void the_cpu_has_nothing_to_wait_for_and_no_statistics() {
    cuda::synchronize(c10::kCPU);
    cuda::reset_peak(c10::kCPU);
    QCOMPARE(cuda::allocator_statistics(c10::kCPU).peak_allocated, 0);
  }

  void a_device_is_described_by_its_driver() {
    if (!has_device()) QSKIP(qPrintable("no GPU: " + QString::fromStdString(cuda::find_devices().problem)));
    const cuda::DeviceFacts facts = cuda::find_devices().devices.front();
    QVERIFY(!facts.name.empty());
    QVERIFY(facts.total_bytes > facts.free_bytes || facts.total_bytes == facts.free_bytes);
    QVERIFY(facts.total_bytes > 1'000'000'000);
  }

  void the_allocator_counts_what_a_tensor_takes() {
    if (!has_device()) QSKIP(qPrintable("no GPU: " + QString::fromStdString(cuda::find_devices().problem)));
    constexpr std::int64_t kBytes = std::int64_t{64} << 20;
    const std::int64_t before = cuda::allocator_statistics(gpu).allocated;
    cuda::reset_peak(gpu);
    {
      const at::Tensor tensor = at::empty({kBytes}, at::TensorOptions(at::kByte).device(gpu));
      QCOMPARE(cuda::allocator_statistics(gpu).allocated - before, kBytes);
    }
    QCOMPARE(cuda::allocator_statistics(gpu).allocated, before);
    QCOMPARE(cuda::allocator_statistics(gpu).peak_allocated - before, kBytes);
  }

  void device_events_measure_the_work_and_not_the_launch() {
    if (!has_device()) QSKIP(qPrintable("no GPU: " + QString::fromStdString(cuda::find_devices().problem)));
    const at::Tensor a = at::ones({4096, 4096}, at::TensorOptions(at::kFloat).device(gpu));
    at::Tensor product = at::mm(a, a);
    cuda::synchronize(gpu);
    cuda::DeviceTimer timer(gpu);
    timer.start();
    for (int i = 0; i < 20; ++i) at::mm_out(product, a, a);
    QVERIFY(timer.stop() > 0.0);
    QCOMPARE(timer.method(), "device events");
  }
};

QTEST_GUILESS_MAIN(DeviceTests)
#include "device_tests.moc"
