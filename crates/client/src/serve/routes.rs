//! Which endpoint answers which request.

use std::collections::BTreeSet;

use http::Method;
use matchit::Router;
use percent_encoding::percent_decode_str;

use super::answer::Mistake;
use super::fields::{Fields, Path};
use super::plan::Plan;
use super::{agents, api, bases, edit, evaluation, knowledge, tools};
use crate::error::{Failure, Result as Outcome};

/// What endpoints need to know of how the program was started.
pub struct Settings {
    /// The base of `/api/knowledge`; None for all that the role may read.
    pub base: Option<String>,
    /// The base of `/api/agents`.
    pub agents_base: Option<String>,
    /// The base of agents to which none is attached.
    pub snippets_base: Option<String>,
    pub has_root: bool,
    /// In bytes.
    pub max_upload: usize,
    /// Whether requests need a token.
    pub need_token: bool,
}

/// Makes a plan out of a path and arguments.
pub type Make = fn(&Settings, &Path, Fields) -> Result<Plan, Mistake>;

/// Answers a request.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// For everybody.
    Page,
    Description,
    /// Whether the database answers.
    Health,
    /// As the role of a token.
    Own(Own),
}

/// Answers a request as a role.
#[derive(Clone, Copy)]
pub enum Own {
    /// By a plan out of the path and a query string (GET, DELETE) or a JSON body (POST).
    Plan(Make),
    /// The same, with a longer text.
    Text(Make),
    /// By a plan, for a document that must be as it was read if the request says so.
    Document(Make),
    /// By a plan, but only if requests need a token: what gives or takes away bases.
    Administer(Make),
    /// By a plan, also with a token that can do nothing else.
    Cron(Make),
    /// A file: the body is its bytes.
    Upload,
    /// Files below the root.
    Index,
}

impl Own {
    /// Whether the endpoint checks If-Match.
    pub fn checks_state(self) -> bool {
        // Of the texts, PATCH alone asks.
        matches!(self, Own::Document(_) | Own::Text(_))
    }
}

const fn plan(make: Make) -> Endpoint {
    Endpoint::Own(Own::Plan(make))
}

const fn administer(make: Make) -> Endpoint {
    Endpoint::Own(Own::Administer(make))
}

const TABLE: &[(&str, &str, Endpoint)] = &[
    ("GET", "/", Endpoint::Page),
    ("GET", "/api/v1/openapi.json", Endpoint::Description),
    ("GET", "/api/v1/health", Endpoint::Health),
    ("GET", "/api/v1/session", plan(api::session)),
    ("GET", "/api/v1/bases", plan(api::bases)),
    ("POST", "/api/v1/bases", administer(bases::create)),
    ("GET", "/api/v1/bases/{name}", plan(bases::read)),
    ("PATCH", "/api/v1/bases/{name}", administer(bases::configure)),
    ("DELETE", "/api/v1/bases/{name}", administer(bases::drop)),
    ("POST", "/api/v1/bases/{name}/agents", administer(bases::attach)),
    ("DELETE", "/api/v1/bases/{name}/agents/{agent_id}", administer(bases::detach)),
    ("POST", "/api/v1/bases/{name}/evaluate", plan(evaluation::evaluate)),
    ("GET", "/api/v1/bases/{name}/evaluations", plan(evaluation::list)),
    ("GET", "/api/v1/agents", plan(bases::agents)),
    ("PATCH", "/api/v1/agents/{agent_id}", administer(bases::configure_agent)),
    ("GET", "/api/v1/stats", plan(api::stats)),
    ("GET", "/api/v1/documents", plan(api::browse)),
    ("POST", "/api/v1/documents", Endpoint::Own(Own::Text(api::add))),
    ("GET", "/api/v1/documents/{id}", plan(api::read)),
    ("PATCH", "/api/v1/documents/{id}", Endpoint::Own(Own::Text(edit::edit))),
    ("DELETE", "/api/v1/documents/{id}", Endpoint::Own(Own::Document(api::delete))),
    ("POST", "/api/v1/documents/{id}/refresh", plan(api::refresh)),
    ("GET", "/api/v1/documents/{id}/chunks", plan(api::chunks)),
    ("POST", "/api/v1/search", plan(api::search)),
    ("POST", "/api/v1/explain", plan(api::explain)),
    ("POST", "/api/v1/outputs", Endpoint::Own(Own::Text(api::add_output))),
    ("POST", "/api/v1/files", Endpoint::Own(Own::Upload)),
    ("GET", "/api/v1/sources", plan(api::sources)),
    ("POST", "/api/v1/sources", plan(api::add_source)),
    ("DELETE", "/api/v1/sources/{id}", plan(api::drop_source)),
    ("POST", "/api/v1/sources/{id}/sync", plan(api::sync)),
    ("GET", "/api/v1/failed", plan(api::failed)),
    ("POST", "/api/v1/failed/retry", plan(api::retry)),
    ("GET", "/api/v1/usage", plan(api::usage)),
    ("GET", "/api/v1/searches", plan(api::searches)),
    ("GET", "/api/v1/tools", plan(tools::list)),
    ("POST", "/api/v1/tools/{name}", plan(tools::call)),
    ("GET", "/api/knowledge", plan(knowledge::list)),
    ("GET", "/api/knowledge/stats", plan(knowledge::stats)),
    ("POST", "/api/knowledge/search", plan(knowledge::search)),
    ("POST", "/api/knowledge/index", Endpoint::Own(Own::Index)),
    ("GET", "/api/knowledge/{id}", plan(knowledge::read)),
    ("DELETE", "/api/knowledge/{id}", Endpoint::Own(Own::Document(knowledge::delete))),
    ("DELETE", "/api/agents/{id}", administer(agents::drop)),
    ("GET", "/api/agents/{id}/knowledge", plan(agents::list)),
    ("POST", "/api/agents/{id}/knowledge", plan(agents::add)),
    ("POST", "/api/agents/{id}/knowledge/index", plan(agents::index)),
    ("DELETE", "/api/agents/{id}/knowledge/{knowledge}", plan(agents::delete)),
    ("GET", "/api/cron/sync-knowledge", Endpoint::Own(Own::Cron(agents::cron))),
    ("POST", SNIPPETS, plan(agents::snippets)),
];

