//! The program kb-rag: what belongs outside the server. Each subcommand is a module; `connect` and `error` are shared.

mod cli;
mod connect;
mod database;
mod error;
mod extension;
mod http_server;
mod index;
mod input;
mod manifest;
mod mcp;
mod output;
mod quality;
mod root;
mod serve;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command, Connection};
use error::{FAILED, Failure, Result};

fn main() -> ExitCode {
    // Exits with status 2 after a wrong argument.
    let cli = Cli::parse();
    let run = || -> Result<u8> {
        match cli.command {
            Command::Index(arguments) => finish(&arguments.connection.clone(), index::run(arguments)),
            Command::Serve(arguments) => finish(&arguments.connection.clone(), serve::run(arguments)),
            Command::Mcp(arguments) => finish(&arguments.connection.clone(), mcp::run(arguments)),
            Command::Questions(arguments) => {
                finish(&arguments.connection().clone(), quality::questions(arguments))
            }
            Command::Evaluate(arguments) => {
                finish(&arguments.connection.clone(), quality::evaluate(arguments))
            }
            Command::Retrieve(arguments) => run_to_end(manifest::retrieve(arguments)),
            Command::Check(arguments) => run_to_end(manifest::check(arguments)),
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

/// Runs a subcommand that connects to `--database`. Returns the exit status.
fn finish(connection: &Connection, subcommand: impl Future<Output = Result<u8>>) -> Result<u8> {
    connect::hide_password(connection.database.as_deref())?;
    run_to_end(subcommand)
}

/// Runs a subcommand. Returns the exit status.
fn run_to_end(subcommand: impl Future<Output = Result<u8>>) -> Result<u8> {
    let runtime = runtime()?;
    let result = runtime.block_on(subcommand);
    // Does not wait for what reads files or standard input, or for a server that does not answer.
    runtime.shutdown_background();
    result
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| Failure {
        status: FAILED,
        ..Failure::new(format!("the program cannot start: {error}"))
    })
}
