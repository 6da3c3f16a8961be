#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a command printed as an SVG picture, for the README.

    build/release/bin/mantissa-cli run experiments/digits-mlp.toml 2>/dev/null |
        python3 packaging/terminal_picture.py 'mantissa-cli run experiments/digits-mlp.toml' > resources/pictures/digits-mlp.svg
"""

import re
import sys
from xml.sax.saxutils import escape

CHARACTER, LINE, MARGIN = 7.8, 19, 20
COLOURS = {"✓": "#1a7f37", "✕": "#b42318", "?": "#9a6700"}


def runs(line):
    """The pieces of a line between wide gaps, each with its column, so that tables align in any font."""
    return [(found.start(), found.group()) for found in re.finditer(r"\S+(?: \S+)*", line)]


def main():
    command = sys.argv[1]
    lines = ["$ " + command] + sys.stdin.read().rstrip("\n").split("\n")
    width = round(max(map(len, lines)) * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#1f2328">'
    )
    print(f"<title>{escape('What ' + command + ' prints')}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#f6f8fa" stroke="#d0d7de"/>')
    for row, line in enumerate(lines):
        for column, text in runs(line):
            colour = next((f' fill="{colour}"' for sign, colour in COLOURS.items() if sign + " " in text), "")
            weight = ' font-weight="bold"' if row == 0 else ""
            x = round(MARGIN + column * CHARACTER, 1)
            length = round(len(text) * CHARACTER, 1)
            print(
                f'<text x="{x}" y="{MARGIN + row * LINE + 13}" textLength="{length}" lengthAdjust="spacingAndGlyphs"'
                f"{colour}{weight}>{escape(text)}</text>"
            )
    print("</svg>")


main()
