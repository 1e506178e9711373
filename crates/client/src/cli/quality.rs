//! The arguments of `questions`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Connection, name};

/// Bring the questions that a knowledge base is measured with from a file, or write them to one
///
/// The file has one JSON object a line, with these members: question; what it is to find, by expected_keys (source_key of
/// documents), expected_documents (their ids) or expected_texts; filter; agent (a name) or agent_id; tags; weight; is_draft. All
/// but question may be left out.
#[derive(Debug, Args)]
pub struct Questions {
    #[command(subcommand)]
    pub command: QuestionsCommand,
}

#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    Import(Import),
    Export(Export),
}

impl Questions {
    pub fn connection(&self) -> &Connection {
        match &self.command {
            QuestionsCommand::Import(arguments) => &arguments.connection,
            QuestionsCommand::Export(arguments) => &arguments.connection,
        }
    }
}

/// Add the questions of a file to a knowledge base, all of them or none
///
/// A question that is there already is skipped: it has the same text, expects the same, and has the same filter and agent.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit status: 0 if all went well, 1 if the server refused, 2 for wrong arguments or a line with a mistake, 130 after Ctrl-C.

Example of a line:
  {\"question\": \"how do I get my money back\", \"expected_keys\": [\"refunds\"], \"tags\": [\"money\"]}

Example:
  kb-rag questions import --base support questions.jsonl")]
pub struct Import {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The knowledge base, which you administer
    #[arg(short, long, value_name = "NAME", value_parser = name)]
    pub base: String,

    #[command(flatten)]
    pub connection: Connection,
}

/// Write the questions of a knowledge base to standard output, as import reads them
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit status: 0 if all went well, 1 if the server refused, 2 for wrong arguments, 130 after Ctrl-C.

Example:
  kb-rag questions export --base support > questions.jsonl")]
pub struct Export {
    /// The knowledge base, which you administer
    #[arg(short, long, value_name = "NAME", value_parser = name)]
    pub base: String,

    /// Only questions that have this tag
    #[arg(long, value_name = "TAG", value_parser = name)]
    pub tag: Option<String>,

    #[command(flatten)]
    pub connection: Connection,
}
