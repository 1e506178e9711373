//! Requests: who may call, what they may send, and who answers.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use kb_rag_core::multipart::is_form;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_postgres::error::SqlState;
use tokio_util::sync::CancellationToken;

use super::answer::{Mistake, json};
use super::fields::{Fields, Path};
use super::notices::Notices;
use super::plan::Plan;
use super::roles::{Caller, Roles};
use super::routes::{Endpoint, Found, Own, Routes, Settings};
use super::{api, form, knowledge, page};
use crate::database::{As, Database, Refused, Statement, text};
use crate::error::shown;
use crate::http_server::cors::{self, Origins};
use crate::http_server::{self, Answer, BodyLimits, Memory, Received, Refusal, drain, last};
use crate::index::Loaded;
use crate::output;
use crate::root::{Kind, Part, Root, Trouble};

/// The largest JSON body, in bytes, and the largest that has a text for a document.
const MAX_JSON_BYTES: usize = 1024 * 1024;
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;
/// The most that is read of a body where there should be none.
const NO_BODY: usize = 1024;
/// How long the answer to one question after health is given to others.
const HEALTH_TIME: Duration = Duration::from_secs(1);
/// How long a client may take for a JSON body, and for a file.
const JSON_TIME: Duration = Duration::from_secs(30);
pub const UPLOAD_TIME: Duration = Duration::from_secs(600);

/// Answers all requests.
pub struct Server {
    pub routes: Routes,
    /// The OpenAPI document.
    pub description: String,
    pub settings: Settings,
    pub roles: Roles,
    pub origins: Origins,
    pub database: Arc<Database>,
    pub root: Option<Root>,
    pub memory: Memory,
    pub notices: Notices,
    pub health: Health,
}

/// Whether the database answers. It is asked over a connection of its own, once for all who ask within a second.
pub struct Health {
    database: Database,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Health {
    pub fn new(database: Database) -> Health {
        Health { database, last: Mutex::default() }
    }

    /// A server that has no place for this connection answers, if `others` use those that it has.
    async fn is_good(&self, others: &Database) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, is_good)) = *last
            && at.elapsed() < HEALTH_TIME
        {
            return is_good;
        }
        let statement = Statement { sql: "SELECT 1", parameters: Vec::new() };
        let is_good = match self.database.once(statement).await {
            Ok(_) => true,
            Err(Refused::Unavailable(failure)) => {
                failure.code == Some(SqlState::TOO_MANY_CONNECTIONS) && others.is_connected()
            }
            Err(_) => false,
        };
        *last = Some((Instant::now(), is_good));
        is_good
    }
}

impl http_server::Endpoint for Server {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (head, mut body) = request.into_parts();
        let origin = head.headers.get(ORIGIN).cloned();
        let is_own = match &origin {
            Some(origin) => is_same(origin, head.headers.get(HOST)),
            // Following a link to the page is no such request.
            None => !cors::is_from_elsewhere(&head.headers) || head.uri.path() == "/",
        };
        let is_allowed = origin.as_ref().is_some_and(|origin| self.origins.allow(origin));
        let mut answer = if !is_own && !is_allowed {
            let mistake = Mistake::new(StatusCode::FORBIDDEN, "web pages of this origin may not call");
            last(mistake.hint("Start kb-rag serve with --allow-origin.").answer())
        } else if head.method == Method::OPTIONS && is_allowed {
            // What a browser asks before it lets a page call.
            http_server::answer(StatusCode::NO_CONTENT, "", "")
        } else {
            self.respond(&head, &mut body).await.unwrap_or_else(|mistake| {
                if mistake.status() == StatusCode::INTERNAL_SERVER_ERROR {
                    let (method, path) = (&head.method, shown(head.uri.path()));
                    output::error(&format!("error: {method} {path}: {}", mistake.logged()));
                }
                mistake.answer()
            })
        };
        if !answer.status().is_success() {
            drain(&mut body).await;
        }
        if let Some(origin) = origin.filter(|_| is_allowed) {
            cors::allow(answer.headers_mut(), origin);
        }
        let headers = answer.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        answer
    }
}

