//! Keeps the memory of all threads together.
//!
//! The system's allocator gives every thread a region of its own, and what one of them frees no other can use. The gateway
//! has a dozen threads that take turns at the same small work, so those regions would grow to several times what is in
//! use. One that all of them share stays flat over any number of turns.

/// Bounds how many regions the allocator uses. Called before there are threads; other systems have no such setting.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is told a number before any other thread can use it")]
pub(crate) fn limit(regions: usize) {
    let Ok(regions) = i32::try_from(regions) else { return };
    // SAFETY: `mallopt` changes a setting of the allocator; no other thread is running yet.
    let taken = unsafe { libc::mallopt(libc::M_ARENA_MAX, regions) };
    debug_assert_eq!(taken, 1, "the allocator does not know this setting");
}

/// Nothing to say.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn limit(_regions: usize) {}
