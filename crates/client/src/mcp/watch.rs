//! Changes of the list of tools, of which clients are notified.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};

/// How often the list is looked up while a client wants to know.
const INTERVAL: Duration = Duration::from_secs(5);

/// Notifies that the list has changed.
pub struct Watch {
    sender: watch::Sender<u64>,
    /// A hash of the last list.
    last: Mutex<Option<u64>>,
    listeners: AtomicUsize,
}

/// A client that wants to know.
pub struct Listener {
    watch: Arc<Watch>,
    receiver: watch::Receiver<u64>,
}

impl Watch {
    pub fn new() -> Watch {
        Watch { sender: watch::Sender::new(0), last: Mutex::default(), listeners: AtomicUsize::new(0) }
    }

    pub fn listen(self: &Arc<Self>) -> Listener {
        self.listeners.fetch_add(1, Ordering::Relaxed);
        Listener { watch: Arc::clone(self), receiver: self.sender.subscribe() }
    }

    /// Whether anybody listens.
    fn is_wanted(&self) -> bool {
        self.listeners.load(Ordering::Relaxed) > 0
    }

    /// Notes the list, as a hash.
    pub async fn note(&self, list: u64) {
        let mut last = self.last.lock().await;
        if last.replace(list).is_some_and(|before| before != list) {
            self.sender.send_modify(|changes| *changes += 1);
        }
    }

    /// Looks the list up with `look` as long as this is polled. What cannot be looked up has not changed.
    pub async fn run<F: Future<Output = Option<u64>>>(&self, look: impl Fn() -> F) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if self.is_wanted()
                && let Some(list) = look().await
            {
                self.note(list).await;
            }
        }
    }
}

impl Listener {
    /// Waits for a change.
    pub async fn changed(&mut self) {
        // The sender lives as long as the watch.
        let _ = self.receiver.changed().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.watch.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_change_is_notified() {
        let watch = Arc::new(Watch::new());
        let mut listener = watch.listen();
        for list in [7, 7] {
            watch.note(list).await;
        }
        assert!(!listener.receiver.has_changed().unwrap());
        watch.note(8).await;
        listener.changed().await;
        assert!(watch.is_wanted());
        drop(listener);
        assert!(!watch.is_wanted());
    }

    #[tokio::test(start_paused = true)]
    async fn the_list_is_looked_up_while_somebody_listens() {
        let (watch, looks) = (Arc::new(Watch::new()), AtomicUsize::new(0));
        // It cannot be looked up the second time.
        let lists = [Some(7), None, Some(7), Some(8)];
        let look = || async { lists[looks.fetch_add(1, Ordering::Relaxed)] };
        assert!(tokio::time::timeout(10 * INTERVAL, watch.run(look)).await.is_err());
        assert_eq!(looks.load(Ordering::Relaxed), 0, "looked up for nobody");
        let mut listener = watch.listen();
        let began = tokio::time::Instant::now();
        tokio::select! {
            () = listener.changed() => {}
            () = watch.run(look) => {}
        }
        let looks = looks.load(Ordering::Relaxed);
        assert_eq!((looks, began.elapsed().as_secs()), (4, 4 * INTERVAL.as_secs()));
    }
}