/// Whether a page comes from this server, by the name that the browser has for it.
fn is_same(origin: &HeaderValue, host: Option<&HeaderValue>) -> bool {
    let origin = origin.as_bytes();
    let rest = origin.strip_prefix(b"http://").or_else(|| origin.strip_prefix(b"https://"));
    rest.zip(host).is_some_and(|(rest, host)| rest.eq_ignore_ascii_case(host.as_bytes()))
}

/// Whether a request names this machine. A web page can reach it by a name of its own (DNS rebinding).
fn is_local(host: Option<&HeaderValue>) -> bool {
    let Some(host) = host.and_then(|host| host.to_str().ok()) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

impl Server {
    async fn respond(&self, head: &Parts, body: &mut Incoming) -> Result<Answer, Mistake> {
        if !self.roles.need_token() && !is_local(head.headers.get(HOST)) {
            return Err(Mistake::new(
                StatusCode::FORBIDDEN,
                "without a token, only this machine's own names are served",
            ));
        }
        let path = head.uri.path();
        let (endpoint, path) = match self.routes.find(&head.method, path) {
            Found::Endpoint(endpoint, path) => (endpoint, path),
            Found::OtherMethod(methods) => {
                let mistake = Mistake::new(StatusCode::METHOD_NOT_ALLOWED, format!("{path} takes {methods}"));
                let mut answer = mistake.answer();
                answer.headers_mut().extend(HeaderValue::try_from(methods).map(|methods| (ALLOW, methods)));
                return Ok(answer);
            }
            Found::Nothing => {
                let mistake = Mistake::new(StatusCode::NOT_FOUND, format!("there is no endpoint {path}"));
                return Err(mistake.hint("GET /api/v1/openapi.json lists the endpoints."));
            }
        };
        match endpoint {
            Endpoint::Page => Ok(page::page()),
            Endpoint::Description => Ok(json(StatusCode::OK, self.description.clone())),
            Endpoint::Health if self.health.is_good(&self.database).await => {
                Ok(json(StatusCode::OK, json!({"status": "ok"}).to_string()))
            }
            Endpoint::Health => {
                Err(Mistake::new(StatusCode::SERVICE_UNAVAILABLE, "the database cannot be reached"))
            }
            Endpoint::Own(own) => match self.caller(&head.headers) {
                Some(Caller { is_cron: true, .. }) if !matches!(own, Own::Cron(_)) => Err(Mistake::new(
                    StatusCode::FORBIDDEN,
                    "this token is for GET /api/cron/sync-knowledge only",
                )),
                Some(caller) => self.own(own, head, &path, body, caller.role).await,
                None => Ok(unauthorized(&head.headers)),
            },
        }
    }

    async fn own(
        &self,
        own: Own,
        head: &Parts,
        path: &Path,
        body: &mut Incoming,
        role: As,
    ) -> Result<Answer, Mistake> {
        let kind = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
        if let (Own::Upload, Ok(kind)) = (own, str::from_utf8(kind))
            && is_form(kind)
        {
            return form::add(self, head, kind, body, role).await;
        }
        if kind.to_ascii_lowercase().starts_with(b"multipart/") {
            let mistake = Mistake::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "forms with parts are not read");
            return Err(mistake.hint("Send JSON, or files to POST /api/v1/files."));
        }
        let (make, max) = match own {
            Own::Upload => return self.upload(head, body, role).await,
            Own::Index => return self.index(head, body, role).await,
            Own::Administer(_) if !self.settings.need_token => {
                let mistake = Mistake::new(
                    StatusCode::FORBIDDEN,
                    "without a token, nobody creates, configures, attaches or drops",
                );
                return Err(mistake
                    .hint("Start kb-rag serve with --tokens, --token-file or KB_RAG_TOKEN, or use SQL."));
            }
            Own::Plan(make) | Own::Document(make) | Own::Administer(make) | Own::Cron(make) => {
                (make, MAX_JSON_BYTES)
            }
            Own::Text(make) => (make, MAX_TEXT_BYTES),
        };
        let (fields, _received) = self.fields(head, body, max).await?;
        if matches!(head.method, Method::DELETE | Method::PATCH) && !own.checks_state() {
            fields.refuse_if_match()?;
        }
        self.carry_out(make(&self.settings, path, fields)?, role).await
    }

    fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        self.roles.for_authorization(headers.get(AUTHORIZATION).map(HeaderValue::as_bytes))
    }

    /// The arguments: those of the body of a POST or PATCH, those of the query string of other requests. What was received counts as
    /// long as the second part is kept.
    async fn fields(
        &self,
        head: &Parts,
        body: &mut Incoming,
        max: usize,
    ) -> Result<(Fields, Received), Mistake> {
        let query = head.uri.query().unwrap_or_default();
        let has_body = matches!(head.method, Method::POST | Method::PATCH);
        let limits = BodyLimits { bytes: if has_body { max } else { NO_BODY }, time: JSON_TIME };
        let received = self.memory.receive(body, limits).await.map_err(refused)?;
        let fields = match (received.bytes.trim_ascii().is_empty(), query.is_empty()) {
            (true, _) => Fields::query(query)?,
            (false, _) if !has_body => {
                return Err(Mistake::wrong(format!("arguments of {} are in the query string", head.method)));
            }
            (false, true) => Fields::body(&received.bytes)?,
            (false, false) => {
                return Err(Mistake::wrong("arguments are in the body or in the query string, not in both"));
            }
        };
        Ok((fields.with_conditions(&head.headers)?, received))
    }

    pub async fn carry_out(&self, plan: Plan, role: As) -> Result<Answer, Mistake> {
        let (call, reply) = plan.into_call(role.clone());
        match self.database.call(call, &CancellationToken::new()).await {
            Ok(given) => {
                for line in reply.logged(&given) {
                    self.notices.tell(&line);
                }
                reply.answer(given)
            }
            Err(refused) => Err(self.conceal(reply.mistake(refused), role).await),
        }
    }

    /// A base that the role may not read is answered as one that does not exist. The server looks up the
    /// base again as the role, because an error does not show its other privileges.
    async fn conceal(&self, mistake: Mistake, role: As) -> Mistake {
        let Some(name) = mistake.base().map(str::to_string) else { return mistake };
        let plan = Plan::read(include_str!("sql/sees_base.sql"), vec![text(Some(name.clone()))]);
        let (call, _) = plan.into_call(role);
        match self.database.call(call, &CancellationToken::new()).await {
            Ok(given) if given.row.is_some() => mistake,
            Ok(_) => Mistake::missing_base(&name),
            Err(refused) => Mistake::from(refused),
        }
    }

    async fn upload(&self, head: &Parts, body: &mut Incoming, role: As) -> Result<Answer, Mistake> {
        let fields = Fields::query(head.uri.query().unwrap_or_default())?;
        let limits = BodyLimits { bytes: self.settings.max_upload, time: UPLOAD_TIME };
        let received = self.memory.receive(body, limits).await.map_err(refused)?;
        // Not copied: nothing else has them.
        let plan = api::add_file(&self.settings, fields, received.bytes.into())?;
        self.carry_out(plan, role).await
    }

    /// POST /api/knowledge/index: {path, sourceType, glob}.
    async fn index(&self, head: &Parts, body: &mut Incoming, role: As) -> Result<Answer, Mistake> {
        let (mut fields, _received) = self.fields(head, body, MAX_JSON_BYTES).await?;
        let base = knowledge::base(&self.settings, &mut fields)?;
        let path = fields.needed(&["path"])?;
        let source_type = fields.filled(&["sourceType", "source_type"])?;
        let glob = fields.texts(&["glob"])?.unwrap_or_default();
        fields.end()?;
        let Some(root) = &self.root else {
            return Err(Mistake::new(StatusCode::FORBIDDEN, "files of this machine are not loaded")
                .hint("Start kb-rag serve with --root DIR."));
        };
        let Some(base) = base else {
            return Err(Mistake::wrong("argument \"knowledgeBase\" is required")
                .hint("Name a knowledge base, or start kb-rag serve with --base NAME."));
        };
        let name = match &role {
            As::Login => None,
            As::Role(role) => Some(role.clone()),
        };
        let cancel = CancellationToken::new();
        // Canceled when the client goes away.
        let _guard = cancel.clone().drop_guard();
        let part = Part { path, base, glob, source_type, role: name };
        match root.load(part, Kind::Any, [cancel, self.database.closing()]).await {
            Ok(loaded) => Ok(json(StatusCode::OK, summary(&loaded).to_string())),
            Err(trouble) => Err(self.conceal(mistake_from_trouble(trouble), role).await),
        }
    }
}

