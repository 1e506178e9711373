//! Work that does not hang.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What `work` gives. It may take this many seconds of processor time in this thread: what else runs on the machine does not
/// count.
pub fn quick<T>(limit: u64, work: impl FnOnce() -> T) -> T {
    let start = used();
    let result = work();
    let took = used() - start;
    assert!(took < Duration::from_secs(limit), "{took:?}");
    result
}

/// The processor time of this thread.
fn used() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
