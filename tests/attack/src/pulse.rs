//! Detects when this machine did not run the test's processes: a statement delayed by that is not a fault.

use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

const BEAT: Duration = Duration::from_millis(20);

/// Shorter delays are normal on any machine.
const NOTABLE: Duration = Duration::from_millis(100);

/// A thread that wakes up continually and notes how late it was.
#[derive(Default)]
pub struct Pulse(Mutex<Vec<(Instant, Duration)>>);

impl Pulse {
    /// Starts the thread; it ends with the last user of the returned value.
    pub fn start() -> Arc<Pulse> {
        let pulse = Arc::new(Pulse::default());
        let shared = Arc::downgrade(&pulse);
        thread::spawn(move || beat(&shared));
        pulse
    }

    /// The total delay since then.
    pub fn stalled_since(&self, since: Instant) -> Duration {
        let stalls = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        stalls.iter().rev().take_while(|(at, _)| *at >= since).map(|(_, late)| *late).sum()
    }
}

fn beat(pulse: &Weak<Pulse>) {
    loop {
        let began = Instant::now();
        thread::park_timeout(BEAT);
        let Some(pulse) = pulse.upgrade() else { return };
        let late = began.elapsed().saturating_sub(BEAT);
        if late > NOTABLE {
            pulse.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((Instant::now(), late));
        }
    }
}
