//! A global allocator that counts, for measurements and for tests of memory bounds.
//!
//! A binary installs it with `#[global_allocator]`; without that every count stays zero. Counts are of the whole
//! process: whoever reads them runs nothing else beside.

#![expect(unsafe_code, reason = "an allocator is unsafe by its nature; all work is handed to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator with counts.
#[derive(Debug, Default)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// One to install.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// How often memory was asked for since the process began.
    #[must_use]
    pub fn allocations() -> usize {
        ALLOCATIONS.load(Ordering::Relaxed)
    }

    /// Begins to look for the most memory in use at once; gives what is in use now.
    #[must_use]
    pub fn start_peak() -> usize {
        let live = LIVE.load(Ordering::Relaxed);
        PEAK.store(live, Ordering::Relaxed);
        live
    }

    /// The most bytes in use at once beyond what was in use at the start.
    #[must_use]
    pub fn peak_since(start: usize) -> usize {
        PEAK.load(Ordering::Relaxed).saturating_sub(start)
    }
}

fn took(bytes: usize) {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    PEAK.fetch_max(live, Ordering::Relaxed);
}

fn gave_back(bytes: usize) {
    LIVE.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged; the counts touch no memory but their own.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        gave_back(layout.size());
        took(size);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}
