//! The program kb-rag-extract, seen from outside while it reads a file for a process of the server.

use std::fs;

/// The programs that read files for the backend or worker `backend`.
pub fn extractors_of(backend: i32) -> Vec<i32> {
    let path = format!("/proc/{backend}/task/{backend}/children");
    let children = fs::read_to_string(path).unwrap_or_default();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(|&pid| is_extractor(pid)).collect()
}

fn is_extractor(pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline"))
        .is_ok_and(|line| line.starts_with(b"/") && line.windows(14).any(|w| w == b"kb-rag-extract"))
}

/// Whether the program has begun to read its file, of 1 MB at least. It has entered its sandbox and greeted the server then: if it
/// ends before that, the server reports a program that does not run (55000), not a file that cannot be read.
pub fn is_reading(pid: i32) -> bool {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let count = io.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok());
    // Before the file it reads only its own program and the request, a few kB.
    count.is_some_and(|bytes: u64| bytes > 500_000)
}
