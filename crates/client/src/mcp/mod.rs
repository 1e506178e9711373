//! `kb-rag mcp`: knowledge bases as tools of the Model Context Protocol (<https://modelcontextprotocol.io>).
//!
//! The SQL functions kb_tools and kb_call_tool do the work. [`server`] answers the protocol's requests, [`tools`] lists what
//! there is, [`call`] runs a tool, [`database`] keeps the connections, [`stdio`] and [`http`] are the transports, and [`wire`]
//! answers messages that are none.

mod call;
mod connector;
mod files;
mod http;
mod quote;
mod save;
mod scan;
mod server;
mod sessions;
mod stdio;
mod surrogate;
mod tools;
mod watch;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::time::timeout;

use crate::cli::Mcp;
use crate::connect::Connector;
use crate::database::Database;
use crate::error::{Failure, Result};
use crate::http_server::Tls;
use crate::http_server::token::Token;
use crate::output;
use crate::root::Root;
use crate::signals::Signals;
use server::{Server, Shared};
use stdio::Stdio;
use tools::Names;
use watch::Watch;

/// How long the end of the program waits for the first connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs the subcommand. Returns the exit status.
pub async fn run(arguments: Mcp) -> Result<u8> {
    let mut signals = Signals::new()?;
    if arguments.http.is_none() && arguments.tls.tls_certificate.is_some() {
        return Err(Failure::usage("--tls-certificate is for --http"));
    }
    let connector = Arc::new(Connector::from_connection(&arguments.connection)?);
    let database = Arc::new(Database::new(connector, arguments.connections));
    // A wrong address or a missing extension shows at once; a server that comes later does no harm.
    let first = Arc::clone(&database);
    let outputs = arguments.base.clone().filter(|_| arguments.allow_write);
    let saved_in = outputs.clone();
    let checking = tokio::spawn(async move {
        let checked = match (first.check().await, saved_in) {
            (Ok(()), Some(base)) => save::check(&first, &base).await,
            (checked, _) => checked,
        };
        if let Err(failure) = checked {
            output::error(&format!("warning: {failure}"));
        }
    });
    let files =
        arguments.root.as_deref().map(|root| Root::new(root, arguments.connection.clone())).transpose()?;
    let watch = Arc::new(Watch::new());
    let shared = Arc::new(Shared {
        database,
        agent: arguments.agent.clone(),
        names: Names::new(&arguments.tool_prefix, arguments.detail.clone()),
        files,
        outputs,
        watch,
    });
    let database = Arc::clone(&shared.database);
    let result = match arguments.http {
        None => tokio::select! {
            ended = over_stdio(Arc::clone(&shared)) => ended.map(|()| 0),
            () = shared.watch() => Ok(0),
            status = signals.next() => Ok(status),
        },
        Some(address) => {
            let token = Token::read(arguments.token_file.as_deref())?;
            let tls = Tls::read(arguments.tls)?;
            let settings = http::Settings { address, token, origins: arguments.allow_origin, tls };
            tokio::select! {
                ended = http::serve(Arc::clone(&shared), settings) => ended.map(|()| 0),
                status = signals.next() => Ok(status),
            }
        }
    };
    // A client that has nothing to ask still gets the warning.
    let _ = timeout(PATIENCE, checking).await;
    database.close().await;
    if let Some(files) = &shared.files {
        files.close().await;
    }
    result
}

/// Serves the client that started this program, until it closes standard input.
async fn over_stdio(shared: Arc<Shared>) -> Result<()> {
    let ended = |error: &dyn std::error::Error| Failure::new(format!("the protocol ended: {error}"));
    let (input, output) = stdio_pipes();
    match Server::new(shared).serve(Stdio::new(input, output)).await {
        Ok(service) => service.waiting().await.map(|_| ()).map_err(|error| ended(&error)),
        // The client closed the connection before the first request.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ended(&error)),
    }
}