fn summary(loaded: &Loaded) -> serde_json::Value {
    let counts = &loaded.counts;
    json!({
        "indexed": counts.added + counts.changed, "unchanged": counts.unchanged, "skipped": loaded.skipped,
        "failed": loaded.failed, "complete": loaded.is_whole,
    })
}

fn mistake_from_trouble(trouble: Trouble) -> Mistake {
    match trouble {
        Trouble::Missing(path) | Trouble::IsDirectory(path) | Trouble::IsFile(path) => {
            Mistake::new(StatusCode::NOT_FOUND, format!("there is no \"{path}\" below the root directory"))
        }
        Trouble::Busy => {
            Mistake::new(StatusCode::SERVICE_UNAVAILABLE, "other files are being loaded; try again later")
        }
        Trouble::Failed(failure) if failure.is_public => Mistake::from(failure),
        Trouble::Failed(failure) => {
            output::error(&format!("error: {failure}"));
            Mistake::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the files could not be loaded; the log of kb-rag says why",
            )
        }
    }
}

fn refused((status, why): Refusal) -> Mistake {
    Mistake::new(status, why)
}

fn unauthorized(headers: &HeaderMap) -> Answer {
    let mistake = match headers.get(AUTHORIZATION) {
        None => Mistake::new(StatusCode::UNAUTHORIZED, "a token is required")
            .hint("Send the header Authorization: Bearer TOKEN."),
        Some(_) => Mistake::new(StatusCode::UNAUTHORIZED, "the token is not valid")
            .hint("The header is Authorization: Bearer TOKEN, with a token that kb-rag serve was given."),
    };
    let mut answer = last(mistake.answer());
    answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_this_server() {
        for (origin, host, expected) in [
            ("http://127.0.0.1:8534", "127.0.0.1:8534", true),
            ("https://kb.example", "KB.example", true),
            ("http://kb.example.evil.example", "kb.example", false),
            ("http://127.0.0.1:3000", "127.0.0.1:8534", false),
            ("null", "null", false),
        ] {
            let header = |text: &str| HeaderValue::from_str(text).unwrap();
            assert_eq!(is_same(&header(origin), Some(&header(host))), expected, "{origin} {host}");
        }
    }

    #[test]
    fn names_of_this_machine() {
        for (host, expected) in [
            ("localhost", true),
            ("127.0.0.1:8534", true),
            ("[::1]:1", true),
            ("127.0.0.2", true),
            ("0.0.0.0", false),
            ("evil.example", false),
            ("127.0.0.1.evil.example:80", false),
            ("localhost:80:evil", false),
        ] {
            assert_eq!(is_local(Some(&HeaderValue::from_str(host).unwrap())), expected, "{host}");
        }
        assert!(!is_local(None));
    }
}
