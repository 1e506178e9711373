//! The places for connections. Where all are taken, a connection whose client is waited for makes room for the next one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// So many connections at the same time.
pub struct Places {
    max: usize,
    table: Mutex<Table>,
    /// A place became free, or a connection waits for its client.
    changed: Notify,
}

#[derive(Default)]
struct Table {
    taken: usize,
    /// The number of the next connection that waits for its client.
    next: u64,
    /// Those that wait for their clients, the oldest first, and how they are told to end.
    waiting: BTreeMap<u64, CancellationToken>,
}

/// The place of a connection, which is free again when this is dropped.
pub struct Place {
    places: Arc<Places>,
    /// Its number among those that wait for their clients.
    number: Mutex<Option<u64>>,
    yielded: CancellationToken,
}

impl Places {
    pub fn new(max: usize) -> Arc<Places> {
        Arc::new(Places { max, table: Mutex::default(), changed: Notify::new() })
    }

    /// Takes a place for a connection that waits for its client. If there is none, that of the connection that has waited longest
    /// is taken away from it; if none waits, this waits for one of both.
    pub async fn take(self: &Arc<Self>) -> Place {
        loop {
            let changed = self.changed.notified();
            if self.try_take() {
                break;
            }
            changed.await;
        }
        let place =
            Place { places: Arc::clone(self), number: Mutex::default(), yielded: CancellationToken::new() };
        place.wait();
        place
    }

    fn try_take(&self) -> bool {
        let mut table = self.table();
        if table.taken < self.max {
            table.taken += 1;
            return true;
        }
        match table.waiting.pop_first() {
            // It counts no longer.
            Some((_, oldest)) => oldest.cancel(),
            None => return false,
        }
        true
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The connection waits for its client from now on, if it does not yet.
    pub fn wait(&self) {
        let mut number = self.number();
        if number.is_some() {
            return;
        }
        let mut table = self.places.table();
        if self.yielded.is_cancelled() {
            return;
        }
        let next = table.next;
        table.next += 1;
        table.waiting.insert(next, self.yielded.clone());
        *number = Some(next);
        drop(table);
        self.places.changed.notify_waiters();
    }

    /// The connection keeps its place, whoever wants it. False if it has lost it.
    pub fn work(&self) -> bool {
        if let Some(number) = self.number().take() {
            self.places.table().waiting.remove(&number);
        }
        !self.yielded.is_cancelled()
    }

    /// Waits until the place is taken away.
    pub async fn yielded(&self) {
        self.yielded.cancelled().await;
    }

    fn number(&self) -> MutexGuard<'_, Option<u64>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.work() {
            self.places.table().taken -= 1;
            self.places.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_that_waits_makes_room() {
        let places = Places::new(3);
        let (first, second, third) = (places.take().await, places.take().await, places.take().await);
        // The first one works, and waits again after the second one.
        assert!(first.work());
        first.wait();
        let fourth = places.take().await;
        let has_yielded = |place: &Place| place.yielded.is_cancelled();
        assert!(has_yielded(&second) && !has_yielded(&first));
        assert!(!second.work() && third.work());
        let fifth = places.take().await;
        assert!(has_yielded(&first) && !has_yielded(&fourth) && !has_yielded(&fifth));
        // Places that were taken away are not freed a second time.
        drop((first, second));
        assert_eq!(places.table().taken, 3);
        drop((third, fourth, fifth));
        let table = places.table();
        assert_eq!((table.taken, table.waiting.len()), (0, 0));
    }

    #[tokio::test]
    async fn those_that_work_keep_their_places() {
        let places = Places::new(2);
        let (first, second) = (places.take().await, places.take().await);
        assert!(first.work() && second.work());
        let take = || {
            let own = Arc::clone(&places);
            tokio::spawn(async move { own.take().await })
        };
        let waiting = take();
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        first.wait();
        let third = waiting.await.unwrap();
        assert!(!first.work() && second.work() && third.work());
        // One that has lost its place does not wait any more.
        first.wait();
        let waiting = take();
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(second);
        assert!(waiting.await.unwrap().work());
    }
}
