// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QTest>

#include "cli_sandbox.h"

/// TorchScript files of real sizes as users bring them: trained, or refused in words that help. MANTISSA_MODELS names
/// their folder (tests/oracle/README.md lists them); without it nothing is tested here. What their notes say of
/// themselves was measured with official PyTorch 2.11; that they train to the same bits is live_models_tests' matter.
class CliRealModelsTests : public QObject {
  Q_OBJECT

  static QByteArray pictures() { return "source = \"fashion\""; }
  static QByteArray characters() { return "source = \"shakespeare8\"\ncontext = 16\nclasses = 96"; }
  static QByteArray vowels() { return "source = \"japanese_vowels\""; }
  static QByteArray concrete() { return "source = \"concrete\""; }
  static QByteArray noise(const QByteArray& shape) {
    return "source = \"gaussian\"\nrows = 16\nseed = 5\ntask = \"regression\"\nstandardize = false\n" + shape;
  }
  static QByteArray faces() { return noise("features = 1728\noutputs = 4\nshape = [3, 24, 24]"); }
  static QByteArray sound() { return noise("features = 512\noutputs = 1"); }

  static QByteArray trial(const QByteArray& name, const QByteArray& autocast, const QByteArray& more = {}) {
    return "[[trial]]\nname = \"" + name + "\"\nautocast = \"" + autocast + "\"\n" + more + "\n";
  }

  static Outcome run(const CliSandbox& box, const QByteArray& data, const QByteArray& file, const QByteArray& trials,
                     const QByteArray& model_keys = {}, int steps = 3) {
    const QByteArray path = QDir(qEnvironmentVariable("MANTISSA_MODELS")).absoluteFilePath(file).toUtf8();
    box.write("model.toml", "mantissa = 1\n[data]\n" + data + "\n[model]\nkind = \"torchscript\"\npath = \"" + path +
                                "\"\n" + model_keys + "\n[training]\nthreads = 1\nbatch = 4\nsteps = " +
                                QByteArray::number(steps) + "\n" + trials + "[cases]\nholdout = 4\n");
    return box.run({"run", "model.toml", "--json"});
  }

  static nlohmann::json find_trial(const Outcome& outcome, const std::string& name) {
    const nlohmann::json document = outcome.json();
    if (!document.is_object()) return {};
    for (const nlohmann::json& candidate : document["trials"]) {
      if (candidate["name"] == name) return candidate;
    }
    return {};
  }

  static bool trained(const nlohmann::json& trial, int steps = 3) {
    return trial.is_object() && trial["status"] == "finished" && trial["attempted"] == steps;
  }

  /// The notes of the reference and the sentences printed while it was made ready are the same ones.
  static bool notes_say(const Outcome& outcome, const std::string& words) {
    const nlohmann::json document = outcome.json();
    return document.is_object() && document["reference"]["notes"].dump().find(words) != std::string::npos &&
           outcome.err.contains(QByteArray::fromStdString(words));
  }

 private Q_SLOTS:
  void initTestCase() {
    const QString models = qEnvironmentVariable("MANTISSA_MODELS");
    if (models.isEmpty()) QSKIP("MANTISSA_MODELS names no folder with the models: none of them was tried");
    QVERIFY2(QFileInfo(models).isDir(), qPrintable("MANTISSA_MODELS is no folder: " + models));
  }

  void a_traced_resnet_trains_to_the_bits_of_its_script() {
    std::vector<std::map<std::string, std::vector<float>>> weights;
    std::vector<QStringList> losses;
    for (const char* const file : {"resnet20_fashion.script.pt", "resnet20_fashion.trace_train.pt"}) {
      const CliSandbox box;
      const Outcome outcome = run(box, pictures(), file, trial("bf16", "bfloat16"));
      QVERIFY2(trained(find_trial(outcome, "bf16")), outcome.err);
      // A trace stays in the mode in which it was traced.
      QCOMPARE(notes_say(outcome, "train() and eval() make no difference to this model although it has batch_norm"),
               QByteArray(file).contains("trace"));
      for (const char* const arm : {"reference", "bf16"}) {
        weights.push_back(box.weights(arm));
        QStringList& column = losses.emplace_back();
        for (const auto& row : box.table({"export", "steps", arm})) column << row["loss"];
      }
    }
    QVERIFY(weights[0].size() > 100);
    QCOMPARE(losses[0].size(), 3);
    QCOMPARE(losses[2], losses[0]);
    QCOMPARE(losses[3], losses[1]);
    QVERIFY(losses[0] != losses[1]);
    QVERIFY(weights[2] == weights[0]);
    QVERIFY(weights[3] == weights[1]);
  }

