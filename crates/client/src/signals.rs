//! What ends a run early: Ctrl-C, kill, or a request that was canceled. Also SIGHUP.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::{Failure, Result};

/// The exit statuses that shells give for these signals.
const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

/// Ctrl-C and kill.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub fn new() -> Result<Signals> {
        Ok(Signals { interrupt: on(SignalKind::interrupt())?, terminate: on(SignalKind::terminate())? })
    }

    /// Waits for one. Returns the exit status for it.
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
        }
    }
}

/// SIGHUP, which does not end the program while there is one of these.
pub struct Hangups(Signal);

impl Hangups {
    pub fn new() -> Result<Hangups> {
        on(SignalKind::hangup()).map(Hangups)
    }

    /// Waits for one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

fn on(kind: SignalKind) -> Result<Signal> {
    signal(kind).map_err(|error| Failure::new(format!("the program cannot start: {error}")))
}

/// How long an interrupted run may take to end by itself, where nobody interrupts it again.
const PATIENCE: Duration = Duration::from_secs(5);

/// What interrupts loading files.
pub enum Interrupts {
    Signals(Signals),
    /// Whoever holds one of the tokens.
    Tokens([CancellationToken; 2]),
    /// A token was canceled before.
    Late,
}

impl Interrupts {
    /// Waits for the next one. Returns the exit status for it.
    pub async fn next(&mut self) -> u8 {
        match self {
            Interrupts::Signals(signals) => signals.next().await,
            Interrupts::Tokens([first, second]) => {
                tokio::select! {
                    () = first.cancelled() => {}
                    () = second.cancelled() => {}
                }
                *self = Interrupts::Late;
                INTERRUPTED
            }
            Interrupts::Late => {
                tokio::time::sleep(PATIENCE).await;
                INTERRUPTED
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn after_one_token_there_is_time_to_end() {
        for first in [0, 1] {
            let tokens = [CancellationToken::new(), CancellationToken::new()];
            let mut interrupts = Interrupts::Tokens(tokens.clone());
            let began = Instant::now();
            tokens[first].cancel();
            assert_eq!(interrupts.next().await, INTERRUPTED);
            assert_eq!(began.elapsed(), Duration::ZERO);
            // The same token does not count twice.
            assert_eq!(interrupts.next().await, INTERRUPTED);
            assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
        }
    }
}
