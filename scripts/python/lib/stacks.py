# SPDX-License-Identifier: MIT
# Call chains as rows of names, for scripts that count them.


def frame_name(frame):
	"""The function's name, else the binary's in brackets."""
	if "sym" in frame:
		return frame["sym"]["name"]
	dso = frame.get("dso")
	return "[%s]" % dso.rsplit("/", 1)[-1].strip("[]") if dso else "[unknown]"


def is_kernel(frame):
	return frame["ip"] >> 63 == 1


def rows_of(sample):
	"""The frames of a sample, the outermost first; without a chain, the place of the sample."""
	chain = sample["callchain"]
	if chain:
		return list(reversed(chain))
	frame = {"ip": sample["sample"]["ip"]}
	if "dso" in sample:
		frame["dso"] = sample["dso"]
	if "symbol" in sample:
		frame["sym"] = {"name": sample["symbol"]}
	return [frame]
