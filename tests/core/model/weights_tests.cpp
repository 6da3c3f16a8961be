// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include <ATen/ATen.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/model/network.h"
#include "core/model/pickle_reader.h"
#include "core/model/safetensors_reader.h"
#include "core/model/weights.h"

using namespace mantissa;

namespace {

const std::string kTests = std::string(MANTISSA_SOURCE_DIR) + "/tests/";
const std::string kWeights = kTests + "core/model/weights/";  // made by make_weights.py
const std::string kCase48 = kTests + "cases/48/";

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().flatten().contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// nn.Linear(2, 1) with other weights than the files'.
std::unique_ptr<model::Network> linear_network() {
  spec::Model settings;
  settings.kind = spec::ModelKind::Linear;
  return model::build(settings, 2, 1, 7);
}

/// The facts of the refusal; an empty problem where nothing was refused.
template <class Call>
ErrorFacts refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

}  // namespace

class WeightsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void files_of_torch_save_and_safetensors_give_equal_bits_data() {
    QTest::addColumn<QString>("file");
    for (const char* const file :
         {"linear.pt", "linear_protocol4.pt", "parameters.pt", "one_storage.pt", "linear.safetensors"}) {
      QTest::newRow(file) << file;
    }
  }

  void files_of_torch_save_and_safetensors_give_equal_bits() {
    QFETCH(QString, file);
    const auto network = linear_network();
    const auto notes = model::load_weights(*network, kWeights + file.toStdString());
    QVERIFY(notes.empty());
    QCOMPARE(values_of(network->parameters()[0].tensor), (std::vector<float>{0.1F, -2.5F}));
    QCOMPARE(values_of(network->parameters()[1].tensor), std::vector<float>{3.0F});
    QVERIFY(network->parameters()[0].tensor.requires_grad());
  }

  void fp16_weights_are_widened_with_a_note() {
    const auto network = linear_network();
    const auto notes = model::load_weights(*network, kWeights + "linear_fp16.pt");
    QCOMPARE(notes, std::vector<std::string>{"2 tensors of the initial weights were widened from Half to Float."});
    QCOMPARE(values_of(network->parameters()[0].tensor), (std::vector<float>{0.0999755859375F, -2.5F}));  // FP16 of 0.1
  }

  void weights_that_would_be_rounded_are_refused() {
    const auto network = linear_network();
    const std::vector<float> before = values_of(network->parameters()[0].tensor);
    const ErrorFacts facts = refusal([&] { model::load_weights(*network, kWeights + "linear_fp64.pt"); });
    QVERIFY(facts.found.find("weight Double instead of Float") != std::string::npos);
    QCOMPARE(values_of(network->parameters()[0].tensor), before);
  }

  void missing_unexpected_and_misshapen_names_are_listed_and_nothing_changes() {
    const auto network = linear_network();
    const std::vector<float> before = values_of(network->parameters()[0].tensor);
    const ErrorFacts facts = refusal([&] { model::load_weights(*network, kWeights + "names.pt"); });
    QCOMPARE(facts.subject, std::string("model.weights"));
    QCOMPARE(facts.found,
             std::string("1 missing: bias; 1 unexpected: wieght; 1 of another shape: weight [2, 1] instead of [1, 2]"));
    QCOMPARE(values_of(network->parameters()[0].tensor), before);
  }

  void a_name_that_shares_its_tensor_with_a_stored_one_is_not_missing() {
    spec::Model settings;
    settings.kind = spec::ModelKind::TorchScript;
    settings.path = kTests + "core/model/models/tied.pt";
    const auto network = model::build(settings, 1, 1, 1);
    QTemporaryDir folder;
    const std::string path = folder.filePath("tied.safetensors").toStdString();
    const std::string header = R"({"a.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}})";
    const float value = 5.0F;
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t length = header.size();
    file.write(reinterpret_cast<const char*>(&length), 8).write(header.data(), static_cast<std::streamsize>(length));
    file.write(reinterpret_cast<const char*>(&value), 4);
    file.close();
    model::load_weights(*network, path);
    QCOMPARE(values_of(network->state()[1].tensor), std::vector<float>{5.0F});  // b.weight, the same tensor
  }

  void what_a_state_dict_is_not_is_refused_by_name_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    QTest::newRow("checkpoint") << "checkpoint.pt"
                                << "epoch, state_dict";
    QTest::newRow("old format") << "old_format.pt"
                                << "old format";
    QTest::newRow("whole module") << "whole_module.pt"
                                  << "torch.nn.modules.linear.Linear";
    QTest::newRow("list") << "list.pt"
                          << "no dictionary";
    QTest::newRow("code") << "runs_code.pt"
                          << "__builtin__.exec";
    QTest::newRow("TorchScript") << "torchscript.pt"
                                 << "TorchScript model";
  }

  void what_a_state_dict_is_not_is_refused_by_name() {
    QFETCH(QString, file);
    QFETCH(QString, says);
    const ErrorFacts facts = refusal([&] { model::read_weights(kWeights + file.toStdString()); });
    QVERIFY(!facts.problem.empty());
    QVERIFY2(QString::fromStdString(sentence(facts)).contains(says), sentence(facts).c_str());
  }

  // tests/cases/48: 13 files that the official reader refuses, with the cause; expected.txt names them.
  void bad_safetensors_headers_are_refused_with_their_cause_data() {
    QTest::addColumn<QString>("says");
    const std::pair<const char*, const char*> causes[] = {{"dup_keys", "duplicate key"},
                                                          {"header_past_end", "header length"},
                                                          {"header_too_large", "header length"},
                                                          {"hole", "hole"},
                                                          {"is_a_pt", "zip archive"},
                                                          {"not_json", "not JSON"},
                                                          {"overlap", "overlap"},
                                                          {"past_end", "past the end"},
                                                          {"reversed", "reversed"},
                                                          {"size_mismatch", "does not fit the shape"},
                                                          {"three_bytes", "too short"},
                                                          {"trailing", "trailing"},
                                                          {"wrap_shape", "does not fit the shape"}};
    for (const auto& [file, says] : causes) QTest::newRow(file) << says;
  }

  void bad_safetensors_headers_are_refused_with_their_cause() {
    QFETCH(QString, says);
    const std::string path = kCase48 + QTest::currentDataTag() + ".safetensors";
    const ErrorFacts facts = refusal([&] { model::read_weights(path); });
    QVERIFY2(QString::fromStdString(facts.problem).contains(says), facts.problem.c_str());
    QCOMPARE(facts.file, path);
  }

  void a_good_safetensors_file_may_be_in_any_order() {
    const auto tensors = model::read_safetensors(kCase48 + "good_unordered.safetensors");
    QCOMPARE(tensors.size(), std::size_t(2));
    for (const model::NamedTensor& tensor : tensors) {
      QCOMPARE(values_of(tensor.tensor), tensor.name == "x" ? (std::vector<float>{1, 2}) : std::vector<float>{3});
    }
  }

  void a_zip_that_announces_to_unpack_to_more_than_code_needs_is_refused_unread() {
    // One compressed entry of 2 bytes that says of itself to be 300 MiB: PKWARE's APPNOTE, 4.3.7, 4.3.12 and 4.3.16.
    const auto number = [](std::uint64_t value, int width) {
      std::string bytes;
      for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
      return bytes;
    };
    const std::string name = "m/data.pkl";
    const std::string sizes = number(0, 4) + number(2, 4) + number(std::uint64_t{300} << 20, 4);  // checksum, packed
    const std::string common =
        number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + sizes + number(name.size(), 2) + number(0, 2);
    const std::string local = number(0x04034b50, 4) + common + name + "\x03" + std::string(1, '\0');
    const std::string central = number(0x02014b50, 4) + number(20, 2) + common + number(0, 2) + number(0, 2) +
                                number(0, 2) + number(0, 4) + number(0, 4) + name;
    const std::string end = number(0x06054b50, 4) + number(0, 4) + number(1, 2) + number(1, 2) +
                            number(central.size(), 4) + number(local.size(), 4) + number(0, 2);
    QTemporaryDir folder;
    const std::string path = folder.filePath("bomb.pt").toStdString();
    std::ofstream(path, std::ios::binary) << local << central << end;
    const ErrorFacts facts = refusal([&] { model::read_weights(path); });
    QCOMPARE(facts.problem, std::string("has compressed entries that unpack to more than 256 MiB"));
    QCOMPARE(facts.file, path);
  }

  // A damaged byte is found by a checksum or by a check, or it lies where nothing depends on it (a time stamp, an
  // alignment); a short file is always refused. Neither may crash or give other tensors.
  void damaged_and_truncated_files_are_refused_or_read_right_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("linear.pt") << "linear.pt";
    QTest::newRow("linear.safetensors") << "linear.safetensors";
  }

  void damaged_and_truncated_files_are_refused_or_read_right() {
    QFETCH(QString, file);
    const std::string whole = bytes_of(kWeights + file.toStdString());
    const bool checked = file.endsWith(".pt");  // safetensors has no checksum over its data
    QTemporaryDir folder;
    const std::string path = folder.filePath(file).toStdString();
    const auto reads = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      std::vector<std::vector<float>> values;
      try {
        for (const model::NamedTensor& tensor : model::read_weights(path)) {
          if (tensor.tensor.scalar_type() == at::kFloat) values.push_back(values_of(tensor.tensor));
        }
      } catch (const Error&) {
        values.clear();
      }
      return values;
    };
    const auto sound = reads(whole);
    QCOMPARE(sound.size(), std::size_t(2));
    for (std::size_t length = 0; length < whole.size(); length += 3) QVERIFY(reads(whole.substr(0, length)).empty());
    for (std::size_t i = 0; i < whole.size(); i += 3) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      const auto found = reads(damaged);
      if (checked && !found.empty()) QCOMPARE(found, sound);
    }
  }
};

QTEST_GUILESS_MAIN(WeightsTests)
#include "weights_tests.moc"
