# SPDX-License-Identifier: Apache-2.0
"""The fixtures of TorchScript models for make_fixtures.py. Their files stand beside the unit tests of the models."""

MODELS = "../../../core/model/models/"


def data(features, outputs, extra=""):
    return f'[data]\nsource = "gaussian"\nrows = 96\nstandardize = false\ntask = "regression"\nfeatures = {features}\noutputs = {outputs}\nseed = 5\n{extra}'


def model(file, extra=""):
    return f'kind = "torchscript"\npath = "{MODELS}{file}"\n{extra}'


def experiments(experiment, optimizer, scaler, FP16, BF16):
    """The helpers are make_fixtures.py's own."""
    scaled = 'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=1024.0, growth_interval=3)
    sgd = optimizer(kind="sgd", lr=0.05, momentum=0.9)
    return {
        "torchscript-two-inputs": experiment(
            "Two columns and a constant as the arguments of a scripted model.",
            data(2, 1), model("two_inputs.pt", 'inputs = ["x1", "x2", 3]'),
            'seed = 3\nsteps = 25\nbatch = 16\nloss = "mse"' + sgd, BF16, FP16),
        "torchscript-own-loss": experiment(
            "A model that takes the targets and returns its loss beside the prediction.",
            data(2, 1), model("own_loss.pt", 'inputs = ["x", "targets"]\nprediction = "output[1]"'),
            'seed = 3\nsteps = 25\nbatch = 16\naccumulate = 2\nloss = "output"' + sgd, BF16, FP16),
        "torchscript-nested": experiment(
            "The prediction is a value of a dictionary in a tuple.",
            data(1, 1), model("nested.pt", "prediction = 'output[1][\"box scores\"]'"),
            'seed = 3\nsteps = 25\nbatch = 16\nloss = "huber"' + optimizer(kind="adamw", lr=0.01), BF16),
        "torchscript-stored-bf16": experiment(
            "Weights, gradients and optimizer state in BF16, clipped by a norm in BF16.",
            data(4, 2), model("mlp_bf16.pt", 'stored_dtype = "keep"'),
            'seed = 3\nsteps = 40\nbatch = 16\nloss = "mse"\nclip_norm = 0.5' +
            optimizer(kind="adamw", lr=0.01), BF16),
        "torchscript-widened": experiment(
            "The same file widened to FP32.",
            data(4, 2), model("mlp_bf16.pt"),
            'seed = 3\nsteps = 40\nbatch = 16\nloss = "mse"\nclip_norm = 0.5' +
            optimizer(kind="adamw", lr=0.01), BF16),
        "torchscript-sparse": experiment(
            "An embedding with sparse gradients, some indices several times a batch, through the scaler.",
            data(3, 1), model("embedding_sparse.pt"),
            'seed = 3\nsteps = 25\nbatch = 16\nloss = "mse"' + optimizer(kind="sgd", lr=0.05), BF16, scaled),
        "torchscript-cnn-trace": experiment(
            "A traced CNN against its script: every kind of traced convolution, with batch norm.",
            data(36, 3, "shape = [1, 6, 6]\n"), model("cnn_trace.pt"),
            'seed = 3\nsteps = 20\nbatch = 16\nloss = "mse"' + sgd, BF16),
        "torchscript-lstm": experiment(
            "A scripted bidirectional LSTM of two layers, in FP32: LSTMs in BF16 need AVX-512, in FP16 more.",
            data(12, 2, "shape = [4, 3]\n"), model("lstm.pt"),
            'seed = 3\nsteps = 20\nbatch = 16\nloss = "mse"' + optimizer(kind="adamw", lr=0.01), scaled),
    }
