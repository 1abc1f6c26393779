# SPDX-License-Identifier: MIT
"""A table that is shown again every few seconds while events come in."""
import sys
import time

CLEAR = "\x1b[H\x1b[2J"


class Top:
	"""@show prints the table and forgets its counts. Each table replaces the one before on the screen."""

	def __init__(self, seconds, show):
		self.seconds = seconds
		self.show = show
		self.next = time.monotonic() + seconds

	def _print(self):
		sys.stdout.write(CLEAR)
		self.show()
		sys.stdout.flush()

	def check(self):
		"""For each event: a new table, if it is time."""
		now = time.monotonic()
		if now >= self.next:
			self._print()
			self.next = now + self.seconds

	def end(self):
		self._print()
