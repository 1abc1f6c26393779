#!/bin/bash
# SPDX-License-Identifier: MIT
# The guards of the tree find what they are for: each breach in a small tree is named, and the same
# tree without it passes.
set -eu
command -v git >/dev/null && command -v "${CC:-cc}" >/dev/null && command -v nm >/dev/null || {
	echo "SKIP: the guards need git, a compiler and nm"
	exit 77
}
tree=$PWD/tree
rm -rf "$tree"
mkdir -p "$tree/scripts" "$tree/lib/low/room" "$tree/lib/high" "$tree/arch" "$tree/cmd"
cp "$PFX_SOURCE_DIR"/scripts/check_{layers,names,shape} "$tree/scripts"
cd "$tree"
git init -q .

fail() {
	echo "FAIL: $*"
	exit 1
}

# Compile all files as CMake would place the objects.
build() {
	rm -rf build
	find lib -name '*.c' | while read -r source; do
		mkdir -p "build/dev/CMakeFiles/x.dir/$(dirname "$source")"
		"${CC:-cc}" -Ilib -c "$source" -o "build/dev/CMakeFiles/x.dir/$source.o"
	done
}

# finds GUARD SENTENCE: it fails, and says so.
finds() {
	! "scripts/$1" >out 2>&1 || fail "$1 passes; expected: $2"
	grep -qF -- "$2" out || fail "$1 does not say '$2': $(cat out)"
}

passes() {
	"scripts/$1" >out 2>&1 || fail "$1 fails: $(cat out)"
}

fresh() {
	rm -rf lib/low lib/high
	mkdir -p lib/low/room lib/high
	printf 'low:\nlow/room:\nhigh: low\n' >scripts/layers.txt
	: >scripts/circles.txt
	echo 'int pfx_low(void);' >lib/low/low.h
	printf '#include "low/low.h"\nint pfx_low(void) { return 1; }\n' >lib/low/low.c
	echo 'int pfx_room(void) { return 1; }' >lib/low/room/room.c
	printf '#include "low/low.h"\nint pfx_high(void) { return pfx_low(); }\n' >lib/high/high.c
	build
}

# --- layers ---

fresh
passes check_layers
grep -q '3 objects, 0 circles' out || fail "the objects were not looked at: $(cat out)"

echo '#include "high/high.h"' >>lib/low/low.c
finds check_layers 'lib/low/low.c may not include "high/high.h"'

fresh
echo 'int pfx_high(void); int pfx_up(void) { return pfx_high(); }' >>lib/low/low.c
build
finds check_layers 'lib/low/low.c may not call pfx_high of lib/high/high.c'

fresh # a room may not use the folder that it is in, which may use the room
echo 'int pfx_low(void); int pfx_up(void) { return pfx_low(); }' >>lib/low/room/room.c
build
finds check_layers 'lib/low/room/room.c may not call pfx_low of lib/low/low.c'

fresh
echo 'int pfx_room(void); int pfx_down(void) { return pfx_room(); }' >>lib/low/low.c
build
passes check_layers

fresh
mkdir lib/low/cellar
echo 'int pfx_cellar(void);' >lib/low/cellar/cellar.h
finds check_layers 'lib/low/cellar/cellar.h: scripts/layers.txt has no line for its folder'

fresh
printf 'low: high\nlow/room:\nhigh: low\n' >scripts/layers.txt
finds check_layers "'low' may use itself by way of others"

# --- circles ---

fresh
echo 'int pfx_b(void); int pfx_a(void) { return pfx_b(); }' >lib/high/a.c
echo 'int pfx_a(void); int pfx_b(void) { return pfx_a(); }' >lib/high/b.c
build
finds check_layers 'these files call each other in a circle (scripts/check_layers --circles): lib/high/a.c lib/high/b.c'
echo 'lib/high: a b: a test' >scripts/circles.txt
passes check_layers
echo 'lib/high: a b:' >scripts/circles.txt
finds check_layers 'a row has no reason: lib/high/a.c lib/high/b.c'
echo 'lib/high: a b: a test' >scripts/circles.txt
echo 'int pfx_b(void) { return 1; }' >lib/high/b.c
build
finds check_layers 'scripts/circles.txt: not in a circle any more: lib/high/a.c lib/high/b.c'
echo 'lib/high: a gone: a test' >scripts/circles.txt
finds check_layers 'scripts/circles.txt: there is no lib/high/gone.c'

# --- names ---

fresh
passes check_names
echo 'struct pfx_thing { int a; };' >>lib/low/low.h
echo 'struct pfx_thing { int b; };' >lib/high/thing.h
finds check_names "'pfx_thing' (struct) is defined in several files: lib/high/thing.h lib/low/low.h"
echo 'enum pfx_thing { PFX_THING };' >lib/high/thing.h
finds check_names "'pfx_thing' is both enum and struct"
printf 'struct pfx_other;\nvoid pfx_thing(struct pfx_other *other);\n' >lib/high/thing.h
finds check_names "'pfx_thing' is both struct and something else"
printf 'struct pfx_thing;\nstruct pfx_thing *pfx_thing(int nr);\n' >lib/high/thing.h
passes check_names
printf 'enum pfx_x { PFX_ONE };\n' >lib/high/thing.h
printf 'enum pfx_y { PFX_TWO, PFX_ONE };\n' >lib/low/low.h
finds check_names "'PFX_ONE' (enumerator) is defined in several files"

# --- full folders ---

fresh
for i in $(seq 40); do
	echo '/* SPDX-License-Identifier: MIT */' >"lib/high/h$i.h"
done
! scripts/check_shape >out 2>&1 || fail "check_shape passes with 41 files in a folder"
grep -qF 'lib/high has 41 files, 40 at most: give it subfolders' out || fail "check_shape: $(cat out)"
grep -q '41 files in the largest folder of source (lib/high)' out || fail "check_shape: $(cat out)"
rm lib/high/h1.h
scripts/check_shape >out 2>&1 || true
! grep -q 'give it subfolders' out || fail "check_shape: $(cat out)"
echo OK
