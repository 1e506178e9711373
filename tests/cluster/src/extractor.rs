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

/// Whether the program is stopped, by SIGSTOP.
pub fn is_stopped(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") T "))
}

/// Whether the program has entered its sandbox and greeted the server: if it ends before that, the server reports a program
/// that does not run (55000), not a file that cannot be read.
pub fn has_greeted(pid: i32) -> bool {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let written = io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok());
    // Before it enters the sandbox, it writes a number of four digits to /proc/self/oom_score_adj.
    written.is_some_and(|bytes: u64| bytes > 4)
}
