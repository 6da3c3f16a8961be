// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QTest>

#include "core/base/error.h"
#include "core/session/doctor.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"

using namespace mantissa;

namespace {

/// Generated data of two columns and a model of tests/core/model/models (make_models.py).
spec::Experiment brought(const std::string& model, const std::string& in_model, const std::string& in_training,
                         int features = 2) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = " + std::to_string(features) +
          "\n[model]\nkind = \"torchscript\"\npath = \"" + MANTISSA_SOURCE_DIR + "/tests/core/model/models/" + model +
          "\"\n" + in_model + "\n[training]\nthreads = 1\nbatch = 8\n" + in_training,
      "test.toml");
}

bool says(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

ErrorFacts refusal(const spec::Experiment& experiment) {
  try {
    session::prepare(experiment);
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

}  // namespace

/// What is found out of a model from a file by running it before the first step.
class TryModelTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_model_whose_second_step_reaches_into_the_first_is_refused_and_explained() {
    const ErrorFacts facts = refusal(brought("stateful.pt", "", "steps = 2\n", 1));
    QVERIFY2(facts.problem.find("keeps state between batches") != std::string::npos, facts.problem.c_str());
    QVERIFY(facts.remedy.find("reset_states()") != std::string::npos);
    QVERIFY(refusal(brought("stateful.pt", "", "steps = 0\n", 1)).problem.empty());  // evaluation goes on
  }

  void a_model_that_can_reset_its_state_is_trained_with_a_note() {
    QVERIFY(says(session::prepare(brought("resettable.pt", "", "steps = 2\n", 1)).notes, "reset_states()"));
  }

  void an_output_of_a_type_that_the_loss_cannot_take_is_named_with_the_way_out() {
    const auto odd = [](const std::string& file, const std::string& loss) {
      return brought("../../session/" + file, "", "steps = 2\nloss = \"" + loss + "\"\n");
    };
    for (const char* const loss : {"mse", "huber"}) {
      const ErrorFacts facts = refusal(odd("double_output.pt", loss));
      QCOMPARE(facts.subject, std::string("model.prediction"));
      QCOMPARE(facts.found, std::string("Double"));
      QVERIFY(facts.remedy.find(".float()") != std::string::npos);
    }
    QCOMPARE(refusal(odd("complex_output.pt", "mse")).found, std::string("ComplexFloat"));
  }

  void a_file_with_an_operator_that_is_not_there_is_refused_on_one_line() {
    const ErrorFacts facts = refusal(brought("../../session/unknown_operator.pt", "", "steps = 2\n"));
    QCOMPARE(facts.problem, std::string("the model cannot be loaded"));
    QCOMPARE(facts.found, std::string("Unknown builtin op: aten::lineal. Here are some suggestions: aten::linear"));
  }

  void a_first_batch_beyond_memory_is_the_machines_fault() {
    try {
      session::prepare(brought("../../session/beyond_memory.pt", "", "steps = 2\n"));
      QFAIL("2^50 numbers were had");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
      // 2^50 numbers of 4 bytes
      QVERIFY2(error.facts().problem.find("Out of memory when the model was tried on the first batch: 4 PiB") == 0,
               error.what());
      QVERIFY(error.facts().remedy.find("training.batch") != std::string::npos);
    }
  }

  void a_key_without_effect_on_a_cpu_is_said_once() {
    spec::Experiment experiment = brought("linear.pt", "", "steps = 0\n");
    experiment.model.kind = spec::ModelKind::Linear;
    QVERIFY(!says(session::prepare(experiment).notes, "training.tf32"));
    experiment.training.tf32 = true;
    const std::vector<std::string> notes = session::prepare(experiment).notes;
    QCOMPARE(std::count_if(notes.begin(), notes.end(),
                           [](const std::string& note) { return note.find("training.tf32") != std::string::npos; }),
             std::ptrdiff_t(1));
  }

  void an_expectation_of_an_operator_that_nobody_tries_is_refused() {
    const auto expecting = [](const std::string& what) {
      return refusal(spec::parse_experiment(
          "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 0\n[[trial]]\n"
          "name = \"t\"\nautocast = \"off\"\n[expect]\nt = { \"" +
              what + "\" = \"accepted\", otherwise = \"rejected\" }\n",
          "test.toml"));
    };
    QVERIFY(expecting("lstm float16").problem.empty());
    const ErrorFacts facts = expecting("lsmt float16");
    QCOMPARE(facts.subject, std::string("expect.t"));
    QCOMPARE(facts.line, 12);
    QVERIFY(facts.expected.find("one such as lstm float16") == 0);
  }

  void a_trace_that_ignores_train_and_eval_is_found_out() {
    const auto dropout = session::prepare(brought("dropout_trace.pt", "", "steps = 2\n")).notes;
    QVERIFY(says(dropout, "random numbers in evaluation mode"));
    QVERIFY(says(dropout, "make no difference to this model although it has dropout"));
    const auto norm = session::prepare(brought("batch_norm_trace_eval.pt", "", "steps = 2\n")).notes;
    QVERIFY(says(norm, "although it has batch_norm"));
    QVERIFY(!says(norm, "random numbers"));
  }

  void a_script_that_follows_train_and_eval_gets_no_note() {
    spec::Experiment experiment = brought("cnn_script.pt", "", "steps = 2\n", 36);
    experiment.data.shape = {1, 6, 6};
    experiment.data.outputs = 3;
    QVERIFY(!says(session::prepare(experiment).notes, "train() and eval()"));
  }

  void a_frozen_model_is_refused_for_training_and_evaluated_otherwise() {
    QVERIFY(refusal(brought("frozen.pt", "", "steps = 2\n")).problem.find("frozen") != std::string::npos);
    QVERIFY(refusal(brought("frozen.pt", "", "steps = 0\n")).problem.empty());
  }

  void sparse_gradients_are_for_plain_sgd() {
    const std::string model = "embedding_sparse.pt";
    QVERIFY(refusal(brought(model, "", "[[training.optimizer]]\nkind = \"sgd\"\n", 3)).problem.empty());
    const ErrorFacts adamw = refusal(brought(model, "", "", 3));
    QCOMPARE(adamw.problem, std::string("adamw does not support sparse gradients"));
    QCOMPARE(adamw.subject, std::string("table.weight"));
    const ErrorFacts decay =
        refusal(brought(model, "", "[[training.optimizer]]\nkind = \"sgd\"\nweight_decay = 0.1\n", 3));
    QVERIFY(decay.problem.find("weight decay") != std::string::npos);
  }

  void an_lstm_that_this_machine_cannot_run_in_a_trials_type_is_announced() {
    const std::string trials =
        "[[trial]]\nname = \"half\"\nautocast = \"float16\"\n[[trial]]\nname = \"plain\"\n"
        "autocast = \"off\"\n";
    const std::string kept =
        "[[trial]]\nname = \"half\"\nautocast = \"float16\"\nfloat32_regions = "
        "[\"operator:lstm\"]\n";
    const auto built_in = [](const std::string& kind, const std::string& policies) {
      return spec::parse_experiment(
          "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 6\nshape = [3, 2]\n[model]\nkind = \"" +
              kind + "\"\n[training]\nthreads = 1\nsteps = 2\nbatch = 8\n" + policies,
          "test.toml");
    };
    // The very operator, forward and backward, in FP16: oneDNN has none where the processor lacks AVX512-FP16.
    const session::OperatorSupport lstm = session::try_operator("lstm", "cpu", "float16");
    const bool missing = !lstm.forward || !lstm.backward;
    const std::string words = "Trial half will fail: this machine has no forward LSTM in float16";
    QCOMPARE(says(session::prepare(built_in("lstm", trials)).notes, words), missing);
    QVERIFY(!says(session::prepare(built_in("lstm", trials)).notes, "Trial plain"));
    QVERIFY(!says(session::prepare(built_in("lstm", kept)).notes, "will fail"));
    QVERIFY(!says(session::prepare(built_in("mlp", trials)).notes, "will fail"));
    spec::Experiment scripted = brought("lstm.pt", "", "steps = 2\n" + trials, 6);
    scripted.data.shape = {2, 3};
    scripted.data.outputs = 2;
    QVERIFY(session::prepare(scripted).network->traits().has_lstm);
    QCOMPARE(says(session::prepare(scripted).notes, words), missing);
  }

  void a_model_that_gives_only_its_loss_is_judged_by_the_losses_of_the_cases() {
    const std::string inputs = "inputs = [\"x\", \"targets\"]";
    const auto prepared = session::prepare(brought("only_loss.pt", inputs, "steps = 2\nloss = \"output\"\n"));
    QVERIFY(prepared.prediction_is_loss);
    const ErrorFacts facts =
        refusal(brought("only_loss.pt", inputs, "steps = 2\nloss = \"output\"\n[rules]\nquality = { max_drop = 1 }\n"));
    QCOMPARE(facts.subject, std::string("rules.quality"));
    QVERIFY(!session::prepare(
                 brought("own_loss.pt", inputs + "\nprediction = \"output[1]\"", "steps = 2\nloss = \"output\"\n"))
                 .prediction_is_loss);
  }

  void a_wrong_selector_is_refused_at_its_line() {
    const ErrorFacts facts = refusal(brought("nested.pt", "prediction = \"output[2]\"", "steps = 2\n", 1));
    QCOMPARE(facts.subject, std::string("model.prediction"));
    QCOMPARE(facts.line, 9);
    QCOMPARE(facts.file, std::string("test.toml"));
  }
};

QTEST_GUILESS_MAIN(TryModelTests)
#include "try_model_tests.moc"
