//! kb_tools: the tools of an agent, as a chat model is told them.

use kb_rag_core::tool::{self, Tool};
use kb_rag_core::url_template;
use pgrx::Uuid;
use serde_json::{Value, json};

use super::part::OUTSIDE;
use super::scope::{self, Base};
use super::spread;
use crate::base::{self, KnowledgeBase};
use crate::choice::Choice;
use crate::cluster;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::server;
use crate::search;

/// Who reads the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A server or client of the Model Context Protocol.
    Mcp,
    /// OpenAI's chat API, and those that take the same.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's API.
    Gemini,
}

impl Choice for Format {
    const WHAT: &'static str = "format";
    const ALL: &'static [Format] = &[Format::Mcp, Format::OpenAi, Format::Anthropic, Format::Gemini];

    fn name(self) -> &'static str {
        match self {
            Format::Mcp => "mcp",
            Format::OpenAi => "openai",
            Format::Anthropic => "anthropic",
            Format::Gemini => "gemini",
        }
    }
}

impl Format {
    pub const DEFAULT: Format = Format::Mcp;
}

/// Which tools are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// Those that search one base.
    Search,
}

impl Choice for Which {
    const WHAT: &'static str = "tools";
    const ALL: &'static [Which] = &[Which::All, Which::Search];

    fn name(self) -> &'static str {
        match self {
            Which::All => "all",
            Which::Search => "search",
        }
    }
}

impl Which {
    pub const DEFAULT: Which = Which::All;
}

/// The tools of an agent; without one, of the caller.
pub fn tools(agent: Option<Uuid>, format: Format, which: Which) -> Result<Jsonb> {
    let bases = cluster::here_or_over(bases_of(agent), |groups| over_nodes(agent, groups))?;
    let named = scope::named(&bases);
    let tools = match which {
        Which::All => tool::list(&named),
        Which::Search => tool::searches(&named),
    };
    let format = match format {
        Format::Mcp => Tool::to_mcp,
        Format::OpenAi => Tool::to_openai,
        Format::Anthropic => Tool::to_anthropic,
        Format::Gemini => Tool::to_gemini,
    };
    Jsonb::from_value(&tools.iter().map(format).collect::<Vec<_>>())
}

/// How the configuration of a client is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFormat {
    /// A JSON array.
    Json,
    /// The same as one word of a shell.
    Shell,
}

impl Choice for ConfigFormat {
    const WHAT: &'static str = "format";
    const ALL: &'static [ConfigFormat] = &[ConfigFormat::Json, ConfigFormat::Shell];

    fn name(self) -> &'static str {
        match self {
            ConfigFormat::Json => "json",
            ConfigFormat::Shell => "shell",
        }
    }
}

impl ConfigFormat {
    pub const DEFAULT: ConfigFormat = ConfigFormat::Json;
}

/// The bases of an agent, or of the caller, as clients are configured that make a search tool of each: an object with `kb_id`, `name`,
/// `description`, `connection_url`, `embedding_provider` and `embedding_model` for each. Without a URL, that of this database for
/// the current role, without a password.
pub fn config(agent: Option<Uuid>, format: ConfigFormat, connection_url: Option<&str>) -> Result<String> {
    let bases = cluster::here_or_elsewhere(bases_of(agent), |groups| over_nodes(agent, groups))?;
    let own_url = || -> Result<String> {
        let name = |text: &str| url_template::encoded(text);
        let host = server::address()?.unwrap_or_else(|| "localhost".to_string());
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let (role, database) = (role::role_name(role::current_role())?, server::current_database()?);
        Ok(format!("postgresql://{}@{host}:{}/{}", name(&role), server::port(), name(&database)))
    };
    let url = connection_url.map_or_else(own_url, |url| Ok(url.to_string()))?;
    let objects: Vec<Value> = bases
        .iter()
        .map(|base| {
            let (provider, model) = base.model.split_once('/').unwrap_or(("", &base.model));
            let of_name = || format!("Documents and knowledge about {}", base.name);
            let description = base.description.clone().filter(|text| !text.trim().is_empty());
            json!({
                "kb_id": base.name,
                "name": base.name,
                "description": description.unwrap_or_else(of_name),
                "connection_url": url,
                "embedding_provider": provider,
                "embedding_model": model,
            })
        })
        .collect();
    let text = Value::Array(objects).to_string();
    Ok(match format {
        ConfigFormat::Json => text,
        ConfigFormat::Shell => format!("'{}'", text.replace('\'', "'\\''")),
    })
}

fn bases_of(agent: Option<Uuid>) -> Result<Vec<Base>> {
    Ok(agent.map_or_else(of_caller, of_agent)?.iter().map(Base::from).collect())
}

fn of_agent(agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    let bases = scope::attached(agent)?;
    if bases.is_empty() {
        search::remark_of_agent(agent)?;
    } else if !base::uses_knowledge_base(agent)? {
        search::remark_of_idle_agent(agent);
        return Ok(Vec::new());
    }
    Ok(bases)
}

/// The same on the nodes of these groups.
fn over_nodes(agent: Option<Uuid>, groups: &[i32]) -> Result<Vec<Base>> {
    let (mut bases, homes) = spread::bases(agent, groups, true)?;
    let searched: Vec<Uuid> = homes.searched().collect();
    let is_any = !bases.is_empty();
    bases.retain(|base| searched.contains(&base.id));
    if bases.is_empty() {
        match agent {
            Some(agent) if is_any => search::remark_of_idle_agent(agent),
            Some(_) => {}
            None => search::remark_of_no_base(),
        }
    }
    Ok(bases)
}

fn of_caller() -> Result<Vec<KnowledgeBase>> {
    cluster::require_all_here()?;
    let mut found = base::circle()?;
    base::notify_of_outside(&found.outside(), OUTSIDE);
    let bases = found.take_open();
    if bases.is_empty() {
        search::remark_of_no_base();
    }
    Ok(bases)
}
