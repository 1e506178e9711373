//! The arguments of `retrieve` and `check`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

/// Search as the manifest of an agent says, and print what the agent would be given
///
/// Reads the search slot of the manifest and runs it as an agent's platform does: rewrites the conversation into one query,
/// embeds it, and searches the collection in the database at hostname, which needs pgvector and not kb_rag; or asks the
/// endpoint, for type external.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("conversation").required(true).args(["question", "messages"]),
    after_long_help = "\
Passwords and keys come from the environment variables that the manifest names, as in password: ${KB_PG_PASSWORD}.

Exit status: 0 with texts or without, even if the retrieval failed, which is a warning: an agent answers without them. \
With --strict, 1 after a warning. 2 for wrong arguments, a manifest with mistakes, or a variable that is not set.

Examples:
  kb-rag retrieve --manifest agent.yaml --question 'And for one-way rentals?'
  kb-rag retrieve --manifest agent.yaml --messages conversation.json --json"
)]
pub struct Retrieve {
    #[command(flatten)]
    pub file: ManifestFile,

    /// The question, as a conversation of one message of the customer
    #[arg(short, long, value_name = "TEXT")]
    pub question: Option<String>,

    /// A file with the conversation: a JSON array of objects with role and content, or - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub messages: Option<PathBuf>,

    /// A file with the text of the prompt that the manifest names: more instructions for the chat model
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,

    /// Search for the last message of the customer as it is, and ask no chat model
    #[arg(long)]
    pub no_rewrite: bool,

    /// The session, for an endpoint
    #[arg(long, value_name = "ID")]
    pub session_id: Option<String>,

    /// The agent, for an endpoint
    #[arg(long, value_name = "ID")]
    pub agent_id: Option<String>,

    /// Print the texts as a JSON array of strings, which is empty after a failure
    #[arg(long)]
    pub json: bool,

    /// Exit with status 1 after a warning
    #[arg(long)]
    pub strict: bool,
}

/// Check the search slot of an agent's manifest, and what it names
///
/// Looks at every field, connects to the database, and finds the collection, its columns, the dimensions of its vectors, the
/// key of the texts and the vector index; for type external, asks the endpoint. Prints one finding a line. Models are asked
/// only with --models.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit status: 0 if there is no error, 1 if there is one, 2 for wrong arguments or a file that cannot be read.

Example:
  kb-rag check --manifest agent.yaml --models")]
pub struct Check {
    #[command(flatten)]
    pub file: ManifestFile,

    /// Also ask the models: embeds one word, and has the chat model rewrite one question
    #[arg(long)]
    pub models: bool,
}

/// The manifest, and what may stand in for its `llms`.
#[derive(Debug, Args)]
pub struct ManifestFile {
    /// The manifest, or its search slot alone, in YAML or JSON; - for standard input
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,

    /// The URL of the router of models, which speaks the protocol of OpenAI, instead of llms.base_url
    #[arg(long, value_name = "URL")]
    pub router: Option<String>,

    /// The environment variable with the key of the router, instead of llms.api_key
    #[arg(long, value_name = "VARIABLE")]
    pub router_key: Option<String>,

    /// The chat model that rewrites conversations, instead of llms.default
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub chat_model: Option<String>,
}
