# SPDX-License-Identifier: MIT
# description: the recording as a profile for Firefox Profiler
# args: [--save-only file] [--user-color colour] [--kernel-color colour]
# record: -F 99 -g
import argparse
import json
import os
import sys
import tempfile

from exporting import export
from output import write_file

COLOURS = ("blue", "brown", "green", "grey", "lightblue", "magenta", "orange", "purple", "red", "transparent",
	"yellow")

parser = argparse.ArgumentParser(prog="gecko", description="A profile for Firefox Profiler.")
parser.add_argument("--save-only", metavar="FILE", nargs="?", const="gecko_profile.json",
	default="gecko_profile.json", help="the file, - is standard output (default: gecko_profile.json)")
parser.add_argument("--user-color", choices=COLOURS, help="of user space")
parser.add_argument("--kernel-color", choices=COLOURS, help="of the kernel")
options = parser.parse_args()


def export_coloured(colours):
	"""The profile with other colours of categories."""
	with tempfile.TemporaryDirectory() as folder:
		path = os.path.join(folder, "profile")
		export("firefox", "-q", "-o", path)
		with open(path, encoding="utf-8") as file:
			profile = json.load(file)
	for category in profile["meta"]["categories"]:
		category["color"] = colours.get(category["name"]) or category["color"]
	text = json.dumps(profile, separators=(",", ":"))
	if options.save_only == "-":
		print(text)
	else:
		write_file(options.save_only, text)


if options.user_color or options.kernel_color:
	export_coloured({"User": options.user_color, "Kernel": options.kernel_color})
else:
	export("firefox", "-q", "-o", options.save_only)
if options.save_only != "-":
	print("profile in %s: open it with 'Load a profile from file' of https://profiler.firefox.com" % options.save_only)
sys.exit(0)
