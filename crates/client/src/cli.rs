//! The arguments of the program.

mod manifest;
mod quality;
mod serve;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde_json::{Map, Value};

pub use manifest::{Check, ManifestFile, Retrieve};
pub use quality::{Evaluate, Questions, QuestionsCommand};
pub use serve::Serve;

/// The largest file that can be sent: PostgreSQL takes no value of 1 GiB, and the message has other parts.
const MAX_BYTES: u64 = 1_000_000_000;

/// The largest file that is sent if nothing else is asked for.
const DEFAULT_MAX_BYTES: u64 = 100_000_000;

/// Loads files into knowledge bases of kb_rag, the PostgreSQL extension, serves them to models, and measures them; runs the manifests of agents.
#[derive(Debug, Parser)]
#[command(name = "kb-rag", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Index(Index),
    Mcp(Mcp),
    Serve(Serve),
    Retrieve(Retrieve),
    Check(Check),
    Questions(Questions),
    Evaluate(Evaluate),
}

/// Load the files of a directory into a knowledge base, and keep them up to date
///
/// Each file becomes one document, read by the server: PDF, HTML, DOCX, Markdown, notebooks, subtitles and other text. Run the
/// command again after a change: only new and changed files are sent. A run that was interrupted continues with the next one.
///
/// Left out are hidden files, files that .gitignore or .ignore exclude, empty files, symbolic links, and files of kinds that
/// cannot be read, such as images, archives, XLSX, PPTX and EPUB.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Patterns are those of .gitignore: '*.md' matches at any depth, 'drafts/' a directory and all in it, '/notes/*.txt' from DIR on.

Exit status: 0 if all went well, 1 if a file failed or the run ended early, 2 for wrong arguments, 130 after Ctrl-C.

Examples:
  kb-rag index handbook --base support --database postgres://ann@db.example.com/app
  kb-rag index . --base code --glob '*.rs' --glob '*.md' --exclude tests/ --remove-missing")]
pub struct Index {
    /// The directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Only this file or directory below it.
    #[arg(skip)]
    pub below: Option<PathBuf>,

    /// The knowledge base, which exists already (SELECT kb_create('NAME'))
    #[arg(short, long, value_name = "NAME")]
    pub base: String,

    /// Name the source: what is loaded under the same name is the same source, even if the directory moved
    ///
    /// Without a name, the source is found by the path of the directory, and its title is the name of the directory.
    #[arg(long, value_name = "SOURCE", value_parser = name)]
    pub name: Option<String>,

    /// Load only files that match one of these patterns; may be repeated
    #[arg(short, long, value_name = "PATTERN")]
    pub glob: Vec<String>,

    /// Leave out files and directories that match; may be repeated
    #[arg(short = 'x', long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Delete the documents of this source whose file no longer exists or is empty
    ///
    /// Only documents that --glob and --exclude let pass are looked at. Documents of other sources stay.
    #[arg(long)]
    pub remove_missing: bool,

    /// Let --remove-missing delete all documents of the source
    #[arg(long, requires = "remove_missing")]
    pub force: bool,

    /// A JSON object that each document gets as metadata, for filters
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub metadata: Option<Map<String, Value>>,

    /// The language of the files, such as de or german; the default is that of the knowledge base
    #[arg(long, value_name = "LANGUAGE", value_parser = name)]
    pub language: Option<String>,

    /// The kind of the documents, as searches ask for it; by default, that of the name of the file.
    #[arg(skip)]
    pub source_type: Option<String>,

    /// The largest file to send, in bytes or with kB, MB or GB (powers of 1000); larger ones are reported as failed
    #[arg(long, value_name = "SIZE", default_value = "100MB", value_parser = size)]
    pub max_bytes: u64,

    /// How many files are sent at the same time, each over a connection of its own
    ///
    /// The server reads kb_rag.extract_workers files at a time, 2 by default.
    #[arg(short, long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub jobs: u8,

    #[command(flatten)]
    pub connection: Connection,

    /// Show what would be done, and change nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    /// Show only failures and warnings
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Show unchanged and skipped files too
    #[arg(short, long)]
    pub verbose: bool,
}

impl Index {
    /// To load what is `below` a directory, as a source of this name, without a terminal.
    pub fn part(
        directory: PathBuf,
        below: PathBuf,
        name: String,
        base: String,
        glob: Vec<String>,
        source_type: Option<String>,
        connection: Connection,
    ) -> Index {
        Index {
            directory,
            below: Some(below),
            base,
            name: Some(name),
            glob,
            exclude: Vec::new(),
            remove_missing: false,
            force: false,
            metadata: None,
            language: None,
            source_type,
            max_bytes: DEFAULT_MAX_BYTES,
            jobs: 2,
            connection,
            dry_run: false,
            quiet: true,
            verbose: false,
        }
    }
}

/// Serve knowledge bases to models, by the Model Context Protocol
///
/// The client, such as an editor or a chat program, starts this command and talks with it over standard input and output.
/// With --http it serves any number of clients. The models see what the role that it connects as may search, or what is
/// attached to an agent.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit status: 0 when the client ends the connection, 1 if it cannot go on, 2 for wrong arguments, 130 after Ctrl-C, 143
after kill.

