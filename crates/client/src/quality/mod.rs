//! The subcommands `questions` and `evaluate`: measuring a knowledge base with questions whose answers are known.

mod base;
mod compare;
mod evaluate;
mod floor;
mod junit;
mod other;
mod question;
mod run;
mod show;
mod transfer;

pub use evaluate::evaluate;

use std::time::Duration;

use tokio::time::timeout;

use crate::cli::{Questions, QuestionsCommand};
use crate::connect::{Connector, Session};
use crate::error::Result;
use crate::output;
use crate::signals::Signals;

/// How long a server may take to answer a request to cancel.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the subcommand `questions`. Returns the exit status.
pub async fn questions(arguments: Questions) -> Result<u8> {
    match arguments.command {
        QuestionsCommand::Import(arguments) => {
            let lines = transfer::read(&arguments.file)?;
            let connector = Connector::from_connection(&arguments.connection)?;
            until_interrupted(&connector, async |session| {
                transfer::import(session, &arguments.base, &lines).await
            })
            .await
        }
        QuestionsCommand::Export(arguments) => {
            let connector = Connector::from_connection(&arguments.connection)?;
            until_interrupted(&connector, async |session| {
                transfer::export(session, &arguments.base, arguments.tag.as_deref()).await
            })
            .await
        }
    }
}

/// Connects, and works until the end or a signal, which cancels the statement. Returns the exit status.
async fn until_interrupted(
    connector: &Connector,
    work: impl AsyncFnOnce(&Session) -> Result<u8>,
) -> Result<u8> {
    let mut signals = Signals::new()?;
    let session = tokio::select! {
        session = connector.connect() => session?,
        status = signals.next() => return Ok(status),
    };
    let token = session.client.cancel_token();
    tokio::select! {
        status = work(&session) => status,
        status = signals.next() => {
            // The end of the connection rolls back, once the server notices it.
            let _ = timeout(PATIENCE, connector.cancel(&token)).await;
            output::error("interrupted");
            Ok(status)
        }
    }
}
