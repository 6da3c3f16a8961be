// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/device_work.h"

#include <cstddef>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace mantissa::cuda {

void synchronize(c10::Device device) {
  if (device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

struct DeviceTimer::Events {
  explicit Events(c10::DeviceType type)
      : begin(type, c10::EventFlag::BACKEND_DEFAULT), end(type, c10::EventFlag::BACKEND_DEFAULT) {}
  c10::Event begin;
  c10::Event end;
};

DeviceTimer::DeviceTimer(c10::Device device)
    : device_(device), events_(device.is_cpu() ? nullptr : std::make_unique<Events>(device.type())) {}

DeviceTimer::~DeviceTimer() = default;

void DeviceTimer::start() {
  if (events_) {
    events_->begin.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  } else {
    begin_ = std::chrono::steady_clock::now();
  }
}

double DeviceTimer::stop() {
  if (!events_) return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  events_->end.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  events_->end.synchronize();
  return events_->begin.elapsedTime(events_->end) / 1000.0;  // LibTorch gives milliseconds
}

const char* DeviceTimer::method() const { return events_ ? "device events" : "steady clock"; }

AllocatorStatistics allocator_statistics(c10::Device device) {
  AllocatorStatistics statistics;
  if (device.is_cpu()) return statistics;
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto found = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  statistics.allocated = found.allocated_bytes[kAll].current;
  statistics.peak_allocated = found.allocated_bytes[kAll].peak;
  statistics.reserved = found.reserved_bytes[kAll].current;
  statistics.peak_reserved = found.reserved_bytes[kAll].peak;
  statistics.retries = found.num_alloc_retries;
  statistics.out_of_memory = found.num_ooms;
  return statistics;
}

void reset_peak(c10::Device device) {
  if (device.is_cpu()) return;
  at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

}  // namespace mantissa::cuda
