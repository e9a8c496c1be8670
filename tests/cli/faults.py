"""Runs of the program that are killed, or whose writes fail. NODL_FAULTS names the library of
tests/faults, which is loaded before the C library."""

import os
import random
import signal
import subprocess
import time

from program import NODL

FAULTS = os.environ.get("NODL_FAULTS", "")


def start(arguments, **settings):
    environment = dict(os.environ, **{name: str(value) for name, value in settings.items()})
    return subprocess.Popen([NODL, *map(str, arguments)], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run_with_fault(arguments, file, kind="", at=0, log=""):
    """Exit code and what was said on stderr."""
    process = start(arguments, LD_PRELOAD=FAULTS, NODL_FAULT_FILE=file, NODL_FAULT_KIND=kind,
                    NODL_FAULT_AT=at, NODL_FAULT_LOG=log)
    _, err = process.communicate()
    return process.returncode, err.decode()


def calls_of(arguments, file, log):
    """Names of the calls that touch the file in an undisturbed run."""
    code, err = run_with_fault(arguments, file, log=log)
    assert code == 0, err
    return log.read_text().split()


def run_and_kill(arguments, seconds):
    """True if the run was killed, False if it had come to its end before."""
    process = start(arguments)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    if process.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(f"{arguments}: exit code {process.returncode}")
    return process.returncode != 0


def seconds_of(arguments):
    begin = time.monotonic()
    process = start(arguments)
    _, err = process.communicate()
    assert process.returncode == 0, err
    return time.monotonic() - begin


def moments(seed):
    """Where to kill, as shares of a run's length."""
    generator = random.Random(seed)
    while True:
        yield generator.random()
