//! The program kb-rag-manual, with which packages are made: writes the manual pages of kb-rag and its completions for shells,
//! from the definition of its arguments.
//!
//! usage: kb-rag-manual DIRECTORY

// Of the arguments, only their definition is used here.
#[allow(dead_code, unused_imports)]
mod cli;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;

const NAME: &str = "kb-rag";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(directory), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: kb-rag-manual DIRECTORY");
        return ExitCode::from(2);
    };
    match write(&PathBuf::from(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(directory: &Path) -> io::Result<()> {
    // A page on how to ask for pages says nothing.
    let command = cli::Cli::command().disable_help_subcommand(true);
    let pages = directory.join("man1");
    std::fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(command.clone(), &pages)?;
    let completions = directory.join("completions");
    std::fs::create_dir_all(&completions)?;
    for shell in [Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command.clone(), NAME, &completions)?;
    }
    std::fs::write(completions.join("kb-rag.bash"), bash(command)?)
}

/// clap_complete 4.6.11 splits a name with a hyphen where it lists the options of subcommands, and then finds none of them.
fn bash(mut command: Command) -> io::Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(Shell::Bash, &mut command, NAME, &mut script);
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    Ok(script.replace("kb__subcmd__rag__", "kb__rag__"))
}
