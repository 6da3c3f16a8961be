// SPDX-License-Identifier: Apache-2.0
// Buffers that forward sets to other tensors are followed wherever a model's buffers count. The models are made by
// make_set_buffers.py.
#include "tests/core/session/resume_box.h"

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// The fifth call overflows FP16 alone. The trial in BF16 runs in an instance of the module of its own.
std::string experiment(const std::string& file, const std::string& steps) {
  return kHead + "[model]\nkind = \"torchscript\"\npath = \"" MANTISSA_SOURCE_DIR "/tests/core/session/" + file +
         "\"\n[training]\nthreads = 1\nsteps = " + steps +
         "\nbatch = 10\nloss = \"mse\"\nevaluate_every = 7\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e-6\n"
         "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\nshadow_every = 3\nscaler = { init_scale = 1024 }\n"
         "[[trial]]\nname = \"jit\"\nautocast = \"bfloat16\"\ncast_policy = \"jit\"\nshadow_every = 3\n";
}

const record::TensorBytes& tensor_of(const Arm& arm, const std::string& name) {
  for (const record::TensorBytes& tensor : arm.weights) {
    if (tensor.name == name) return tensor;
  }
  throw std::runtime_error("no tensor " + name);
}

double number_of(const Arm& arm, const std::string& name) {
  const record::TensorBytes& tensor = tensor_of(arm, name);
  float number = 0.0F;
  if (tensor.bytes.size() != sizeof number) throw std::runtime_error(name + " is no single number in FP32");
  std::memcpy(&number, tensor.bytes.data(), sizeof number);
  return number;
}

}  // namespace

class SetBuffersTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void buffers_that_forward_sets_are_exported_as_they_ended_and_put_back_where_a_skipped_step_poisoned_them() {
    for (const char* const file : {"set_buffers.pt", "written_buffers.pt"}) {
      Box box;
      const Outcome outcome = box.run(experiment(file, "30"));
      for (const std::size_t arm : {std::size_t{0}, std::size_t{2}}) {  // FP32, BF16: every step counts
        QCOMPARE(number_of(outcome.arms[arm], "count"), 30.0);
        QCOMPARE(number_of(outcome.arms[arm], "a"), 1.0);  // swapped 30 times
        QCOMPARE(number_of(outcome.arms[arm], "b"), 2.0);
      }
      // FP16: the fifth step is skipped, its mean is infinite, and the module's buffers are those of before it.
      QCOMPARE(outcome.arms[1].row.end.counts.skipped, std::int64_t{1});
      QCOMPARE(number_of(outcome.arms[1], "count"), 29.0);
      QCOMPARE(number_of(outcome.arms[1], "a"), 2.0);  // swapped 29 times
      QCOMPARE(number_of(outcome.arms[1], "b"), 1.0);
      QVERIFY(std::isfinite(number_of(outcome.arms[1], "mean")));
      const auto told = [](const std::string& note) {
        return note.find("made buffers non-finite: mean") < note.size();
      };
      const std::vector<std::string>& notes = outcome.arms[1].row.end.notes;
      QCOMPARE(std::count_if(notes.begin(), notes.end(), told), std::ptrdiff_t{1});
    }
  }

  void setting_a_buffer_and_writing_into_it_give_the_same_steps_and_shadows() {
    Box setting;
    Box writing;
    const Outcome set = setting.run(experiment("set_buffers.pt", "12"));
    const Outcome written = writing.run(experiment("written_buffers.pt", "12"));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      QCOMPARE(set.arms[arm].steps.size(), std::size_t{12});
      for (std::size_t i = 0; i < 12; ++i) {
        const std::string found = differences(set.arms[arm].steps[i], written.arms[arm].steps[i]);
        QVERIFY2(found.empty(), ("step " + std::to_string(i + 1) + ": " + found).c_str());
      }
      for (const record::TensorBytes& tensor : written.arms[arm].weights) {
        QVERIFY2(tensor_of(set.arms[arm], tensor.name).bytes == tensor.bytes, tensor.name.c_str());
      }
    }
    QVERIFY(set.arms[1].steps[5].shadow_output_relative.has_value());
  }

  void every_shadow_begins_from_the_reference_whatever_an_earlier_one_moved() {
    const std::string shadowed = "\nshadow_every = 1\n[[trial]]\nname = ";
    for (const char* const file : {"set_buffers.pt", "written_buffers.pt", "growing_buffer.pt"}) {
      const std::string text =
          kHead + "[model]\nkind = \"torchscript\"\npath = \"" MANTISSA_SOURCE_DIR "/tests/core/session/" + file +
          "\"\n[training]\nthreads = 1\nsteps = 8\nbatch = 10\nloss = \"mse\"\n[[training.optimizer]]\nkind = "
          "\"sgd\"\nlr = 1e-6\n"
          "[[trial]]\nname = \"first\"\nautocast = \"bfloat16\"" +
          shadowed + "\"again\"\nautocast = \"bfloat16\"" + shadowed +
          "\"fp32\"\nautocast = \"off\"\nshadow_every = 1\n";
      Box box;
      const Outcome outcome = box.run(text);
      for (std::size_t i = 0; i < 8; ++i) {
        const record::StepRecord& first = outcome.arms[1].steps[i];
        const record::StepRecord& again = outcome.arms[2].steps[i];
        const record::StepRecord& fp32 = outcome.arms[3].steps[i];
        QVERIFY(first.shadow_output_max.value() > 0.0);
        QVERIFY(again.shadow_output_max.value() == first.shadow_output_max.value());
        QVERIFY(again.shadow_gradient_relative.value() == first.shadow_gradient_relative.value());
        QCOMPARE(fp32.shadow_output_max.value(), 0.0);  // the reference's own computation once more
        QCOMPARE(fp32.shadow_gradient_relative.value(), 0.0);
      }
    }
  }

  void a_run_stopped_after_any_step_goes_on_with_the_buffers_that_forward_had_set() {
    for (const char* const file : {"set_buffers.pt", "growing_buffer.pt"}) {
      Box unbroken;
      const std::string text = experiment(file, "12");
      const Outcome whole = unbroken.run(text);
      for (const std::int64_t stop : {1, 4, 5, 6, 11}) {
        Box box;
        const Outcome stopped = box.run(text, stop);
        const std::string found = differences(whole, box.resume(stopped.arms.back().row.id));
        QVERIFY2(found.empty(), (file + (" stopped after step " + std::to_string(stop)) + "; " + found).c_str());
      }
    }
  }
};

QTEST_APPLESS_MAIN(SetBuffersTests)
#include "set_buffers_tests.moc"
