"""The original's terminal interface (`openclaw tui`) against our gateway, in a terminal of its own.

Called by `cargo xtask test --original` with the command to start after the name of this file. Types what a person would
type, prints a line for each step, and ends with 1 when something expected does not appear.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

PATIENCE = 30
# Colours, cursor moves and titles; what is left is text.
MARKS = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[_P^][^\x1b]*\x1b\\|\x1b[@-Z=>]")


class Terminal:
    def __init__(self, command):
        self.child, self.line = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(command[0], command)
        fcntl.ioctl(self.line, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        self.seen = ""

    def shows(self, pattern):
        """Waits until something that fits was printed since the last keys."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, MARKS.sub("", self.seen)):
            left = end - time.monotonic()
            ready = left > 0 and select.select([self.line], [], [], left)[0]
            if not ready:
                raise AssertionError(f"{pattern!r} never came; there is: {MARKS.sub('', self.seen)[-600:]!r}")
            self.seen += os.read(self.line, 65536).decode("utf-8", "replace")

    def types(self, keys):
        self.seen = ""
        os.write(self.line, keys.encode())

    def says(self, text):
        """Writes a message and sends it."""
        self.types(text)
        self.shows(re.escape(text[-8:]))
        self.types("\r")

    def commands(self, text, outcome):
        """Writes a command; the first return takes the suggestion below it, the second sends it."""
        self.says(text)
        time.sleep(0.5)
        if not re.search(outcome, MARKS.sub("", self.seen)):
            os.write(self.line, b"\r")
        self.shows(outcome)


def connects(terminal):
    terminal.shows(r"connected \| idle")


def reads(terminal):
    terminal.says("Please read the note")
    terminal.shows("The note says that the door is green")


def shows_tools(terminal):
    terminal.commands("/verbose on", "verbose set to on")
    terminal.says("Please read the note once more")
    terminal.shows("Read")
    terminal.shows("The note says that the door is green")


def stops(terminal):
    terminal.says("Please count for ever")
    terminal.shows("and one more")
    terminal.types("\x1b")
    terminal.shows("run aborted")


def thinks(terminal):
    terminal.commands("/think high", "thinking set to high")


def changes_model(terminal):
    terminal.commands("/model scripted/other", "model set to scripted/other")
    terminal.says("Hello from the terminal")
    terminal.shows("I am the scripted model")


STEPS = [
    ("it connects", connects),
    ("a message is answered", reads),
    ("tools are shown", shows_tools),
    ("a long answer is stopped", stops),
    ("/think", thinks),
    ("/model", changes_model),
]

terminal = Terminal(sys.argv[1:])
failed = 0
for name, act in STEPS:
    try:
        act(terminal)
        print(f"ok   {name}", flush=True)
    except (AssertionError, OSError) as error:
        failed += 1
        print(f"FAIL {name}: {error}", flush=True)
os.kill(terminal.child, 9)
sys.exit(1 if failed else 0)
