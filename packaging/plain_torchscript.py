# SPDX-License-Identifier: Apache-2.0
"""Removes from TorchScript files in place where their source lay on the disk of whoever made them.

    python packaging/plain_torchscript.py MODEL.pt …
"""
import io
import sys
import zipfile

import torch


def remove_paths(path):
    without = io.BytesIO()
    with zipfile.ZipFile(path) as made, zipfile.ZipFile(without, "w") as kept:
        for entry in made.infolist():
            if not entry.filename.endswith(".debug_pkl"):
                kept.writestr(entry, made.read(entry))
    without.seek(0)
    torch.jit.load(without).save(str(path))


if __name__ == "__main__":
    for path in sys.argv[1:]:
        remove_paths(path)
