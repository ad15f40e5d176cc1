#!/bin/sh
# Stands in front of the compiler while `cargo xtask fuzz` builds: the code that is searched gets coverage counters and
# some optimisation, everything else is built as always, so that the builds of the tests are used again.
case " $* " in
*" --crate-name openclaw_channels "* | *" --crate-name openclaw_delivery "* | *" --crate-name openclaw_providers "* | *" --crate-name openclaw_types "* | *" --crate-name fuzz "*)
    exec "$@" -C opt-level=1 -C passes=sancov-module \
        -C llvm-args=-sanitizer-coverage-level=4 \
        -C llvm-args=-sanitizer-coverage-inline-8bit-counters \
        -C llvm-args=-sanitizer-coverage-pc-table \
        -C llvm-args=-sanitizer-coverage-trace-compares
    ;;
*) exec "$@" ;;
esac
