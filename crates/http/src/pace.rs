//! Whether an answer arrives fast enough. Times are those since its first byte, so that tests need no clock.

use std::time::Duration;

use crate::Slowest;

/// The parts that the time is looked at in.
const PARTS: u64 = 10;
/// A process that did not look for so long was held up itself: what has arrived meanwhile is still to be read.
const HELD_UP: Duration = Duration::from_secs(1);

/// The bytes of an answer that arrived in the last parts of time.
#[derive(Debug)]
pub(crate) struct Pace {
    slowest: Slowest,
    /// Part `n` is at `n` modulo their number: the one under way, and [`PARTS`] before it.
    bytes: [u64; PARTS as usize + 1],
    /// The part under way, and the first that counts.
    part: u64,
    first: u64,
    looked: Duration,
}

impl Pace {
    pub(crate) fn new(slowest: Slowest) -> Pace {
        Pace { slowest, bytes: [0; PARTS as usize + 1], part: 0, first: 0, looked: Duration::ZERO }
    }

    /// Counts bytes that have arrived.
    pub(crate) fn received(&mut self, now: Duration, bytes: usize) {
        self.go_on(now);
        *self.bytes_of(self.part) += bytes as u64;
    }

    /// Whether too few bytes arrived within the time that ended with the last part.
    pub(crate) fn is_too_slow(&mut self, now: Duration) -> bool {
        self.go_on(now);
        let began = self.part.saturating_sub(PARTS);
        began >= self.first
            && self.part >= PARTS
            && (began..self.part).map(|part| *self.bytes_of(part)).sum::<u64>() < self.slowest.bytes
    }

    /// Begins the part that is under way now.
    fn go_on(&mut self, now: Duration) {
        let length = (self.slowest.over / PARTS as u32).max(Duration::from_millis(1));
        let part = u64::try_from(now.as_nanos() / length.as_nanos()).unwrap_or(u64::MAX).max(self.part);
        if now.saturating_sub(self.looked) > HELD_UP.max(length) {
            self.first = part;
            self.bytes = Default::default();
        }
        for new in self.part.saturating_add(1)..=part.min(self.part.saturating_add(PARTS + 1)) {
            *self.bytes_of(new) = 0;
        }
        (self.part, self.looked) = (part, now);
    }

    fn bytes_of(&mut self, part: u64) -> &mut u64 {
        // The remainder is a place.
        &mut self.bytes[(part % (PARTS + 1)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOWEST: Slowest = Slowest { bytes: 10_000, over: Duration::from_secs(10) };

    /// When a pace becomes too slow that gets `bytes(second, tenth)` ten times a second, and is looked at as often.
    fn too_slow_after(bytes: impl Fn(u64, u64) -> usize) -> Option<u64> {
        let mut pace = Pace::new(SLOWEST);
        (0..600)
            .find(|&tenth| {
                let now = Duration::from_millis(tenth * 100);
                pace.received(now, bytes(tenth / 10, tenth % 10));
                pace.is_too_slow(now)
            })
            .map(|tenth| tenth / 10)
    }

    #[test]
    fn less_than_the_least_within_any_ten_seconds_is_too_slow() {
        // Evenly.
        assert_eq!(too_slow_after(|_, _| 100), None);
        assert_eq!(too_slow_after(|_, _| 99), Some(10));
        // A byte a second, or none any more.
        assert_eq!(too_slow_after(|_, tenth| usize::from(tenth == 0)), Some(10));
        assert_eq!(too_slow_after(|second, _| if second < 20 { 1000 } else { 0 }), Some(30));
        // All at once, every tenth second.
        assert_eq!(
            too_slow_after(|second, tenth| if second % 10 == 0 && tenth == 5 { 10_000 } else { 0 }),
            None
        );
        assert_eq!(
            too_slow_after(|second, tenth| if second % 10 == 0 && tenth == 5 { 9_999 } else { 0 }),
            Some(10)
        );
        // What arrived before does not make up for it.
        assert_eq!(too_slow_after(|second, _| if second == 0 { 1 << 20 } else { 99 }), Some(11));
    }

    #[test]
    fn a_process_that_was_held_up_is_not_a_slow_server() {
        let mut pace = Pace::new(SLOWEST);
        let at = Duration::from_secs;
        pace.received(at(0), 1);
        assert!(!pace.is_too_slow(at(100)));
        // From then on, the time counts again.
        for tenth in 1000..1100 {
            assert!(!pace.is_too_slow(Duration::from_millis(tenth * 100)), "{tenth}");
        }
        assert!(pace.is_too_slow(at(110)));
    }

    /// Looking more often, or less, changes nothing.
    #[test]
    fn it_does_not_matter_how_often_it_is_looked_at() {
        for every in [1, 7, 50, 999] {
            let mut pace = Pace::new(SLOWEST);
            let slow = (0..20_000).step_by(every).find(|&millisecond| {
                let now = Duration::from_millis(millisecond);
                pace.received(now, 0);
                pace.is_too_slow(now)
            });
            assert!(slow.is_some_and(|slow| (10_000..11_000).contains(&slow)), "{every}: {slow:?}");
        }
    }

    #[test]
    fn odd_limits_do_no_harm() {
        for (bytes, over) in [(0, Duration::ZERO), (u64::MAX, Duration::MAX), (1, Duration::from_nanos(1))] {
            let mut pace = Pace::new(Slowest { bytes, over });
            for now in [Duration::ZERO, Duration::from_secs(1), Duration::MAX] {
                pace.received(now, 5);
                pace.is_too_slow(now);
            }
        }
    }
}
