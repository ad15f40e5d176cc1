//! Stage: gives back the memory that only the start needed.
//!
//! Starting runs through code that never runs again, and the system keeps those pages of the program counted as ours
//! until it needs room. They are clean copies of the file, so dropping them loses nothing: what is needed again comes back
//! from the file cache, a page at a time. Only Linux says where they are.

/// Gives back the pages of the program that the start touched. Best effort: a system that does not say where they are
/// keeps them.
#[cfg(target_os = "linux")]
pub(crate) fn trim_rss() {
    let (Ok(program), Ok(maps)) =
        (std::fs::read_link("/proc/self/exe"), std::fs::read_to_string("/proc/self/maps"))
    else {
        return;
    };
    let program = program.to_string_lossy();
    for (start, length) in maps.lines().filter_map(|line| code_of(line, &program)) {
        drop_pages(start, length);
    }
}

/// Other systems do not say where the program's pages are.
#[cfg(not(target_os = "linux"))]
pub(crate) fn trim_rss() {}

/// Where a line of the memory map says that code of the program lies, or what stands before it in the file, and how much
/// of it. What the file begins with (constants, what the loader went through) is only ever read, as code is; what comes
/// after the code was written to by the loader before it was closed, and would be lost.
#[cfg(target_os = "linux")]
fn code_of(line: &str, program: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, rights, offset) = (fields.next()?, fields.next()?, fields.next()?);
    let path = fields.nth(2)?;
    let is_head = rights == "r--p" && offset.bytes().all(|digit| digit == b'0');
    if !(rights == "r-xp" || is_head) || path != program {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    Some((start, end.checked_sub(start)?))
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the system is told about a range it named itself, of clean pages that are read only"
)]
fn drop_pages(start: usize, length: usize) {
    let pages = std::ptr::with_exposed_provenance_mut::<std::ffi::c_void>(start);
    // SAFETY: the range is a mapping of the program's own file, private and never written to. Dropping its pages makes
    // the next access read them from the file again, with the same bytes.
    let dropped = unsafe { rustix::mm::madvise(pages, length, rustix::mm::Advice::LinuxDontNeed) };
    if let Err(error) = dropped {
        tracing::debug!(%error, "the pages of the start stay in memory");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::code_of;

    #[test]
    fn only_what_the_program_never_writes_is_given_back() {
        let line = "55d0c8a00000-55d0c8c00000 r-xp 00200000 fe:00 1234      /usr/bin/openclaw";
        assert_eq!(code_of(line, "/usr/bin/openclaw"), Some((0x55d0_c8a0_0000, 0x20_0000)));
        let head = "55d0c8800000-55d0c8a00000 r--p 00000000 fe:00 1234      /usr/bin/openclaw";
        assert_eq!(code_of(head, "/usr/bin/openclaw"), Some((0x55d0_c880_0000, 0x20_0000)));
        for other in [
            "55d0c8a00000-55d0c8c00000 r--p 00200000 fe:00 1234      /usr/bin/openclaw",
            "55d0c8a00000-55d0c8c00000 r-xp 00200000 fe:00 1234      /usr/lib/libc.so.6",
            "7ffd0000-7ffe0000 rw-p 00000000 00:00 0                 [stack]",
            "nonsense",
        ] {
            assert_eq!(code_of(other, "/usr/bin/openclaw"), None);
        }
    }
}