  void a_mask_of_minus_1e9_fails_in_fp16_and_torchscripts_own_casts_hide_it() {
    const CliSandbox box;
    const Outcome outcome = run(box, characters(), "chargpt_manual_1e9.script.pt",
                                trial("bf16", "bfloat16") + trial("fp16", "float16") +
                                    trial("fp16-jit", "float16", "cast_policy = \"jit\"") +
                                    trial("fp16-cuda", "float16", "cast_policy = \"cuda\"") +
                                    trial("fp16-kept", "float16", "float32_regions = [\"operator:masked_fill\"]"));
    QCOMPARE(outcome.exit, 1);
    for (const std::string name : {"bf16", "fp16-jit", "fp16-kept"}) {
      QVERIFY2(trained(find_trial(outcome, name)), name.c_str());
    }
    for (const std::string name : {"fp16", "fp16-cuda"}) {
      const nlohmann::json failed = find_trial(outcome, name);
      QCOMPARE(failed["status"].get<std::string>(), std::string("failed"));
      QCOMPARE(failed["failure"].get<std::string>(), std::string("forward"));
      const std::string text = failed["failure_text"];
      for (const std::string part :
           {"at step 1", "masked_fill gets a number that FP16 cannot hold", "arch.py, line 36", "-1e9",
            "without overflow", "float32_regions = [\"operator:masked_fill\"]", "cast_policy = \"jit\" may hide"}) {
        QVERIFY2(text.find(part) != std::string::npos, (part + " is missing: " + text).c_str());
      }
    }
  }

