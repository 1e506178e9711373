//! The sessions of the older protocol. Clients often open one and leave it, so the one that was not used for the longest time
//! makes room for the next. There is one token, and all sessions are of it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
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

/// An HTTP request of a session, which is in use until this is dropped.
pub struct Visit {
    sessions: Arc<Sessions>,
    id: Arc<str>,
    /// That of the request of the protocol.
    request: Option<RequestId>,
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
    /// The requests of the protocol that are being answered.
    running: HashSet<RequestId>,
}

impl Uses {
    fn begin(&mut self, id: &str) -> Option<Arc<str>> {
        let (id, _) = self.by_session.get_key_value(id)?;
        let id = Arc::clone(id);
        self.by_session.get_mut(&id)?.requests += 1;
        Some(id)
    }

    fn end(&mut self, id: &str, request: Option<&RequestId>) {
        self.clock += 1;
        if let Some(of) = self.by_session.get_mut(id) {
            if let Some(request) = request {
                of.running.remove(request);
            }
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
        Some(Visit { sessions: Arc::clone(self), id, request: None })
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
        Visit { sessions: Arc::clone(self), id, request: None }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    /// Notes the request of the protocol that the HTTP request has. False if another one with the same id is being answered.
    pub fn claim(&mut self, request: &RequestId) -> bool {
        let mut uses = self.sessions.uses();
        let is_new = uses.by_session.get_mut(&self.id).is_none_or(|of| of.running.insert(request.clone()));
        self.request = is_new.then(|| request.clone());
        is_new
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.sessions.uses().end(&self.id, self.request.as_ref());
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
    async fn an_id_is_that_of_one_request_at_a_time() {
        let sessions = Arc::new(Sessions::new(Arc::default()));
        let ((first, _first), (second, _second)) = (open(&sessions).await, open(&sessions).await);
        let id = RequestId::Number(1);
        let mut one = sessions.visit(&first).unwrap();
        assert!(one.claim(&id) && !sessions.visit(&first).unwrap().claim(&id));
        assert!(sessions.visit(&second).unwrap().claim(&id));
        assert!(!sessions.visit(&first).unwrap().claim(&id), "the refused request has not freed it");
        drop(one);
        assert!(sessions.visit(&first).unwrap().claim(&id));
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
