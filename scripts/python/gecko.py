# SPDX-License-Identifier: MIT
# description: the recording as a profile for Firefox Profiler
# args: [--save-only file] [--user-color colour] [--kernel-color colour]
# record: -F 99 -g
import argparse
import sys

from exporting import export

COLOURS = ("blue", "brown", "green", "grey", "lightblue", "magenta", "orange", "purple", "red", "transparent",
	"yellow")

parser = argparse.ArgumentParser(prog="gecko", description="A profile for Firefox Profiler.")
parser.add_argument("--save-only", metavar="FILE", nargs="?", const="gecko_profile.json",
	default="gecko_profile.json", help="the file, - is standard output (default: gecko_profile.json)")
parser.add_argument("--user-color", choices=COLOURS, default="yellow", help="of user space")
parser.add_argument("--kernel-color", choices=COLOURS, default="orange", help="of the kernel")
options = parser.parse_args()
export("firefox", "-q", "-o", options.save_only)
if options.save_only != "-":
	print("profile in %s: open it with 'Load a profile from file' of https://profiler.firefox.com" % options.save_only)
sys.exit(0)
