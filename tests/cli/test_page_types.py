# SPDX-License-Identifier: MIT
"""The types that the comments of the page's JavaScript declare hold, and nothing in it is unused: by TypeScript's
compiler."""
import os
import shutil
import sys

from checks import check, finish, run

PAGE = os.path.join(os.environ["PFX_SOURCE_DIR"], "lib/export/page")

if not shutil.which("tsc"):
    print("SKIP: tsc (Debian's node-typescript) is not installed")
    sys.exit(77)
done = run("tsc", "--allowJs", "--checkJs", "--noEmit", "--strict", "--noUnusedLocals", "--noUnusedParameters",
           "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable", os.path.join(PAGE, "main.js"))
check(done.returncode == 0, f"tsc: {done.stdout}{done.stderr}")
finish()
