//! The search: libFuzzer calls the target that `FUZZ_TARGET` names, over and over. Run through `cargo xtask fuzz`.
#![no_main]

use std::sync::OnceLock;

use fuzz::Target;
use libfuzzer_sys::fuzz_target;
use openclaw_testkit::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static TARGET: OnceLock<Target> = OnceLock::new();

#[expect(clippy::disallowed_methods, reason = "libFuzzer owns the arguments; this is the one way in")]
#[expect(clippy::panic, reason = "there is nothing to search without a target")]
fn chosen() -> Target {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| panic!("FUZZ_TARGET names no target: {name:?}"))
}

fuzz_target!(|data: &[u8]| TARGET.get_or_init(chosen).check(data));
