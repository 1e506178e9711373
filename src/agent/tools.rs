//! kb_tools: the tools of an agent, as a chat model is told them.

use kb_rag_core::tool::{self, Tool};
use pgrx::Uuid;

use super::scope;
use crate::base::{self, KnowledgeBase, Reach};
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::search;

/// Who reads the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A server or client of the Model Context Protocol.
    Mcp,
    /// OpenAI's chat API, and those that take the same.
    OpenAi,
}

impl Choice for Format {
    const WHAT: &'static str = "format";
    const ALL: &'static [Format] = &[Format::Mcp, Format::OpenAi];

    fn name(self) -> &'static str {
        match self {
            Format::Mcp => "mcp",
            Format::OpenAi => "openai",
        }
    }
}

impl Format {
    pub const DEFAULT: Format = Format::Mcp;
}

/// The tools of an agent; without one, of the caller.
pub fn tools(agent: Option<Uuid>, format: Format) -> Result<Jsonb> {
    let bases = match agent {
        Some(agent) => of_agent(agent)?,
        None => of_caller()?,
    };
    let tools = tool::list(&scope::named(&bases));
    let format = match format {
        Format::Mcp => Tool::to_mcp,
        Format::OpenAi => Tool::to_openai,
    };
    Jsonb::from_value(&tools.iter().map(format).collect::<Vec<_>>())
}

fn of_agent(agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    let bases = scope::attached(agent)?;
    if bases.is_empty() {
        search::remark_of_agent(agent)?;
    }
    Ok(bases)
}

fn of_caller() -> Result<Vec<KnowledgeBase>> {
    let mut found = base::circle()?;
    base::notify_of_outside(found.with_reach(Reach::Outside), "Name an agent to which they are attached.");
    let bases = found.take_open();
    if bases.is_empty() {
        search::remark_of_no_base();
    }
    Ok(bases)
}
