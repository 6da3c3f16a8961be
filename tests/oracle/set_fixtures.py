# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the sets that are not tables, each with the built-in models made for it, for make_fixtures.py.

Few steps of tiny sizes on the whole training part: what is compared is how a set is read, cut into rows and shuffled, and
every bit that the model makes of it. LSTMs under autocast run in no type under the fixed instruction set: live_settings.py
has them in BF16.
"""

PICTURES = '[data]\nsource = "fashion"\n'
SEQUENCES = '[data]\nsource = "japanese_vowels"\n'
FEW_CASES = '\n\n[cases]\nholdout = 8'


def text(context, extra=""):
    return f'[data]\nsource = "shakespeare8"\ncontext = {context}\n{extra}'


def experiments(experiment, optimizer, schedule, scaler, FP16, BF16):
    """The helpers are make_fixtures.py's own."""
    scaled = 'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=2.0**127, growth_interval=4)
    few = scaler(init_scale=2.0**20, growth_interval=3)

    def transformer(attention, extra="", width=16):
        return f'kind = "transformer"\nwidth = {width}\nlayers = 2\nheads = 2\nattention = "{attention}"\n{extra}'

    return {
        "shakespeare-own-attention": experiment(
            "A causal transformer whose attention is written out, with dropout everywhere; FP16 tiny.",
            text(24), transformer("own", "dropout = 0.1"),
            "seed = 41\nsteps = 12\nbatch = 6\nclip_norm = 1.0" + optimizer(kind="adamw", lr=0.003) + FEW_CASES,
            BF16, FP16 + few),
        "shakespeare-sdpa": experiment(
            "A causal transformer through scaled_dot_product_attention, warm-up and a linear fall; FP16 tiny.",
            text(24), transformer("sdpa"),
            "seed = 42\nsteps = 12\nbatch = 6" + optimizer(kind="adamw", lr=0.003, weight_decay=0.1) +
            schedule(kind="linear", warmup=3) + FEW_CASES, BF16, FP16 + few),
        "shakespeare-sdpa-dropout": experiment(
            "Dropout inside scaled_dot_product_attention, accumulation, a context that no width divides.",
            text(33), transformer("sdpa", "dropout = 0.2", width=12),
            "seed = 43\nsteps = 10\nbatch = 3\naccumulate = 2" + optimizer(kind="sgd", lr=0.2, momentum=0.9) + FEW_CASES,
            BF16),
        "shakespeare-recomputed": experiment(
            "Blocks that backward computes again, on both sides, with dropout everywhere and accumulation; FP16 tiny.",
            text(16), transformer("own", "dropout = 0.2", width=8),
            'seed = 48\nsteps = 8\nbatch = 3\naccumulate = 2\nclip_norm = 1.0\nactivation_checkpointing = "blocks"' +
            optimizer(kind="adamw", lr=0.003) + FEW_CASES, BF16, FP16 + few),
        "shakespeare-cuda-casts": experiment(
            "A transformer under CUDA's operator lists, and one whose softmax is kept in FP32.",
            text(16), transformer("own", width=8),
            "seed = 44\nsteps = 8\nbatch = 4" + optimizer(kind="adam", lr=0.003) + FEW_CASES,
            BF16 + '\ncast_policy = "cuda"', 'name = "fp16-cuda"\nautocast = "float16"\ncast_policy = "cuda"' + few,
            'name = "bf16-softmax"\nautocast = "bfloat16"\nfloat32_regions = ["operator:softmax"]'),
        "shakespeare-lstm": experiment(
            "An LSTM over embedded characters, one output a position.",
            text(12), 'kind = "lstm"\ncells = 8\nlayers = 2\ndropout = 0.1',
            "seed = 45\nsteps = 12\nbatch = 5\nclip_norm = 0.5" + optimizer(kind="adamw", lr=0.01) + FEW_CASES, scaled),
        "fashion-cnn": experiment(
            "Pictures of clothes and a small CNN with dropout; FP16 tiny.",
            PICTURES, 'kind = "cnn"\nchannels = [2, 3]\ndropout = 0.2',
            "seed = 46\nsteps = 10\nbatch = 6" + optimizer(kind="adamw", lr=0.01) + FEW_CASES, BF16, FP16 + few),
        "fashion-resnet": experiment(
            "Pictures of clothes and a narrow ResNet-20, a cosine with warm-up.",
            PICTURES, 'kind = "resnet"\nwidth = 4',
            "seed = 47\nsteps = 6\nbatch = 8" + optimizer(kind="sgd", lr=0.1, momentum=0.9, weight_decay=0.0001) +
            schedule(kind="cosine", warmup=2) + FEW_CASES, BF16),
        "vowels-lstm": experiment(
            "Sequences of nine speakers and an LSTM of one direction, clipped.",
            SEQUENCES, 'kind = "lstm"\ncells = 8',
            "seed = 48\nsteps = 20\nbatch = 16\nclip_norm = 1.0" + optimizer(kind="adamw", lr=0.01) + FEW_CASES, scaled),
        "vowels-lstm-bidirectional": experiment(
            "Two layers in both directions with dropout between them, accumulation.",
            SEQUENCES, 'kind = "lstm"\ncells = 6\nlayers = 2\nbidirectional = true\ndropout = 0.2',
            "seed = 49\nsteps = 16\nbatch = 9\naccumulate = 2" + optimizer(kind="sgd", lr=0.3, momentum=0.9) + FEW_CASES,
            scaled),
    }