/// What the search slot of a manifest calls.
pub const SNIPPETS: &str = "/agent-search";
/// The argument with another path for it.
const SNIPPETS_ARGUMENT: &str = "--agent-search-path";

/// Finds endpoints.
pub struct Routes(Router<Vec<(&'static str, Endpoint)>>);

/// What was found for a request.
pub enum Found {
    Endpoint(Endpoint, Path),
    /// The methods that the path has.
    OtherMethod(String),
    Nothing,
}

impl Routes {
    /// `snippets`: another path of [`SNIPPETS`], without a slash at its end.
    ///
    /// # Errors
    /// If the path is none, or that of another endpoint.
    pub fn new(snippets: Option<&str>) -> Outcome<Routes> {
        let mut router = Router::new();
        let paths: BTreeSet<&str> = TABLE.iter().map(|(_, path, _)| *path).collect();
        for path in paths {
            let here = TABLE.iter().filter(|(_, other, _)| *other == path);
            let methods = here.map(|(method, _, endpoint)| (*method, *endpoint)).collect();
            router.insert(path, methods).map_err(|error| Failure::new(error.to_string()))?;
        }
        if let Some(path) = snippets.filter(|path| *path != SNIPPETS) {
            check_path(path)?;
            if router.at(path).is_ok() {
                return Err(Failure::usage(format!(
                    "{SNIPPETS_ARGUMENT} \"{path}\" is the path of another endpoint"
                ))
                .hint(
                    "Give a path of its own, such as /search; GET /api/v1/openapi.json lists the endpoints.",
                ));
            }
            let endpoint = ("POST", plan(agents::snippets));
            router.insert(path, vec![endpoint]).map_err(|error| Failure::new(error.to_string()))?;
        }
        Ok(Routes(router))
    }

    pub fn find(&self, method: &Method, path: &str) -> Found {
        let trimmed = match path.strip_suffix('/') {
            Some(shorter) if !shorter.is_empty() => shorter,
            _ => path,
        };
        let Ok(found) = self.0.at(trimmed) else { return Found::Nothing };
        let mut parts = Path::new();
        for (name, value) in found.params.iter() {
            let Ok(value) = percent_decode_str(value).decode_utf8() else { return Found::Nothing };
            parts.insert(name.to_string(), value.into_owned());
        }
        // hyper sends no body in answer to HEAD.
        let wanted = if method == Method::HEAD { "GET" } else { method.as_str() };
        match found.value.iter().find(|(known, _)| *known == wanted) {
            Some((_, endpoint)) => Found::Endpoint(*endpoint, parts),
            None => {
                let methods: Vec<&str> = found.value.iter().map(|(method, _)| *method).collect();
                Found::OtherMethod(methods.join(", "))
            }
        }
    }
}

/// Checks a path as requests have it.
fn check_path(path: &str) -> Outcome<()> {
    let wrong = |why: &str, hint: &str| {
        Err(Failure::usage(format!("{SNIPPETS_ARGUMENT} \"{path}\" {why}")).hint(hint))
    };
    if !path.starts_with('/') {
        return wrong("must begin with a slash", "Give the path as the manifest has it, such as /search.");
    }
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@%".contains(&byte);
    if !path.bytes().all(is_known) {
        return wrong(
            "has a character that paths of URLs do not have",
            "Give the path without a query string; encode other characters, such as %20 for a space.",
        );
    }
    // Clients resolve these before they send a request.
    if path.split('/').any(|part| part == "." || part == "..") {
        return wrong("has the part . or ..", "Give the path as the manifest has it, such as /search.");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_path_is_found() {
        let routes = Routes::new(None).unwrap();
        for (method, path, _) in TABLE {
            let given = path.replace("{id}", "a%2Fb").replace("{knowledge}", "c");
            match routes.find(&method.parse().unwrap(), &given) {
                Found::Endpoint(_, parts) => {
                    assert_eq!(parts.contains_key("id"), path.contains("{id}"), "{path}");
                    assert!(parts.get("id").is_none_or(|id| id == "a/b"), "{path}");
                }
                _ => panic!("{method} {path}"),
            }
        }
        assert!(matches!(routes.find(&Method::GET, "/api/knowledge/"), Found::Endpoint(..)));
        assert!(matches!(routes.find(&Method::GET, "/api/v2/bases"), Found::Nothing));
        assert!(matches!(routes.find(&Method::GET, "/api/knowledge/%FF"), Found::Nothing));
        match routes.find(&Method::PUT, "/api/v1/documents/1") {
            Found::OtherMethod(methods) => assert_eq!(methods, "GET, PATCH, DELETE"),
            _ => panic!("PUT is not known"),
        }
    }

    #[test]
    fn snippets_have_another_path_too() {
        for path in ["/search", "/v1/agents:search", "/a%20b", SNIPPETS] {
            let routes = Routes::new(Some(path)).unwrap();
            for path in [path, &format!("{path}/"), SNIPPETS] {
                let found = routes.find(&Method::POST, path);
                assert!(matches!(found, Found::Endpoint(Endpoint::Own(Own::Plan(_)), _)), "{path}");
                assert!(
                    matches!(routes.find(&Method::GET, path), Found::OtherMethod(methods) if methods == "POST")
                );
            }
        }
        for (path, why) in [
            ("", "must begin with a slash"),
            ("search", "must begin with a slash"),
            ("/", "the path of another endpoint"),
            ("/api/v1/search", "the path of another endpoint"),
            ("/api/v1/health", "the path of another endpoint"),
            // One of any name.
            ("/api/agents/a/knowledge", "the path of another endpoint"),
            ("/search?a=b", "has a character"),
            ("/{any}", "has a character"),
            ("/sear ch", "has a character"),
            ("/s\u{fc}che", "has a character"),
            ("/a/../search", "has the part"),
            ("/./search", "has the part"),
        ] {
            let failure = Routes::new(Some(path)).err().unwrap();
            assert!(failure.message.contains(why) && failure.hint.is_some(), "{path}: {failure}");
            assert_eq!(failure.status, crate::error::USAGE);
        }
    }

    /// The description lists the statuses that every endpoint can return.
    #[test]
    fn the_description_has_the_statuses_of_all_endpoints() {
        let described: Value = serde_json::from_str(super::super::DESCRIPTION).unwrap();
        for (method, path, endpoint) in TABLE {
            let common: &[&str] = match endpoint {
                Endpoint::Own(_) => &["400", "401", "403", "408", "409", "413", "415", "500", "503"],
                _ => &["403"],
            };
            let state: &[&str] = match endpoint {
                Endpoint::Own(Own::Document(_)) => &["412"],
                _ => &[],
            };
            let responses = &described["paths"][path][method.to_lowercase()]["responses"];
            for status in common.iter().chain(state) {
                assert!(responses[status].is_object(), "{method} {path}: {status}");
            }
        }
    }

    #[test]
    fn the_description_has_every_endpoint_and_no_other() {
        let described: Value = serde_json::from_str(super::super::DESCRIPTION).unwrap();
        let mut found = BTreeSet::new();
        for (path, methods) in described["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
                found.insert((method.to_uppercase(), path.clone()));
            }
        }
        let expected: BTreeSet<(String, String)> =
            TABLE.iter().map(|(method, path, _)| (method.to_string(), path.to_string())).collect();
        assert_eq!(found, expected);
    }
}
