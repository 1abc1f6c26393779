# SPDX-License-Identifier: MIT
# The text of `perf script` as folded stacks: what scripts do with it that make flame graphs.
/^$/ {
	if (comm != "") {
		line = comm
		for (i = nr; i; i--)
			line = line ";" frame[i]
		count[line]++
	}
	comm = ""
	nr = 0
	next
}
/^[^ \t#]/ { comm = $1; next }
/^[ \t]+[0-9a-f]+ / { sub(/\+0x.*/, "", $2); frame[++nr] = $2 }
END { for (line in count) print line, count[line] }
