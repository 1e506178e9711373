//! The program kb-rag: what belongs outside the server. Each subcommand is a module; `connect` and `error` are shared.

mod cli;
mod connect;
mod error;
mod index;
mod mcp;
mod output;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use error::{FAILED, Failure, Result};

fn main() -> ExitCode {
    // Exits with status 2 after a wrong argument.
    let cli = Cli::parse();
    let run = || -> Result<u8> {
        match cli.command {
            Command::Index(arguments) => {
                connect::hide_password(arguments.connection.database.as_deref())?;
                let runtime = runtime()?;
                let result = runtime.block_on(index::run(arguments));
                // Interrupted, it does not wait for what reads files or for a server that does not answer.
                runtime.shutdown_background();
                result
            }
            Command::Mcp(arguments) => {
                connect::hide_password(arguments.connection.database.as_deref())?;
                let runtime = runtime()?;
                let result = runtime.block_on(mcp::run(arguments));
                // A client may hold standard input open.
                runtime.shutdown_background();
                result
            }
        }
    };
    match run() {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            output::error(&format!("error: {failure}"));
            ExitCode::from(failure.status)
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| Failure {
        status: FAILED,
        ..Failure::new(format!("the program cannot start: {error}"))
    })
}
