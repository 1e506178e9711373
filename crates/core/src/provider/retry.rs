//! When to try again.

use core::time::Duration;

/// The upper bound of the first wait.
const FIRST: f64 = 0.5;
/// No wait is longer.
const MAX_SECONDS: f64 = 60.0;

/// How long to wait after a failure that `attempt` failures preceded: half a second, doubled each time, at
/// most a minute. `jitter`, from 0 to 1, selects a point in the upper half of that time, so that many clients
/// that failed together do not return together.
pub fn backoff(attempt: u32, jitter: f64) -> Duration {
    // 2^7 half seconds exceed the longest wait.
    let longest = (FIRST * f64::from(1_u32 << attempt.min(7))).min(MAX_SECONDS);
    let jitter = if jitter.is_nan() { 1.0 } else { jitter.clamp(0.0, 1.0) };
    Duration::from_secs_f64(longest / 2.0 * (1.0 + jitter))
}

/// The longest wait after answers that are paid for and cannot be used.
const MAX_SECONDS_AFTER_ANSWERS: f64 = 900.0;

/// How long to wait after this many answers in a row that cannot be used: a second, three times as long each time, at
/// most a quarter of an hour. `jitter` as for [`backoff`].
pub fn backoff_after_answers(failures: u32, jitter: f64) -> Duration {
    // 3^7 seconds exceed the longest wait.
    let longest = f64::from(3_u32.pow(failures.clamp(1, 8) - 1)).min(MAX_SECONDS_AFTER_ANSWERS);
    let jitter = if jitter.is_nan() { 1.0 } else { jitter.clamp(0.0, 1.0) };
    Duration::from_secs_f64(longest / 2.0 * (1.0 + jitter))
}

/// A failure that took less time held up no other work to speak of.
const MIN_HOLD: Duration = Duration::from_secs(1);
/// The longest wait because of the time that failures took.
const MAX_SECONDS_AFTER_HOLD: f64 = 300.0;

/// How long to wait after a failure that took the time `held`, in which a worker did nothing else, and that `attempt` failures
/// preceded: twice that time, doubled each time, at most five minutes; and as long as for other failures at least. So a server that
/// does not answer, or only slowly, takes a third of a worker at most. `jitter` as for [`backoff`].
pub fn backoff_after_hold(held: Duration, attempt: u32, jitter: f64) -> Duration {
    let usual = backoff(attempt, jitter);
    if held < MIN_HOLD {
        return usual;
    }
    let seconds = held.as_secs_f64() * f64::from(1_u32 << attempt.clamp(1, 16));
    usual.max(Duration::from_secs_f64(seconds.min(MAX_SECONDS_AFTER_HOLD)))
}

/// Whether a failure that took this time held up other work.
pub fn is_hold(held: Duration) -> bool {
    held >= MIN_HOLD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_took_long_is_waited_for_longer() {
        let seconds =
            |held: u64, attempt| backoff_after_hold(Duration::from_millis(held), attempt, 1.0).as_secs_f64();
        assert_eq!([1, 2, 3, 4, 5].map(|attempt| seconds(10_000, attempt)), [20.0, 40.0, 80.0, 160.0, 300.0]);
        assert_eq!([0, 1, u32::MAX].map(|attempt| seconds(60_000, attempt)), [120.0, 120.0, 300.0]);
        assert_eq!([seconds(999, 1), seconds(1000, 1), seconds(1000, 0)], [1.0, 2.0, 2.0]);
        assert_eq!(backoff_after_hold(Duration::MAX, 1, 0.5), Duration::from_secs(300));
    }

    #[test]
    fn triples_up_to_a_quarter_of_an_hour() {
        let longest = [0, 1, 2, 3, 6, 7, 8, u32::MAX]
            .map(|failures| backoff_after_answers(failures, 1.0).as_secs_f64());
        assert_eq!(longest, [1.0, 1.0, 3.0, 9.0, 243.0, 729.0, 900.0, 900.0]);
    }

    #[test]
    fn doubles_up_to_a_minute() {
        let longest = [0, 1, 2, 3, 6, 7, 8, u32::MAX].map(|attempt| backoff(attempt, 1.0).as_secs_f64());
        assert_eq!(longest, [0.5, 1.0, 2.0, 4.0, 32.0, 60.0, 60.0, 60.0]);
    }

    #[test]
    fn jitter_stays_in_the_upper_half() {
        assert_eq!([0.0, 0.5].map(|jitter| backoff(2, jitter).as_secs_f64()), [1.0, 1.5]);
        assert_eq!([-1.0, 7.0, f64::NAN].map(|jitter| backoff(2, jitter).as_secs_f64()), [1.0, 2.0, 2.0]);
    }
}
