# SPDX-License-Identifier: Apache-2.0
"""Data that is not one table of numbers, read as people read it in Python: IDX images, sequences, texts.

Nothing is shared with Mantissa's own readers.
"""

import csv
import gzip

import torch

DEFAULT_CONTEXT = 128


def opened(path, mode):
    return gzip.open(path, mode) if str(path).endswith(".gz") else open(path, mode)


def idx(path):
    """The bytes of an IDX file of type uint8, in its shape."""
    with opened(path, "rb") as file:
        content = file.read()
    dimensions = content[3]
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(dimensions)]
    return torch.frombuffer(bytearray(content[4 + 4 * dimensions:]), dtype=torch.uint8).view(shape)


def fashion(folder):
    """Images as torchvision's ToTensor makes them: FP32 shares of full white, [rows, 1, 28, 28]."""
    images = idx(folder / "fashion-train5k-images-idx3-ubyte.gz").float().div(255).unsqueeze(1)
    return images, idx(folder / "fashion-train5k-labels-idx1-ubyte.gz").long(), 10


def japanese_vowels(folder):
    """Sequences [rows, 25, 12] as they stand in the file; speakers 1 to 9 as 0 to 8."""
    with gzip.open(folder / "japanese_vowels_train.csv.gz", "rt", newline="") as file:
        rows = list(csv.reader(file))[1:]
    x = torch.tensor([[float(cell) for cell in row[1:]] for row in rows], dtype=torch.float64).float()
    return x.view(-1, 25, 12), torch.tensor([int(row[0]) - 1 for row in rows]), 9


def text(path, spec):
    """Windows of a text, [rows, context], and the same shifted by one; the last fraction of the text is the test part."""
    with opened(path, "rb") as file:
        characters = file.read().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    vocabulary = sorted(set(characters))
    index = {character: i for i, character in enumerate(vocabulary)}
    ids = torch.tensor([index[character] for character in characters])
    test = spec.get("test", {})
    if "path" not in test:
        ids = ids[:len(ids) - round(test.get("fraction", 0.2) * len(ids))]
    context = spec.get("context", DEFAULT_CONTEXT)
    rows = (len(ids) - 1) // context
    windows = ids[:rows * context].view(rows, context)
    return windows, ids[1:rows * context + 1].view(rows, context), spec.get("classes", len(vocabulary))


def is_text(spec):
    if "task" in spec:
        return spec["task"] == "language-model"
    return spec.get("source") == "shakespeare8" or str(spec.get("path", "")).removesuffix(".gz").endswith(".txt")


def load(spec, folder, data_folder):
    """Inputs, targets and the number of classes of the training part; nothing for a table of numbers."""
    source = spec.get("source")
    if is_text(spec):
        return text(data_folder / "shakespeare8.txt.gz" if source else folder / spec["path"], spec)
    if source == "fashion":
        return fashion(data_folder)
    if source == "japanese_vowels":
        return japanese_vowels(data_folder)
    return None
