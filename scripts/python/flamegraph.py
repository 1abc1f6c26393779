# SPDX-License-Identifier: MIT
# description: a flame graph as one HTML page, or with -o FILE.svg as a picture
# args: [-o file] [--title text]
# record: -g
# picture: pfx itself writes the flame graph, as 'pfx flamegraph' does; there is no program here
