//! Ends the program when no memory is left, with a status that says so: Rust would abort, as after a crash.

use std::alloc::{GlobalAlloc, Layout, System};

use kb_rag_core::extract_protocol::OUT_OF_MEMORY;

/// The system's allocator, which exits where it has no memory.
pub struct Limited;

fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        // SAFETY: ends the process at once; runs no code of it.
        unsafe { libc::_exit(OUT_OF_MEMORY) };
    }
    memory
}

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller's.
        checked(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}
