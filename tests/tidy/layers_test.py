#!/usr/bin/env python3
"""A library that includes a header of a folder it may not use does not build.

usage: layers_test.py CHECKOUT COMPILER LIBRARY=INCLUDE_DIRECTORIES...

LIBRARY is perdure_engine, perdure_index or perdure_server, INCLUDE_DIRECTORIES what CMake hands its
sources, joined by ";". The preprocessor is asked with them for every header of every folder: it
must find exactly those that DESIGN, section 1, lets the library use.
"""

import pathlib
import subprocess
import sys

ALLOWED = {
    "perdure_engine": {"engine"},
    "perdure_index": {"engine", "index"},
    "perdure_server": {"engine", "index", "server"},
}
FOLDERS = ("engine", "index", "server", "tools")


def headers_of(checkout, folder):
    return sorted(
        path.relative_to(checkout).as_posix() for path in (checkout / folder).rglob("*.h")
    )


def headers_found(compiler, directories, headers, working_directory):
    """Those of `headers` that a source in `working_directory` could include."""
    source = "".join(
        f'#if __has_include("{header}")\nfound {header}\n#endif\n' for header in headers
    )
    command = [compiler, "-E", "-P", "-x", "c++", "-std=c++23"]
    command += [f"-I{directory}" for directory in directories] + ["-"]
    run = subprocess.run(
        command, input=source, capture_output=True, text=True, cwd=working_directory, check=True
    )
    return {line.split()[1] for line in run.stdout.splitlines() if line.startswith("found ")}


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    checkout, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    headers = {folder: headers_of(checkout, folder) for folder in FOLDERS}
    everything = [header for folder in FOLDERS for header in headers[folder]]
    faults = [f"{folder}/ has no header to try" for folder in FOLDERS[:3] if not headers[folder]]
    for argument in sys.argv[3:]:
        library, _, joined = argument.partition("=")
        directories = [directory for directory in joined.split(";") if directory]
        own_folder = checkout / library.removeprefix("perdure_")
        found = headers_found(compiler, directories, everything, own_folder)
        for folder in FOLDERS:
            reached = found & set(headers[folder])
            print(f"{library} reaches {len(reached)} of {len(headers[folder])} in {folder}/")
            if folder in ALLOWED[library]:
                missed = [header for header in headers[folder] if header not in reached]
                faults += [f"{library} cannot include {header}" for header in missed]
            else:
                faults += [f"{library} can include {header}" for header in sorted(reached)]
    for fault in faults:
        print(f"fault: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
