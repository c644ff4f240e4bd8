//! The heap of glibc, which keeps freed memory until it is asked for it.

/// Free bytes in the heap, beyond those returned already, that are worth a system call for each run of pages.
const WORTH_RETURNING: usize = 2 << 20;

/// Arenas that threads share. Each keeps free memory of its own; with one for each of a dozen threads, most of an idle
/// heap is free. Two let the two busiest threads allocate side by side.
const ARENAS: libc::c_int = 2;

pub(super) fn bound_arenas() {
    // SAFETY: changes a number in the allocator's state under its lock.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
    }
}

/// Returns free pages if enough was freed since the last time, when `returned` bytes were free. Gives the number for the
/// next time: free memory counts as free also after its pages were returned.
pub(super) fn return_freed(returned: usize) -> usize {
    let free = free_bytes();
    if free < returned.saturating_add(WORTH_RETURNING) {
        return returned.min(free);
    }
    // SAFETY: locks each arena and releases pages that no allocation uses.
    #[allow(unsafe_code)]
    unsafe {
        libc::malloc_trim(0);
    }
    free_bytes()
}

fn free_bytes() -> usize {
    // SAFETY: reads the allocator's counters under its locks.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallinfo2().fordblks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_goes_back_and_is_not_returned_twice() {
        let resident = || {
            let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
            statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
        };
        // Small, so that they are not mapped one by one; one is kept at the end, so that the heap cannot shrink.
        let mut blocks: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![1; 1024]).collect();
        let full = resident();
        blocks.drain(..blocks.len() - 1);
        let returned = return_freed(0);
        assert!(full - resident() > 32 << 20, "{full} bytes, then {}", resident());
        assert!(return_freed(returned) <= returned + WORTH_RETURNING);
    }
}
