//! When this machine ran nothing of ours: a statement that was late for that is not at fault.

use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

const BEAT: Duration = Duration::from_millis(20);

/// Lateness below this is that of any machine.
const NOTABLE: Duration = Duration::from_millis(100);

/// A thread that wakes up all the time and notes how late it was.
#[derive(Default)]
pub struct Pulse(Mutex<Vec<(Instant, Duration)>>);

impl Pulse {
    /// Starts the thread; it ends with the last user of what is returned.
    pub fn start() -> Arc<Pulse> {
        let pulse = Arc::new(Pulse::default());
        let shared = Arc::downgrade(&pulse);
        thread::spawn(move || beat(&shared));
        pulse
    }

    /// How late it was in all since then.
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
