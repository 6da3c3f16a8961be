// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <stdexcept>
#include <string>

#include <c10/util/Exception.h>
#include <QTest>

#include "core/train/failure_text.h"

using namespace mantissa;

namespace {

/// What official PyTorch 2.11 says of a scripted attention that fills its mask with -1e9, in FP16; shortened by
/// modules.
const std::string overflow_in_a_script =
    R"(The following operation failed in the TorchScript interpreter.
Traceback of TorchScript, serialized code (most recent call last):
  File "code/__torch__/arch.py", line 41, in forward
    attn = self.attn
    ln1 = self.ln1
    _2 = (attn).forward((ln1).forward(x, ), )
          ~~~~~~~~~~~~~ <--- HERE
    x0 = torch.add(x, (drop).forward(_2, ))
  File "code/__torch__/arch.py", line 105, in forward
        _15 = torch.slice(torch.slice(_14, 2, None, T), 3, None, T)
        a2 = torch.masked_fill(a, torch.bitwise_not(_15), -1000000000.)
             ~~~~~~~~~~~~~~~~~ <--- HERE
        a0 = a2

Traceback of TorchScript, original code (most recent call last):
  File "/home/someone/my models/arch.py", line 36, in forward
            if self.mode=='inf': a=a.masked_fill(~self.mask[:,:,:T,:T],float('-inf'))
            else:                a=a.masked_fill(~self.mask[:,:,:T,:T],-1e9)
                                   ~~~~~~~~~~~~~ <--- HERE
            y=self.drop(torch.softmax(a,-1))@v
RuntimeError: value cannot be converted to type c10::Half without overflow
)";

}  // namespace

/// What a failure of a model reads like. The texts to read are official PyTorch 2.11's.
class FailureTextTests : public QObject {
  Q_OBJECT

  static void has(const std::string& text, const char* part) {
    QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + " is missing: " + text).c_str());
  }

 private Q_SLOTS:
  void a_number_beyond_fp16_is_told_with_operator_place_and_ways_out() {
    const train::Failure failure = train::failure_of(std::runtime_error(overflow_in_a_script), "at step 1");
    QCOMPARE(failure.reason, std::string("forward"));
    has(failure.text,
        "The model failed at step 1: masked_fill gets a number that FP16 cannot hold, whose largest is 65504");
    has(failure.text, "(arch.py, line 36: else: a=a.masked_fill(~self.mask[:,:,:T,:T],-1e9))");
    has(failure.text, "float32_regions = [\"operator:masked_fill\"]");
    has(failure.text, "cast_policy = \"jit\" may hide this fault");
    QVERIFY(failure.text.find("someone") == std::string::npos);
    QVERIFY(failure.text.find('\n') == std::string::npos);
  }

  void under_torchscripts_own_casts_no_other_casts_are_advised() {
    const train::Failure failure = train::failure_of(std::runtime_error(overflow_in_a_script), "at step 1", "jit");
    has(failure.text, "masked_fill gets a number that FP16 cannot hold");
    QVERIFY(failure.text.find("float32_regions") == std::string::npos);
    QVERIFY(failure.text.find("hide") == std::string::npos);
  }

  void the_same_without_a_trace_names_no_operator() {
    const std::string words = "value cannot be converted to type c10::Half without overflow";
    const train::Failure failure = train::failure_of(std::runtime_error(words), "at step 1");
    has(failure.text, "an operator gets a number that FP16 cannot hold");
    has(failure.text, "by float32_regions. ");
  }

  void another_failure_of_a_script_keeps_its_words_and_place() {
    QCOMPARE(train::condensed(
                 std::runtime_error("The following operation failed in the TorchScript interpreter.\n"
                                    "Traceback of TorchScript, serialized code (most recent call last):\n"
                                    "  File \"code/__torch__/m.py\", line 7, in forward\n"
                                    "    ops.prim.RaiseException(torch.format(\"no {}\", 1), \"builtins.ValueError\")\n"
                                    "    ~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n"
                                    "\n"
                                    "Traceback of TorchScript, original code (most recent call last):\n"
                                    "  File \"C:\\models\\m.py\", line 12, in forward\n"
                                    "        raise   ValueError(f\"no {1}\")\n"
                                    "        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n"
                                    "builtins.ValueError: no 1\n")),
             std::string("no 1 (m.py, line 12: raise ValueError(f\"no {1}\"))"));
  }

  void a_type_without_a_kernel_is_told_with_ways_out() {
    const train::Failure failure = train::failure_of(
        std::runtime_error("could not create a primitive descriptor for the LSTM forward propagation primitive. Run "
                           "workload with environment variable ONEDNN_VERBOSE=all to get additional diagnostic "
                           "information."),
        "at step 1");
    has(failure.text, "the LSTM has no kernel for the trial's type on this processor");
    has(failure.text, "mantissa-cli doctor");
    QVERIFY(failure.text.find("ONEDNN_VERBOSE") == std::string::npos);
  }

  void exhausted_memory_is_a_reason_of_its_own() {
    QCOMPARE(train::failure_of(std::bad_alloc(), "at step 2").reason, std::string("memory"));
  }
};

QTEST_APPLESS_MAIN(FailureTextTests)
#include "failure_text_tests.moc"
