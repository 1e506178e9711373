//! The program kb-rag-extract, seen from outside while it reads a file for a process of the server.

use std::fs;

use crate::wait_until;

/// The programs that read files for the backend or worker `backend`.
pub fn extractors_of(backend: i32) -> Vec<i32> {
    let path = format!("/proc/{backend}/task/{backend}/children");
    let children = fs::read_to_string(path).unwrap_or_default();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(|&pid| is_extractor(pid)).collect()
}

/// The program that reads a file for the backend or worker `backend`, which has started it. Its arguments can be read a moment
/// after that.
pub fn extractor_of(backend: i32) -> i32 {
    wait_until("the arguments of a program", || !extractors_of(backend).is_empty());
    let programs = extractors_of(backend);
    let [program] = programs[..] else { panic!("programs of a session: {programs:?}") };
    program
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
