//! The arguments of kb-rag serve.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::{Connection, TlsFiles, name, origin, size};

/// Serve knowledge bases to applications by HTTP, and to people as a web page
///
/// The page is at /, its endpoints are below /api/v1 and described in /api/v1/openapi.json. Other endpoints have the paths and
/// bodies of other products, so that their clients work unchanged: the manual has tables.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Make a token, and its line of the file of tokens, for the role kb_reader:
  token=$(openssl rand -hex 32)
  echo \"$(printf %s \"$token\" | sha256sum | cut -d' ' -f1) kb_reader\" >> tokens

Exit status: 1 if it cannot go on, 2 for wrong arguments, 130 after Ctrl-C, 143 after kill.

Examples:
  kb-rag serve --database postgres://ann@db.example.com/app
  kb-rag serve --listen 0.0.0.0:8534 --tokens /etc/kb_rag/tokens --agents-base agents
  kb-rag serve --listen 0.0.0.0:8534 --tokens tokens --tls-certificate server.crt --tls-key server.key")]
pub struct Serve {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8534", value_parser = address)]
    pub listen: SocketAddr,

    /// A file with tokens and roles: each line has the SHA-256 of a token and the role that requests with it have
    ///
    /// The role that connects must be a member of these roles. Requests send Authorization: Bearer TOKEN. The word cron behind the
    /// role restricts the token to GET /api/cron/sync-knowledge, for a scheduler.
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    pub tokens: Option<PathBuf>,

    /// The file with the one token of all requests, which are the role that connects; the default is KB_RAG_TOKEN
    ///
    /// --tokens or a token is required if other machines can reach the address.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    #[command(flatten)]
    pub tls: TlsFiles,

    /// The knowledge base of /api/knowledge; all that the role may read by default
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub base: Option<String>,

    /// The knowledge base of /api/agents, which holds the URLs of all agents
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub agents_base: Option<String>,

    /// A further path of POST /agent-search, for manifests that call another one, such as /search
    #[arg(long, value_name = "PATH")]
    pub agent_search_path: Option<String>,

    /// The knowledge base that POST /agent-search searches for an agent to which none is attached; nothing by default
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub snippets_base: Option<String>,

    /// Let POST /api/knowledge/index load files below this directory
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// The largest file to upload, in bytes or with kB, MB or GB (powers of 1000)
    #[arg(long, value_name = "SIZE", default_value = "50MB", value_parser = size)]
    pub max_upload: u64,

    /// Answer web pages of this origin, such as https://app.example.com, besides its own; may be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    pub allow_origin: Vec<String>,

    /// The most connections to the database, each for one request at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub connections: u8,

    #[command(flatten)]
    pub connection: Connection,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "give an IP address and a port, such as 127.0.0.1:8534 or [::1]:8534".to_string())
}