  void a_text_longer_than_a_language_model_allows_is_refused() {
    const CliSandbox box;
    QByteArray data = characters();
    data.replace("16", "129");  // it has 128 positions
    const Outcome outcome = run(box, data, "chargpt_manual_1e9.script.pt", trial("bf16", "bfloat16"));
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("index out of range"), outcome.err);
    QVERIFY2(outcome.err.contains("data.context"), outcome.err);
  }

  /// FP16 works on processors whose oneDNN has it; what doctor finds by trying counts.
  void an_lstm_trains_in_bf16_and_fails_in_fp16_where_the_processor_has_none() {
    const CliSandbox box;
    const nlohmann::json doctor = box.run_plain({"doctor", "--json"}).json();
    const auto supports = [&](const std::string& dtype) {
      for (const nlohmann::json& entry : doctor["operators"]) {
        if (entry["operator"] == "lstm" && entry["dtype"] == dtype)
          return entry["forward"].get<bool>() && entry["backward"].get<bool>();
      }
      return false;
    };
    const Outcome outcome = run(box, vowels(), "lstm_vowels.script.pt",
                                trial("bf16", "bfloat16") + trial("fp16", "float16") + trial("fp32", "off"));
    QVERIFY2(trained(find_trial(outcome, "fp32")), outcome.err);
    for (const auto& [name, dtype] : {std::pair{"bf16", "bfloat16"}, std::pair{"fp16", "float16"}}) {
      const nlohmann::json found = find_trial(outcome, name);
      if (supports(dtype)) {
        QVERIFY2(trained(found), outcome.err);
        continue;
      }
      QCOMPARE(found["failure"].get<std::string>(), std::string("forward"));
      const std::string text = found["failure_text"];
      for (const std::string part : {"the LSTM has no kernel for the trial's type on this processor", "oneDNN",
                                     "float32_regions", "mantissa-cli doctor"}) {
        QVERIFY2(text.find(part) != std::string::npos, (part + " is missing: " + text).c_str());
      }
    }
  }

  void a_scripted_mlp_trains_and_has_nothing_to_note() {
    const CliSandbox box;
    const Outcome outcome = run(box, concrete(), "mlp_concrete.script.pt",
                                trial("bf16", "bfloat16") + trial("fp16", "float16", "scaler.init_scale = 256"));
    QVERIFY2(trained(find_trial(outcome, "bf16")), outcome.err);
    QVERIFY2(trained(find_trial(outcome, "fp16")), outcome.err);
    QCOMPARE(outcome.json()["reference"]["notes"].size(), std::size_t{0});
  }

  void a_trace_in_evaluation_mode_trains_and_says_that_it_ignores_the_mode() {
    const CliSandbox box;
    const Outcome outcome = run(box, concrete(), "mlp_concrete.trace_eval.pt", trial("bf16", "bfloat16"));
    QVERIFY2(trained(find_trial(outcome, "bf16")), outcome.err);
    QVERIFY2(
        notes_say(outcome, "train() and eval() make no difference to this model although it has batch_norm, dropout"),
        outcome.err);
    const auto steps = box.table({"export", "steps", "reference"});
    QVERIFY(steps.front()["weight_change"] != "0");
  }

  void a_frozen_model_is_refused_with_the_reason_and_can_be_evaluated() {
    const CliSandbox box;
    const Outcome refused = run(box, concrete(), "mlp_concrete.frozen.pt", trial("bf16", "bfloat16"));
    QCOMPARE(refused.exit, 3);
    for (const char* const part : {"mlp_concrete.frozen.pt", "no parameters", "keeps its weights as constants",
                                   "before freezing", "training.steps = 0"}) {
      QVERIFY2(refused.err.contains(part), refused.err);
    }
    const Outcome evaluated = run(box, concrete(), "mlp_concrete.frozen.pt", trial("bf16", "bfloat16"), {}, 0);
    QVERIFY2(trained(find_trial(evaluated, "bf16"), 0), evaluated.err);
    QCOMPARE(box.table({"export", "cases", "bf16"}).size(), std::size_t{4});
  }

  void a_face_detector_needs_its_prediction_named_and_trains_without_its_other_output_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::newRow("script") << QByteArray("real_mtcnn_RNet.script.pt");
    QTest::newRow("trace") << QByteArray("real_mtcnn_RNet.trace.pt");
  }
  void a_face_detector_needs_its_prediction_named_and_trains_without_its_other_output() {
    QFETCH(QByteArray, file);
    const CliSandbox box;
    const Outcome unnamed = run(box, faces(), file, trial("bf16", "bfloat16"));
    QCOMPARE(unnamed.exit, 3);
    for (const char* const part : {"model.prediction", "several outputs", "output[0]", "output[1]"}) {
      QVERIFY2(unnamed.err.contains(part), unnamed.err);
    }
    const Outcome outcome = run(box, faces(), file, trial("bf16", "bfloat16"), "prediction = \"output[0]\"");
    const nlohmann::json trial = find_trial(outcome, "bf16");
    QVERIFY2(trained(trial), outcome.err);
    const nlohmann::json idle = {
        "No gradient reached these parameters in the first step: dense5_1.weight, dense5_1.bias."};
    QCOMPARE(trial["notes"].dump(), idle.dump());
    QCOMPARE(box.weights("bf16").size(), std::size_t{16});
    QVERIFY(box.weights("bf16").at("dense5_1.weight") == box.weights("bf16", "initial").at("dense5_1.weight"));
    QVERIFY(box.weights("bf16").at("dense5_2.weight") != box.weights("bf16", "initial").at("dense5_2.weight"));
    // The other output with two columns of targets leaves the other two parameters alone.
    QByteArray two_targets = faces();
    two_targets.replace("outputs = 4", "outputs = 2");
    const Outcome other = run(box, two_targets, file, {}, "prediction = \"output[1]\"");
    QVERIFY2(other.json()["reference"]["notes"].dump().find("dense5_2.weight, dense5_2.bias.") != std::string::npos,
             other.err);
  }

  void a_voice_detector_takes_two_inputs_and_is_reset_before_every_batch() {
    const CliSandbox box;
    const QByteArray file = "silero_vad.jit";
    const QByteArray bf16 = trial("bf16", "bfloat16");
    const Outcome unnamed = run(box, sound(), file, bf16);
    QCOMPARE(unnamed.exit, 3);
    QVERIFY2(unnamed.err.contains("forward takes several inputs: x (Tensor), sr (int)"), unnamed.err);
    QVERIFY2(unnamed.err.contains("inputs = [\"x\", 16000]"), unnamed.err);
    const Outcome wrong_rate = run(box, sound(), file, bf16, "inputs = [\"x\", 44100]");
    QCOMPARE(wrong_rate.exit, 3);
    QVERIFY2(wrong_rate.err.contains("Supported sampling rates: [8000, 16000]"), wrong_rate.err);

    const Outcome outcome = run(box, sound(), file, bf16, "inputs = [\"x\", 16000]");
    QVERIFY2(trained(find_trial(outcome, "bf16")), outcome.err);
    QVERIFY2(notes_say(outcome, "The model has a method reset_states(): it is called before every batch."),
             outcome.err);
    // The half for 16 kHz trains, that for 8 kHz is not used, and the encoder is frozen in the file.
    const auto before = box.weights("bf16", "initial");
    const auto after = box.weights("bf16");
    QVERIFY(after.at("_model.decoder.rnn.weight_ih") != before.at("_model.decoder.rnn.weight_ih"));
    QVERIFY(after.at("_model_8k.decoder.rnn.weight_ih") == before.at("_model_8k.decoder.rnn.weight_ih"));
    QVERIFY(after.at("_model.encoder.0.reparam_conv.weight") == before.at("_model.encoder.0.reparam_conv.weight"));
  }
};

QTEST_GUILESS_MAIN(CliRealModelsTests)
#include "cli_real_models_tests.moc"
