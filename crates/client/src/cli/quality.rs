//! The arguments of `questions` and `evaluate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::{Connection, name, object};

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

/// Ask a knowledge base its questions, and fail if it finds less than it has to
///
/// Prints the figures with their 95 % intervals. The manual explains them: Quality.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit status: 0 if all went well, 1 if a figure is below its floor, if the other run was better (p < .05 for nDCG@10), or if \
the server refused, 2 for wrong arguments, 130 after Ctrl-C.

Examples:
  kb-rag evaluate --base support --min-hit5 .9
  kb-rag evaluate --base support --questions questions.jsonl --against last.json --save last.json --junit quality.xml
  kb-rag evaluate --base support --arguments '{\"mode\": \"keyword\"}' --against before")]
pub struct Evaluate {
    /// The knowledge base, which you administer
    #[arg(short, long, value_name = "NAME", value_parser = name)]
    pub base: String,

    /// Arguments of kb_search by name, as a JSON object
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub arguments: Option<Map<String, Value>>,

    /// Ask the questions of this file, or of standard input with -, in place of those of the knowledge base
    ///
    /// The file is that of kb-rag questions import. Nothing of it stays in the knowledge base.
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,

    /// Only questions that have this tag
    #[arg(long, value_name = "TAG", value_parser = name)]
    pub tag: Option<String>,

    /// The least share of questions with a right result at the top, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_first_hit: Option<f64>,

    /// The least share of questions with a right result among the first five
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_hit5: Option<f64>,

    /// The least nDCG@10
    #[arg(long, value_name = "FIGURE", value_parser = share)]
    pub min_ndcg: Option<f64>,

    /// Compare with a run: a file of --save, or the name of a run that kb_evaluate kept (save_as)
    #[arg(long, value_name = "FILE|NAME", value_parser = name)]
    pub against: Option<String>,

    /// Write the figures, and those of each question, to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Print them as JSON, in place of tables
    #[arg(long)]
    pub json: bool,

    /// Write a report of JUnit to this file: a test for each floor, for the comparison, and for each question
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    #[command(flatten)]
    pub connection: Connection,

    /// Show progress without a terminal, and name the questions that failed
    #[arg(short, long)]
    pub verbose: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1, such as .9".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        assert_eq!([".9", "0", "1", " 0.25"].map(share), [Ok(0.9), Ok(0.0), Ok(1.0), Ok(0.25)]);
        for wrong in ["", "90", "-0.1", "1.01", "NaN", "inf", "90%"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
