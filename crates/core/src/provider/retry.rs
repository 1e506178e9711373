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

#[cfg(test)]
mod tests {
    use super::*;

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