Examples:
  kb-rag mcp --database postgres://reader@db.example.com/app
  kb-rag mcp --agent support-bot --tool-prefix kb_
  kb-rag mcp --agent assistant --allow-write --base memory
  kb-rag mcp --http 127.0.0.1:8533 --root /srv/handbook")]
pub struct Mcp {
    /// Offer what is attached to this agent (SELECT kb_attach_agent(kb_agent('NAME'), 'base'))
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub agent: Option<String>,

    /// Put this before the name of each tool, but not before search and fetch: letters, digits, _ and -
    #[arg(long, value_name = "PREFIX", default_value = "", value_parser = prefix)]
    pub tool_prefix: String,

    /// The level that search_knowledge shows if a model asks for none: passages, or a summary of each document
    #[arg(long, value_name = "LEVEL", value_parser = ["passages", "overview", "abstract"])]
    pub detail: Option<String>,

    /// Let models load files below this directory, with the tools index_file and index_directory
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// Let models save what they write in the base of --base, with the tool save_output
    ///
    /// The role needs the privilege write on it: SELECT kb_grant('NAME', 'role', 'write')
    #[arg(long, requires = "base")]
    pub allow_write: bool,

    /// The knowledge base of --allow-write
    #[arg(long, value_name = "NAME", requires = "allow_write", value_parser = name)]
    pub base: Option<String>,

    /// Serve over HTTP at this address, at the path /mcp, and not over standard input and output
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8533")]
    pub http: Option<SocketAddr>,

    /// The file with the token that clients must send over HTTP (Authorization: Bearer …); the default is KB_RAG_TOKEN
    ///
    /// Required if other machines can reach the address.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,

    #[command(flatten)]
    pub tls: TlsFiles,

    /// Answer web pages of this origin, such as https://chat.example.com, besides those of this machine; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http", value_parser = origin)]
    pub allow_origin: Vec<String>,

    /// The most connections to the database, each for one call at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub connections: u8,

    #[command(flatten)]
    pub connection: Connection,
}

/// How to serve over TLS.
#[derive(Clone, Debug, Args)]
pub struct TlsFiles {
    /// Serve HTTPS: a file in PEM with the certificate of the server, then intermediate certificates
    ///
    /// SIGHUP has it and the key read again.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,

    /// The private key of --tls-certificate, a file in PEM that others may not read
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
}

/// How to connect, for all subcommands.
#[derive(Clone, Debug, Args)]
pub struct Connection {
    /// The database: a URL (postgres://user@host/database) or a connection string ("host=… dbname=…")
    ///
    /// Default: DATABASE_URL, else PGHOST, PGPORT, PGUSER, PGDATABASE and the other variables of libpq, else the local
    /// server. Passwords come from PGPASSWORD or ~/.pgpass. A password in this argument is hidden from ps as soon as the
    /// program runs, but it may stay in the history of the shell.
    #[arg(short, long, value_name = "URL")]
    pub database: Option<String>,

    /// The role to be after connecting, if it is another one.
    #[arg(skip)]
    pub role: Option<String>,
}

fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_string());
    }
    if text.contains('\0') {
        return Err("it contains a NUL".to_string());
    }
    Ok(text.to_string())
}

fn prefix(text: &str) -> Result<String, String> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.len() <= 32 && text.chars().all(is_good) {
        return Ok(text.to_string());
    }
    Err("it must have at most 32 letters, digits, _ and -, as names of tools do".to_string())
}

fn origin(text: &str) -> Result<String, String> {
    match text.split_once("://") {
        Some(("http" | "https", host)) if !host.is_empty() && !host.contains('/') => Ok(text.to_string()),
        _ => Err("give a scheme and a host, such as https://chat.example.com, without a path".to_string()),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("it is no JSON object, such as {\"team\": \"sales\"}".to_string()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => return Err("give a number of bytes, or one with kB, MB or GB".to_string()),
    };
    let number: u64 =
        digits.trim().parse().map_err(|_| "give a number of bytes, or one with kB, MB or GB")?;
    match number.checked_mul(unit) {
        Some(bytes) if (1..=MAX_BYTES).contains(&bytes) => Ok(bytes),
        _ => Err("it must be between 1 byte and 1 GB, since PostgreSQL takes no larger value".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("1", 1), ("100MB", 100_000_000), ("5 kB", 5_000), ("1g", 1_000_000_000), ("7b", 7)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        assert_eq!(size("100MB"), Ok(DEFAULT_MAX_BYTES));
        for text in
            ["", "0", "2GB", "MB", "-1", "1.5MB", "1 MiB", "99999999999999999999", "18446744073709551615k"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn prefixes_and_origins() {
        for good in ["", "octipus_", "a-B9"] {
            assert!(prefix(good).is_ok(), "{good}");
        }
        for bad in ["a b", "é", "a.b", &"a".repeat(33)] {
            assert!(prefix(bad).is_err(), "{bad}");
        }
        for good in ["https://a.example", "http://localhost:3000"] {
            assert!(origin(good).is_ok(), "{good}");
        }
        for bad in ["a.example", "https://", "https://a.example/", "ftp://a.example", "*"] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn metadata_is_an_object() {
        assert!(object(r#"{"a": 1}"#).is_ok());
        assert!(object("[1]").is_err());
        assert!(object("{").is_err());
    }
}
