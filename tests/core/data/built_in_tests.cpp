// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QTest>

#include <ATen/ATen.h>

#include "core/base/sha256.h"
#include "core/data/built_in.h"
#include "core/data/dataset.h"
#include "core/data/resources.h"
#include "data_test_files.h"

using namespace mantissa;
using namespace mantissa::data;

// Expected hashes: SHA-256 of the bytes of the FP32 (or int64) array that NumPy 2.4.6 and PyTorch 2.11.0 compute:
//   perm = torch.randperm(rows, generator=torch.Generator().manual_seed(7)); k = round(0.2 * rows)
//   test, train = perm[:k], perm[k:]
//   mean, std = x[train].mean(0), x[train].std(0); constant columns: std = 1
//   sha256(((x[part] - mean) / std).astype(numpy.float32).tobytes())

namespace {

spec::Experiment of_source(const char* name) {
  spec::Experiment experiment;
  experiment.data.source = name;
  return experiment;
}

std::string bytes_hash(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.contiguous();
  return sha256(std::string_view(static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()));
}

}  // namespace

class BuiltInTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void digits_equal_what_numpy_and_torch_make_of_them() {
    const Dataset set = load(of_source("digits"));
    QCOMPARE(set.train.rows(), 1438);
    QCOMPARE(set.test.rows(), 359);  // round(0.2 · 1797 = 359.4)
    QCOMPARE(set.classes, 10);
    QVERIFY(set.task == spec::Task::Classification);
    QCOMPARE(bytes_hash(set.train.inputs),
             std::string("8793390286b3d27c8039d130a3180b65edefad1c3e912eb5ad29880df5f8e26d"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("5ead1b624d05b8e4668ef86ac0911fabd2d4bb16bdd0c7757b6e43d2ca1e4e8a"));
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("31bf2b6184d14c2f93b862e713edcc0a67ac1b6af2497b0137451d7c42ae1d89"));
    QVERIFY(set.train.targets.scalar_type() == at::kLong);
    // perm[:5] = 1161, 533, 833, 1541, 270, counted from 0; the ids count from 1.
    QCOMPARE(set.test.ids[0], std::string("1162"));
    QCOMPARE(set.test.ids[4], std::string("271"));
    QCOMPARE(set.train.ids[0], std::string("418"));
  }

  void a_constant_column_becomes_zero() {
    // Three pixels of the training part are blank in every digit, pixel 0 is one of them.
    const at::Tensor pixel = load(of_source("digits")).train.inputs.select(1, 0);
    QVERIFY(pixel.eq(0).all().item<bool>());
  }

  void tabular_sets_equal_what_numpy_makes_of_them_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("test_rows");
    QTest::addColumn<QString>("hash");
    QTest::newRow("wine") << "wine" << qint64{36} << "b0620c1340fd4888aa2c5aa8224342fe439c5e71368b259fa4ae79ebf0926978";
    QTest::newRow("breast_cancer") << "breast_cancer" << qint64{114}
                                   << "7b72f70a77b6245c83aa00fcb39f8ced99e58c0a73bcda92637aa8fd6ca520ba";
    QTest::newRow("diabetes") << "diabetes" << qint64{88}
                              << "831935dbdf32acf913e6af1ce44e7451fe8e16a5ddd68d835a3e9ccfb8275896";
    QTest::newRow("ames") << "ames" << qint64{586}
                          << "6551ec73699b3ae28b55769cb0cfa8bb3981ae724b0ac81460641ffcbf6f15ff";
  }
  void tabular_sets_equal_what_numpy_makes_of_them() {
    QFETCH(QString, name);
    QFETCH(qint64, test_rows);
    QFETCH(QString, hash);
    const Dataset set = load(of_source(qPrintable(name)));
    QCOMPARE(set.test.rows(), test_rows);
    QCOMPARE(bytes_hash(set.train.inputs), hash.toStdString());
  }

  void ames_predicts_the_log10_price_from_numeric_columns() {
    const Dataset set = load(of_source("ames"));
    QCOMPARE(set.input_names.size(), std::size_t{33});
    QCOMPARE(set.target_names, std::vector<std::string>{"Sale_Price"});
    QVERIFY(set.target_log10);
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("92e63ecef7ec406ac3184ee8bd71ec9198d4dbe46590527db5bfe1f3c1cf50a9"));
    QCOMPARE(bytes_hash(set.test.targets),
             std::string("28ad84ad8de1166699c11968a5867ef6aa1823e93a55334f0149d8405600a36c"));
    QCOMPARE(set.notes.size(), std::size_t{1});
    QVERIFY(set.notes[0].find("Neighborhood") != std::string::npos);
    QVERIFY(set.notes[0].rfind("40 columns", 0) == 0);
  }

  void raw_ames_keeps_lot_areas_beyond_fp16() {
    spec::Experiment experiment = of_source("ames");
    experiment.data.standardize = false;
    experiment.data.test = test_share(0.0, 7);
    const Dataset set = load(experiment);
    QCOMPARE(set.train.inputs.select(1, 1).max().item<float>(), 215245.0F);  // Lot_Area, the source's README
  }

  void targets_of_a_regression_can_be_standardised() {
    // concrete, test = { fraction = 0.25, seed = 11 }: mean 35.946683937823835, std 16.847133022454305 (NumPy).
    spec::Experiment experiment = of_source("concrete");
    experiment.data.target_transform = spec::TargetTransform::Standardize;
    experiment.data.test = test_share(0.25, 11);
    const Dataset set = load(experiment);
    QCOMPARE(set.test.rows(), 258);  // 257.5 rounds to the even 258
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("6da9fb97fcd665fb094bdfbdb1eed283de23da449248b4e5e65f95e70f10f34d"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("2d1d7bd5d694b230366f4b12f8f9e28663259358b7eff1e760713f2f4360fb69"));
    QVERIFY(std::abs(set.target_offset[0] - 35.946683937823835) < 1e-12);
    QVERIFY(std::abs(set.target_scale[0] - 16.847133022454305) < 1e-12);
  }

  void gaussian_equals_python_bit_for_bit() {
    // g = torch.Generator().manual_seed(3); x = torch.randn(512, 16, generator=g); y = torch.randn(512, 1, generator=g)
    const Dataset set = load(of_source("gaussian"));
    QVERIFY(set.task == spec::Task::Regression);
    QCOMPARE(set.test.rows(), 102);
    QCOMPARE(bytes_hash(set.train.inputs),
             std::string("573f8edb10b60284eaefb0aff464c9b250a68e6a30c0c0ff6211908d4ce456a0"));
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("2699a414a08432039a408b5d1d461cb73cc524fcc98e2b5a3c6a5780f6417326"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("431f3b5c3eeb2a88d6a9240a9d04a352b1fac83e9c251bb554e2fe2b6b8d15bb"));
  }

  void a_small_gaussian_equals_python_too() {
    // Below 16 numbers PyTorch draws one by one: seed 5, torch.randn(3, 2) twice; the numbers as float.hex() prints
    // them.
    spec::Experiment experiment = of_source("gaussian");
    experiment.data.rows = 3;
    experiment.data.features = 2;
    experiment.data.outputs = 2;
    experiment.data.seed = 5;
    experiment.data.test = test_share(0.0, 7);
    const Dataset set = load(experiment);
    const float x[] = {-0x1.f276a8p-2F, -0x1.35281ap-1F, -0x1.1dbecap-1F,
                       0x1.55c5bep-1F,  -0x1.944e5ep-3F, 0x1.f15a42p+0F};
    const float y[] = {-0x1.66d5f2p+0F, -0x1.866de4p-1F, 0x1.432e68p-1F,
                       -0x1.cc5b72p-1F, -0x1.1d971ap-1F, 0x1.61a5e4p-1F};
    for (int i = 0; i < 6; ++i) {
      QCOMPARE(set.train.inputs.const_data_ptr<float>()[i], x[i]);
      QCOMPARE(set.train.targets.const_data_ptr<float>()[i], y[i]);
    }
  }

  void gaussian_has_no_classes() {
    spec::Experiment experiment = of_source("gaussian");
    experiment.training.loss = spec::Loss::CrossEntropy;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("training.loss"));
  }

  void gaussian_takes_no_settings_of_classes() {
    spec::Experiment experiment = of_source("gaussian");
    experiment.positions["data.classes"] = {4, 1};
    experiment.data.classes = 3;
    const ErrorFacts classes = facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); });
    QCOMPARE(classes.subject, std::string("data.classes"));
    QCOMPARE(classes.line, 4);
    QVERIFY(!classes.remedy.empty());
    experiment.data.classes.reset();
    experiment.data.labels = spec::Labels::Index;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.labels"));
    experiment.data.labels.reset();
    experiment.data.task = spec::Task::Classification;
    QCOMPARE(facts_of(ErrorKind::InvalidSetting, [&] { load(experiment); }).subject, std::string("data.task"));
  }

  // Of the three sets below NumPy 2.4.6 and PyTorch 2.11.0 made the hashes from the files, without any of our code.

  void fashion_is_what_torchvision_makes_of_its_pixels() {
    // torch.from_numpy(uint8 pixels).float().div(255).unsqueeze(1), labels as int64
    const Dataset set = load(of_source("fashion"));
    QCOMPARE(set.train.inputs.sizes().vec(), (std::vector<std::int64_t>{5000, 1, 28, 28}));
    QCOMPARE(set.test.inputs.sizes().vec(), (std::vector<std::int64_t>{1000, 1, 28, 28}));
    QCOMPARE(set.classes, 10);
    QCOMPARE(bytes_hash(set.train.inputs),
             std::string("48f2a9bca483d5b481cbeba8556f54ba51bf596f5a53af542accd8cd1c7d495c"));
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("7cdfc83ade375471612026ea824d242762134f6ac5599344697806a4410c050a"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("101b34d8580144d13d8a590c23b71a13727ebfb8698c6410aa08140b0b657da5"));
    QCOMPARE(bytes_hash(set.test.targets),
             std::string("204202495be82cb26f3ae3e23f4ea2c1cba8b64b0e03d04acaa36af68ffc0847"));
  }

  void japanese_vowels_are_sequences_with_speakers_from_0_on() {
    // numpy.float32 of the cells, reshape(-1, 25, 12); label - 1
    const Dataset set = load(of_source("japanese_vowels"));
    QCOMPARE(set.train.inputs.sizes().vec(), (std::vector<std::int64_t>{270, 25, 12}));
    QCOMPARE(set.test.inputs.sizes().vec(), (std::vector<std::int64_t>{370, 25, 12}));
    QCOMPARE(set.classes, 9);
    QCOMPARE(set.class_names.front(), std::string("1"));
    QCOMPARE(bytes_hash(set.train.inputs),
             std::string("0a4c2866c98ba554b284977c82c945b58ac63729afc69a03a5310bd47ada16d5"));
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("de4297734046ff849ee35369500473a0f42226723d3d62b1f81d5a0cedc32dc0"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("1f1676a91b4e3089ad14df09038128611e3a9809661cebc3a95b1eea5364bdf8"));
    QCOMPARE(bytes_hash(set.test.targets),
             std::string("cda6620c074d930757373994e5e359ad10cb151eef6158c1c37245e481c4cdf4"));
  }

  void shakespeare8_is_cut_into_windows_of_128_characters() {
    // v = sorted(set(text)); ids[:n - k] and ids[n - k:] with k = round(0.2 * n); part[:r * 128].view(r, 128) and
    // part[1:r * 128 + 1].view(r, 128) with r = (len(part) - 1) // 128
    const Dataset set = load(of_source("shakespeare8"));
    QVERIFY(set.task == spec::Task::LanguageModel);
    QCOMPARE(set.classes, 76);
    QCOMPARE(set.train.inputs.sizes().vec(), (std::vector<std::int64_t>{6475, 128}));
    QCOMPARE(set.test.inputs.sizes().vec(), (std::vector<std::int64_t>{1618, 128}));
    QCOMPARE(bytes_hash(set.train.inputs),
             std::string("65f64e1c36b8e0713099ae78aae0d28c667506fb695da85defd916df59bd6f9c"));
    QCOMPARE(bytes_hash(set.train.targets),
             std::string("5faf031b05efe9e934ac759b0e9595bca22f5e8bfc73d6185520ec1a3a63c64f"));
    QCOMPARE(bytes_hash(set.test.inputs),
             std::string("ac92296e0e199d7a77b991ea004b8a81ed2918a64da279379e8e257805a1f4a4"));
    QCOMPARE(bytes_hash(set.test.targets),
             std::string("3117ecb05d91a65fd1fd529c38c445db8ae55fba06a4f7467bb915d73bc08305"));
  }

  void a_test_part_of_the_experiment_replaces_that_of_the_set() {
    spec::Experiment experiment = of_source("japanese_vowels");
    experiment.data.test = spec::TestPart{};
    const Dataset set = load(experiment);
    QCOMPARE(set.test.rows(), 54);  // round(0.2 · 270)
    QCOMPARE(set.train.rows(), 216);
    QVERIFY(set.notes.back().find("is not used") != std::string::npos);
  }

  void how_pixels_are_scaled_stands_in_the_preprocessing_hash() {
    // The pixels as they stand in the same files, under the names and the shape that the set gives them.
    const std::string folder = resources_folder() + "/data/";
    spec::Experiment experiment;
    experiment.data.inputs = folder + "fashion-test1k-images-idx3-ubyte.gz";
    experiment.data.targets = folder + "fashion-test1k-labels-idx1-ubyte.gz";
    experiment.data.test = test_share(0.0, 7);
    experiment.data.shape = {1, 28, 28};
    const Dataset raw = load(experiment);
    QCOMPARE(raw.train.inputs.max().item<float>(), 255.0F);
    const Dataset set = load(of_source("fashion"));
    QVERIFY(set.train.inputs.max().item<float>() == 1.0F);
    QVERIFY(raw.preprocessing_sha256 != set.preprocessing_sha256);
  }

  void an_unknown_set_is_refused_with_the_known_ones() {
    const ErrorFacts facts = facts_of(ErrorKind::InvalidSetting, [] { load(of_source("digit")); });
    QVERIFY(facts.expected.find("digits") != std::string::npos);
  }

  void every_built_in_set_loads() {
    for (const auto& name : built_in_names()) QVERIFY2(load(of_source(name.c_str())).train.rows() > 0, name.c_str());
    QCOMPARE(built_in_names().size(), std::size_t{10});
  }

  void another_target_of_a_built_in_set_gets_no_transform() {
    spec::Experiment experiment = of_source("ames");
    experiment.data.columns.target = {"Latitude"};
    const Dataset set = load(experiment);
    QVERIFY(!set.target_log10);
    QVERIFY(set.task == spec::Task::Regression);  // 42.05… is no label
  }

  void a_wrong_resources_variable_is_named() {
    qputenv("MANTISSA_RESOURCES", "/nowhere");
    const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [] { load(of_source("wine")); });
    qunsetenv("MANTISSA_RESOURCES");
    QCOMPARE(facts.subject, std::string("MANTISSA_RESOURCES"));
    QCOMPARE(facts.found, std::string("'/nowhere'"));
  }
};

QTEST_GUILESS_MAIN(BuiltInTests)
#include "built_in_tests.moc"
