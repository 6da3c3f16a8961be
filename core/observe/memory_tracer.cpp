// SPDX-License-Identifier: Apache-2.0
#include "core/observe/memory_tracer.h"

#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include "core/observe/memory_reporting.h"

namespace mantissa::observe {

/// A lock guards all of it: autograd hands the log on to threads of its own.
class MemoryTracer::Log : public c10::MemoryReportingInfoBase {
 public:
  Log(std::function<std::string()> module_path, std::function<bool()> runs_again, c10::DeviceType device)
      : module_path_(std::move(module_path)), runs_again_(std::move(runs_again)), device_(device), modules_{""} {
    module_numbers_.emplace("", 0);
  }

  void reportMemoryUsage(void* address, std::int64_t size, std::size_t allocated, std::size_t reserved,
                         c10::Device device) override {
    if (outer_ != nullptr) outer_->reportMemoryUsage(address, size, allocated, reserved, device);
    if (device.type() != device_) return;
    const std::string path = size > 0 ? module_path_() : std::string();
    const bool again = runs_again_ && runs_again_();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > 0) {
      const auto block = static_cast<std::int64_t>(origins_.size());
      origins_.push_back({part_, module_number(path), casts_ > 0});
      live_[address] = block;
      events_.push_back({record::MemoryEvent::Kind::Allocate, part_, block, size});
      again_.push_back(again);
    } else if (const auto found = live_.find(address); found != live_.end()) {
      events_.push_back({record::MemoryEvent::Kind::Free, part_, found->second, 0});
      again_.push_back(again);
      live_.erase(found);
    }
  }

  bool memoryProfilingEnabled() const override { return true; }

  /// Who was told before, and hears it all the same.
  void hand_on_to(c10::MemoryReportingInfoBase* outer) { outer_ = outer; }

  void hold(const void* address, std::int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = static_cast<std::int64_t>(origins_.size());
    if (!live_.emplace(address, block).second) return;
    origins_.push_back({record::StepPart::BeforeForward, 0, false});
    events_.push_back({record::MemoryEvent::Kind::Allocate, record::StepPart::BeforeForward, block, bytes});
    again_.push_back(false);
  }

  void enter(record::StepPart part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    part_ = part;
  }

  void set_parameters(const std::vector<const void*>& storages) {
    const std::lock_guard<std::mutex> lock(mutex_);
    parameters_.clear();
    parameters_.insert(storages.begin(), storages.end());
  }

  /// A cast in forward of a parameter's own storage begins or ends. Backward casts gradients.
  bool begins_cast(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) return false;
    const bool again = runs_again_ && runs_again_();
    const std::lock_guard<std::mutex> lock(mutex_);
    if ((part_ != record::StepPart::Forward && !again) || parameters_.count(tensor.storage().data()) == 0) return false;
    ++casts_;
    return true;
  }
  void end_cast() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --casts_;
  }

  const record::MemoryTrace& events() const { return events_; }
  const std::vector<bool>& again() const { return again_; }
  const std::vector<Origin>& origins() const { return origins_; }
  const std::vector<std::string>& modules() const { return modules_; }
  std::optional<std::int64_t> block_at(const void* storage) const {
    const auto found = live_.find(storage);
    if (found == live_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::int32_t module_number(const std::string& path) {
    const auto [found, is_new] = module_numbers_.emplace(path, static_cast<std::int32_t>(modules_.size()));
    if (is_new) modules_.push_back(path);
    return found->second;
  }

  const std::function<std::string()> module_path_;
  const std::function<bool()> runs_again_;
  const c10::DeviceType device_;
  c10::MemoryReportingInfoBase* outer_ = nullptr;
  mutable std::mutex mutex_;
  record::StepPart part_ = record::StepPart::BeforeForward;
  int casts_ = 0;  // under way
  record::MemoryTrace events_;
  std::vector<bool> again_;  // by event
  std::vector<Origin> origins_;
  std::vector<std::string> modules_;
  std::unordered_map<std::string, std::int32_t> module_numbers_;
  std::unordered_map<const void*, std::int64_t> live_;
  std::unordered_set<const void*> parameters_;
};

namespace {

/// Whether the operator that ends had begun a cast of a parameter.
struct CastContext : at::ObserverContext {
  explicit CastContext(std::function<void()> ended) : end(std::move(ended)) {}
  std::function<void()> end;
};

}  // namespace

class MemoryTracer::Guard {
 public:
  explicit Guard(const std::shared_ptr<Log>& log) : outer_(current_), reporting_(handing_on(log)) {
    current_ = log.get();
    // aten::_to_copy is what every cast comes down to, autocast's included.
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&Guard::begin, &Guard::end).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~Guard() {
    at::removeCallback(handle_);
    current_ = outer_;
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  static const std::shared_ptr<Log>& handing_on(const std::shared_ptr<Log>& log) {
    log->hand_on_to(
        static_cast<c10::MemoryReportingInfoBase*>(c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE)));
    return log;
  }
  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    Log* const log = current_;
    if (log == nullptr || std::string_view(function.name()) != "aten::_to_copy") return nullptr;
    const auto inputs = function.inputs();
    if (inputs.empty() || !inputs[0].isTensor() || !log->begins_cast(inputs[0].toTensor())) return nullptr;
    return std::make_unique<CastContext>([log] { log->end_cast(); });
  }
  static void end(const at::RecordFunction& /*function*/, at::ObserverContext* context) {
    if (context != nullptr) static_cast<CastContext*>(context)->end();
  }

  static thread_local Log* current_;

  Log* outer_;
  MemoryReporting reporting_;
  at::CallbackHandle handle_ = 0;
};

thread_local MemoryTracer::Log* MemoryTracer::Guard::current_ = nullptr;

MemoryTracer::MemoryTracer(std::function<std::string()> module_path, std::function<bool()> runs_again,
                           c10::DeviceType device)
    : log_(std::make_shared<Log>(std::move(module_path), std::move(runs_again), device)),
      guard_(std::make_unique<Guard>(log_)) {}
MemoryTracer::~MemoryTracer() = default;

void MemoryTracer::pause() { guard_.reset(); }
void MemoryTracer::resume() {
  if (!guard_) guard_ = std::make_unique<Guard>(log_);
}
void MemoryTracer::hold(const void* storage, std::int64_t bytes) { log_->hold(storage, bytes); }
void MemoryTracer::enter(record::StepPart part) { log_->enter(part); }
void MemoryTracer::set_parameters(const std::vector<const void*>& storages) { log_->set_parameters(storages); }
const record::MemoryTrace& MemoryTracer::events() const { return log_->events(); }
const std::vector<bool>& MemoryTracer::again() const { return log_->again(); }
const std::vector<MemoryTracer::Origin>& MemoryTracer::origins() const { return log_->origins(); }
const std::vector<std::string>& MemoryTracer::modules() const { return log_->modules(); }
std::optional<std::int64_t> MemoryTracer::block_at(const void* storage) const { return log_->block_at(storage); }

}  // namespace mantissa::observe
