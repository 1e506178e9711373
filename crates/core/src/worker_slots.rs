//! The processes that all databases of a server share for their background workers: who may start one, and who gives one back.

use core::fmt;

/// A database starts further workers only while as many are free: the last one is for a database that has none.
const FREE_FOR_FURTHER: u32 = 2;

/// How many background workers a server may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// `max_worker_processes`.
    pub total: u32,
    /// Those in use, whoever uses them.
    pub used: u32,
    /// Those of them that kb_rag uses.
    pub own: u32,
}

impl Slots {
    /// Those that are not in use.
    pub fn free(self) -> u32 {
        self.total.saturating_sub(self.used)
    }

    /// Whether a database that runs this many workers may start another one. The first one may always try.
    pub fn may_start(self, running: usize) -> bool {
        running == 0 || self.free() >= FREE_FOR_FURTHER
    }

    /// Whether a worker leaves its process to others, between two calls. A further worker of its database does so when none is
    /// free. The only one does so for another database that waits, unless it works fast: `is_slow` says that its last call took
    /// long, or that it only waits for the next attempt.
    pub fn must_leave(self, is_further: bool, is_slow: bool, others_wait: bool) -> bool {
        self.free() == 0 && (is_further || is_slow && others_wait)
    }
}

impl fmt::Display for Slots {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What starts and ends while it is counted may be missed.
        let used = if self.free() == 0 { self.total } else { self.used };
        write!(
            out,
            "{used} of {} processes of max_worker_processes are in use, {} of them by kb_rag",
            self.total,
            self.own.min(used)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(free: u32) -> Slots {
        Slots { total: 8, used: 8 - free, own: 3 }
    }

    #[test]
    fn the_last_process_is_for_a_database_without_workers() {
        for (slots, running, expected) in [
            (free(0), 0, true),
            (free(1), 0, true),
            (free(0), 1, false),
            (free(1), 1, false),
            (free(2), 1, true),
            (free(8), 5, true),
        ] {
            assert_eq!(slots.may_start(running), expected, "{slots}, {running}");
        }
        assert_eq!(Slots { total: 2, used: 5, own: 5 }.free(), 0);
    }

    #[test]
    fn processes_are_left_only_when_none_is_free() {
        for is_further in [false, true] {
            for is_slow in [false, true] {
                for others_wait in [false, true] {
                    assert!(!free(1).must_leave(is_further, is_slow, others_wait));
                    assert_eq!(
                        free(0).must_leave(is_further, is_slow, others_wait),
                        is_further || (is_slow && others_wait)
                    );
                }
            }
        }
    }

    #[test]
    fn says_how_many_there_are() {
        let text = free(1).to_string();
        assert_eq!(text, "7 of 8 processes of max_worker_processes are in use, 3 of them by kb_rag");
        let text = Slots { total: 2, used: 3, own: 3 }.to_string();
        assert_eq!(text, "2 of 2 processes of max_worker_processes are in use, 2 of them by kb_rag");
    }

    /// Databases that start and leave by these rules: whatever they do, one that has no worker gets one as soon as all others have
    /// ended their calls.
    #[test]
    fn a_database_without_a_worker_gets_one() {
        const TOTAL: usize = 7;
        for databases in 1..=9_usize {
            // Each wants two workers, one after the other.
            let mut workers = vec![0_usize; databases];
            let slots = |workers: &[usize]| {
                let used = workers.iter().sum::<usize>() as u32;
                Slots { total: TOTAL as u32, used, own: used }
            };
            for _ in 0..2 {
                for database in 0..databases {
                    if slots(&workers).may_start(workers[database]) && slots(&workers).free() > 0 {
                        workers[database] += 1;
                    }
                }
            }
            // One more comes, and waits; the calls of all end in turn.
            workers.push(0);
            let last = databases;
            for database in (0..databases).chain(0..databases) {
                if workers[last] == 0 && slots(&workers).free() > 0 {
                    workers[last] = 1;
                }
                let others_wait = workers.contains(&0);
                if workers[database] > 0
                    && slots(&workers).must_leave(workers[database] > 1, true, others_wait)
                {
                    workers[database] -= 1;
                }
            }
            assert_eq!(workers[last], 1, "{workers:?}");
        }
    }
}
