//! The sessions of the older protocol. Clients often open one and leave it, so the one that was not used for the longest time
//! makes room for the next. There is one token, and all sessions are of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// The most sessions at the same time.
const MAX_SESSIONS: usize = 2_000;

/// The sessions, and when each was used.
pub struct Sessions {
    manager: Arc<LocalSessionManager>,
    max: usize,
    uses: Mutex<Uses>,
}

/// A request of a session, which is in use until this is dropped.
pub struct Visit {
    sessions: Arc<Sessions>,
    id: Arc<str>,
}

#[derive(Default)]
struct Uses {
    /// Counts what happens.
    clock: u64,
    by_session: HashMap<Arc<str>, Use>,
}

#[derive(Default)]
struct Use {
    last: u64,
    requests: usize,
}

impl Uses {
    fn begin(&mut self, id: &str) -> Option<Arc<str>> {
        let (id, _) = self.by_session.get_key_value(id)?;
        let id = Arc::clone(id);
        self.by_session.get_mut(&id)?.requests += 1;
        Some(id)
    }

    fn end(&mut self, id: &str) {
        self.clock += 1;
        if let Some(of) = self.by_session.get_mut(id) {
            of.requests -= 1;
            of.last = self.clock;
        }
    }

    /// The session to end if there are more than `max`.
    fn surplus(&mut self, max: usize) -> Option<Arc<str>> {
        if self.by_session.len() <= max {
            return None;
        }
        let idle = self.by_session.iter().filter(|(_, of)| of.requests == 0);
        let oldest = Arc::clone(idle.min_by_key(|(_, of)| of.last)?.0);
        self.by_session.remove(&oldest);
        Some(oldest)
    }
}

impl Sessions {
    pub fn new(manager: Arc<LocalSessionManager>) -> Sessions {
        Sessions { manager, max: MAX_SESSIONS, uses: Mutex::default() }
    }

    /// A request of a session. None if there is no such session.
    pub fn visit(self: &Arc<Self>, id: &str) -> Option<Visit> {
        let id = self.uses().begin(id)?;
        Some(Visit { sessions: Arc::clone(self), id })
    }

    /// Notes a session whose first request is being answered, and ends others if there are too many now.
    pub async fn add(self: &Arc<Self>, id: &str) -> Visit {
        let id: Arc<str> = id.into();
        let known = {
            let mut uses = self.uses();
            uses.by_session.entry(Arc::clone(&id)).or_default().requests += 1;
            uses.by_session.len()
        };
        if known > self.max {
            // Many end by themselves.
            let open = self.manager.sessions.read().await;
            self.uses().by_session.retain(|id, of| of.requests > 0 || open.contains_key(id));
        }
        loop {
            let surplus = self.uses().surplus(self.max);
            let Some(surplus) = surplus else { break };
            // One that has ended meanwhile is no failure.
            let _ = self.manager.close_session(&surplus).await;
        }
        Visit { sessions: Arc::clone(self), id }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.sessions.uses().end(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a session and answers its first request.
    async fn open(sessions: &Arc<Sessions>) -> (Arc<str>, Visit) {
        let (id, _transport) = sessions.manager.create_session().await.unwrap();
        let visit = sessions.add(&id).await;
        (id, visit)
    }

    #[tokio::test]
    async fn the_session_that_was_not_used_for_the_longest_time_makes_room() {
        let sessions = Sessions { max: 3, ..Sessions::new(Arc::default()) };
        let sessions = Arc::new(sessions);
        let (first, visit) = open(&sessions).await;
        drop(visit);
        let (second, visit) = open(&sessions).await;
        drop(visit);
        let (third, visit) = open(&sessions).await;
        drop(visit);
        drop(sessions.visit(&first));
        // In use, and the oldest otherwise.
        let stream = sessions.visit(&second);
        let (fourth, visit) = open(&sessions).await;
        drop(visit);
        assert!(sessions.visit(&third).is_none() && !sessions.manager.has_session(&third).await.unwrap());
        let (fifth, visit) = open(&sessions).await;
        drop(visit);
        assert!(sessions.visit(&first).is_none());
        drop(stream);
        for id in [second, fourth, fifth] {
            assert!(sessions.manager.has_session(&id).await.unwrap());
            assert!(sessions.visit(&id).is_some());
        }
        assert!(sessions.visit("none").is_none());
    }

    #[tokio::test]
    async fn sessions_that_have_ended_do_not_count() {
        let sessions = Sessions { max: 2, ..Sessions::new(Arc::default()) };
        let sessions = Arc::new(sessions);
        let (first, visit) = open(&sessions).await;
        drop(visit);
        let (second, visit) = open(&sessions).await;
        drop(visit);
        sessions.manager.close_session(&second).await.unwrap();
        let (third, visit) = open(&sessions).await;
        drop(visit);
        assert!(sessions.visit(&first).is_some() && sessions.visit(&third).is_some());
        assert_eq!(sessions.uses().by_session.len(), 2);
    }
}
