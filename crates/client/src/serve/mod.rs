//! `kb-rag serve`: knowledge bases for applications by HTTP, and for people as a web page.
//!
//! The SQL functions do the work. [`routes`] says which endpoint answers a request; [`api`], [`knowledge`] and [`agents`] make
//! statements out of requests, without any I/O; [`server`] lets requests in, as a role of [`roles`], and has the database carry
//! them out, each in a transaction of its own.

mod agents;
mod answer;
mod api;
mod bases;
mod edit;
mod evaluation;
mod fields;
mod form;
mod knowledge;
mod notices;
mod page;
mod plan;
mod roles;
mod routes;
mod server;
mod tools;

use std::env;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::cli::Serve;
use crate::connect::Connector;
use crate::database::{Database, Statement, text};
use crate::error::{Failure, Result};
use crate::http_server::cors::Origins;
use crate::http_server::token::{self, Token};
use crate::http_server::{self, Memory, Tls};
use crate::output;
use crate::root::Root;
use crate::signals::Signals;
use notices::Notices;
use roles::Roles;
use routes::{Routes, SNIPPETS, Settings};
use server::{Health, Server};

/// The OpenAPI document of all endpoints.
const DESCRIPTION: &str = include_str!("openapi.json");

/// How long the end of the program waits for the first connection.
const PATIENCE: Duration = Duration::from_secs(1);
/// The memory for bodies of requests, in addition to two uploads of the largest size.
const BODIES: usize = 128 * 1024 * 1024;

/// Runs the subcommand. Returns the exit status.
pub async fn run(arguments: Serve) -> Result<u8> {
    let mut signals = Signals::new()?;
    let roles = match &arguments.tokens {
        Some(_) if env::var_os(token::VARIABLE).is_some() => {
            return Err(Failure::usage(format!("there are --tokens and {}", token::VARIABLE))
                .hint(format!("Remove {} from the environment, or leave out --tokens.", token::VARIABLE)));
        }
        Some(file) => Roles::read(file)?,
        None => Token::read(arguments.token_file.as_deref())?.map_or(Roles::Open, Roles::One),
    };
    // find() takes away such a slash of requests.
    let search_path = arguments.agent_search_path.as_deref().map(|path| match path.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() => shorter,
        _ => path,
    });
    let routes = Routes::new(search_path)?;
    let names = roles.names();
    let connector = Arc::new(Connector::from_connection(&arguments.connection)?);
    let database = Arc::new(Database::new(Arc::clone(&connector), arguments.connections));
    // Not of the pool, so that a server that is busy is not taken for one that is away.
    let health = Database::new(Arc::clone(&connector), 1).impatient();
    let root =
        arguments.root.as_deref().map(|root| Root::new(root, arguments.connection.clone())).transpose()?;
    let max_upload = usize::try_from(arguments.max_upload).unwrap_or(usize::MAX);
    let settings = Settings {
        base: arguments.base,
        agents_base: arguments.agents_base,
        snippets_base: arguments.snippets_base,
        has_root: root.is_some(),
        max_upload,
        need_token: roles.need_token(),
    };
    let hint = "Name a file of tokens and roles with --tokens, or a token with --token-file or KB_RAG_TOKEN.";
    let tls = Tls::read(arguments.tls)?;
    let (listener, address) = http_server::listen(arguments.listen, roles.need_token(), hint).await?;
    let server = Arc::new(Server {
        routes,
        description: described(search_path)?,
        settings,
        roles,
        origins: Origins::only(arguments.allow_origin),
        health: Health::new(health),
        database: Arc::clone(&database),
        root,
        notices: Notices::default(),
        memory: Memory::new(max_upload.saturating_mul(2).saturating_add(BODIES)),
    });
    output::error(&format!("kb-rag serve listens on {}://{address}", http_server::scheme(tls.as_ref())));
    // A wrong address, a missing extension or role shows at once; a database that comes later does no harm.
    let first = Arc::clone(&database);
    let checking = tokio::spawn(async move {
        if let Err(failure) = check(&first, names).await {
            output::error(&format!("warning: {failure}"));
        }
    });
    let status = tokio::select! {
        never = http_server::serve(&listener, &server, tls.as_ref()) => match never {},
        status = signals.next() => status,
    };
    let _ = timeout(PATIENCE, checking).await;
    database.close().await;
    if let Some(root) = &server.root {
        root.close().await;
    }
    Ok(status)
}

/// The OpenAPI document, with another path for snippets if there is one.
fn described(search_path: Option<&str>) -> Result<String> {
    let Some(path) = search_path.filter(|path| *path != SNIPPETS) else {
        return Ok(DESCRIPTION.to_string());
    };
    let broken = |error| Failure::new(format!("the description of the endpoints is broken: {error}"));
    let mut description: Value = serde_json::from_str(DESCRIPTION).map_err(broken)?;
    let mut endpoint = description["paths"][SNIPPETS].clone();
    endpoint["post"]["operationId"] = Value::from("agentSearchAtPath");
    description["paths"][path] = endpoint;
    Ok(description.to_string())
}

/// Connects, and looks whether requests can have these roles.
async fn check(database: &Database, names: Vec<String>) -> Result<()> {
    database.check().await?;
    for name in names {
        let statement =
            Statement { sql: include_str!("sql/may_be.sql"), parameters: vec![text(Some(name.clone()))] };
        let Ok(Some(row)) = database.once(statement).await else { return Ok(()) };
        if !row.try_get(0).unwrap_or(false) {
            let failure = Failure::new(format!("requests as role \"{name}\" will be refused"))
                .hint(format!("Create the role, and GRANT \"{name}\" TO the role that kb-rag connects as."));
            output::error(&format!("warning: {failure}"));
        }
    }
    Ok(())
}
