//! The tools that a chat model may call to search knowledge bases: their descriptions, and the arguments of a call.

mod arguments;

use serde_json::{Value, json};

use crate::part;

pub use arguments::{Search, arguments, own_search, read, search};

/// The tool that searches one base is called this, then its slug.
const SEARCH_PREFIX: &str = "search_";
/// The tool that searches all bases.
pub const SEARCH: &str = "search_knowledge";
/// The tool that reads a document.
pub const READ: &str = "read_knowledge";

/// With more bases than this, none has a tool of its own: models choose badly among many tools.
const MAX_OWN_TOOLS: usize = 20;
/// The number of results of a call that does not ask for another.
pub const DEFAULT_LIMIT: i64 = 5;
/// The most results that a call may ask for.
pub const MAX_LIMIT: i64 = 50;
/// The most results that a call may skip.
pub const MAX_OFFSET: i64 = 1000;
/// The most passages before, and after, each result that a call may ask for.
pub const MAX_NEIGHBORS: i64 = 10;

/// The search modes that a model may ask for.
pub const MODES: [&str; 3] = ["hybrid", "semantic", "keyword"];

/// Which level of documents a search shows: passages, or one of the two summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The passages that were found.
    #[default]
    Passages,
    /// The main points of each document.
    Overview,
    /// Two or three sentences about each document.
    Abstract,
}

impl Detail {
    const ALL: [Detail; 3] = [Detail::Passages, Detail::Overview, Detail::Abstract];

    fn name(self) -> &'static str {
        match self {
            Detail::Passages => "passages",
            Detail::Overview => "overview",
            Detail::Abstract => "abstract",
        }
    }
}

/// A base that the tools search.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// The part of its tool's name after `search_`: letters a to z, digits and underscores.
    pub slug: &'a str,
    /// Its name in SQL.
    pub name: &'a str,
    /// For people and models.
    pub description: Option<&'a str>,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Letters, digits and underscores; at most 64 characters.
    pub name: String,
    /// For the model, which chooses by it.
    pub description: String,
    /// A JSON schema of the arguments.
    pub schema: Value,
}

impl Tool {
    /// As the Model Context Protocol lists tools.
    pub fn to_mcp(&self) -> Value {
        json!({"name": self.name, "description": self.description, "inputSchema": self.schema})
    }

    /// As Anthropic's Messages API takes tools.
    pub fn to_anthropic(&self) -> Value {
        json!({"name": self.name, "description": self.description, "input_schema": self.schema})
    }

    /// As Gemini's API takes function declarations: a subset of JSON schema.
    pub fn to_gemini(&self) -> Value {
        json!({"name": self.name, "description": self.description, "parameters": without_keywords(&self.schema)})
    }

    /// As OpenAI's chat API takes tools.
    pub fn to_openai(&self) -> Value {
        let function = json!({"name": self.name, "description": self.description, "parameters": self.schema});
        json!({"type": "function", "function": function})
    }
}

/// A schema without the keywords that Gemini does not know. A property may have the name of one.
fn without_keywords(schema: &Value) -> Value {
    const UNKNOWN: [&str; 3] = ["format", "default", "additionalProperties"];
    let Value::Object(members) = schema else { return schema.clone() };
    let kept = members.iter().filter(|(name, _)| !UNKNOWN.contains(&name.as_str()));
    let members = kept.map(|(name, value)| match (name.as_str(), value) {
        ("properties", Value::Object(properties)) => {
            let properties = properties.iter().map(|(name, of)| (name.clone(), without_keywords(of)));
            (name.clone(), Value::Object(properties.collect()))
        }
        _ => (name.clone(), value.clone()),
    });
    Value::Object(members.collect())
}

/// The name of the tool that searches one base. None where a base is called "knowledge": that is the tool for all.
fn own_name(slug: &str) -> Option<String> {
    let name = format!("{SEARCH_PREFIX}{slug}");
    (name != SEARCH).then_some(name)
}

/// Those of the tools for some bases that search one base. If there are too many bases, the one that searches all of them.
pub fn searches(bases: &[Base]) -> Vec<Tool> {
    let own = || bases.iter().filter_map(own_tool).collect::<Vec<_>>();
    let mut tools = if bases.len() <= MAX_OWN_TOOLS { own() } else { Vec::new() };
    if tools.len() < bases.len() {
        tools.push(search_tool(bases));
    }
    tools
}

/// The tools for some bases; none if there is no base.
pub fn list(bases: &[Base]) -> Vec<Tool> {
    if bases.is_empty() {
        return Vec::new();
    }
    let mut tools = Vec::new();
    if bases.len() <= MAX_OWN_TOOLS {
        tools.extend(bases.iter().filter_map(own_tool));
    }
    tools.push(search_tool(bases));
    tools.push(read_tool());
    tools
}

fn own_tool(base: &Base) -> Option<Tool> {
    let description = match base.description.map(str::trim).filter(|text| !text.is_empty()) {
        Some(description) => description.to_string(),
        None => format!(
            "Search the knowledge base \"{}\" for passages that answer a question. Cite the sources given with them.",
            base.name
        ),
    };
    let schema = schema(json!({"query": query_property()}), &["query"]);
    Some(Tool { name: own_name(base.slug)?, description, schema })
}

fn search_tool(bases: &[Base]) -> Tool {
    let about: Vec<String> = bases
        .iter()
        .filter_map(|base| {
            Some((base.name, base.description.map(str::trim).filter(|text| !text.is_empty())?))
        })
        .map(|(name, description)| format!("\n{name}: {description}"))
        .collect();
    let names: Vec<&str> = bases.iter().map(|base| base.name).collect();
    let properties = json!({
        "query": query_property(),
        "mode": {
            "type": "string", "enum": MODES, "default": "hybrid",
            "description": "hybrid finds by words and by meaning; semantic by meaning only; keyword by words only, for names and codes",
        },
        "limit": {
            "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
            "description": "How many passages at most",
        },
        "offset": {
            "type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0,
            "description": "How many of the best passages to skip, to see those that follow",
        },
        "neighbors": {
            "type": "integer", "minimum": 0, "maximum": MAX_NEIGHBORS, "default": 0,
            "description": "How many passages before and after each one to show with it, to read more of the document around it",
        },
        "detail": {
            "type": "string", "enum": Detail::ALL.map(Detail::name), "default": Detail::Passages.name(),
            "description": "passages shows what was found; overview the main points of each document, abstract two or three sentences about it",
        },
        "source_type": {
            "type": "string",
            "description": "Only documents of this kind, for example document, code or agent_output",
        },
        "knowledge_base": {"type": "string", "enum": names, "description": "Only this knowledge base; all if it is left out"},
    });
    let description = format!(
        "Search the knowledge bases for passages that answer a question. Cite the sources given with them; {READ} reads a \
         document by its id. Mode keyword finds exact names, numbers and codes.{}",
        about.concat()
    );
    Tool { name: SEARCH.to_string(), description, schema: schema(properties, &["query"]) }
}

fn read_tool() -> Tool {
    let properties = json!({
        "id": {"type": "string", "format": "uuid", "description": format!("The id of a document, as {SEARCH} gives it")},
        "offset": {
            "type": "integer", "minimum": 0, "default": 0,
            "description": "The character to begin at; the end of each part says the next one",
        },
        "max_chars": {
            "type": "integer", "minimum": 1, "maximum": part::MAX_CHARS, "default": part::DEFAULT_CHARS,
            "description": "How many characters at most",
        },
    });
    Tool {
        name: READ.to_string(),
        description: format!(
            "Read the text of a document that {SEARCH} has found. A long one is read in parts, each of which ends with a line that \
             says how to read on."
        ),
        schema: schema(properties, &["id"]),
    }
}

fn query_property() -> Value {
    json!({"type": "string", "description": "The question, or words to look for"})
}

fn schema(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Which tool a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'a> {
    /// The search of one base, by its place among the bases.
    One(usize),
    /// The search of all bases.
    All,
    /// Reading a document.
    Read,
    /// No tool has this name.
    Unknown(&'a str),
}

/// The tool of this name. A base keeps its own tool where there are too many to list.
pub fn find<'a>(name: &'a str, bases: &[Base]) -> Named<'a> {
    match name {
        SEARCH => Named::All,
        READ => Named::Read,
        _ => bases
            .iter()
            .position(|base| own_name(base.slug).is_some_and(|own| own == name))
            .map_or(Named::Unknown(name), Named::One),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUPPORT: Base =
        Base { slug: "support", name: "Support!", description: Some(" Questions of customers. ") };
    const DOCS: Base = Base { slug: "docs", name: "docs", description: None };

    fn names(tools: &[Tool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn each_base_has_a_tool_with_one_argument() {
        let tools = list(&[SUPPORT, DOCS]);
        assert_eq!(names(&tools), ["search_support", "search_docs", SEARCH, READ]);
        assert_eq!(tools[0].description, "Questions of customers.");
        assert!(tools[1].description.contains("\"docs\""));
        let properties = tools[0].schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["query"]);
        assert_eq!(tools[2].schema["properties"]["knowledge_base"]["enum"], json!(["Support!", "docs"]));
        assert!(tools[2].description.ends_with("\nSupport!: Questions of customers."));
        assert_eq!(list(&[]), []);
    }

    #[test]
    fn both_formats_say_the_same() {
        for tool in list(&[SUPPORT]) {
            let (mcp, openai) = (tool.to_mcp(), tool.to_openai());
            assert_eq!(openai["type"], "function");
            assert_eq!(openai["function"]["name"], mcp["name"]);
            assert_eq!(openai["function"]["description"], mcp["description"]);
            assert_eq!(openai["function"]["parameters"], mcp["inputSchema"]);
        }
    }

    #[test]
    fn the_other_formats_say_the_same() {
        for tool in list(&[SUPPORT]) {
            let (mcp, anthropic, gemini) = (tool.to_mcp(), tool.to_anthropic(), tool.to_gemini());
            assert_eq!(anthropic["input_schema"], mcp["inputSchema"]);
            assert_eq!(gemini["name"], mcp["name"]);
            assert_eq!(gemini["parameters"]["required"], mcp["inputSchema"]["required"]);
            let text = gemini.to_string();
            for keyword in ["\"format\":", "\"default\":", "\"additionalProperties\":"] {
                assert!(!text.contains(keyword), "{text}");
            }
        }
        let odd = json!({"properties": {"format": {"type": "string", "format": "uuid"}}, "default": 1});
        assert_eq!(without_keywords(&odd), json!({"properties": {"format": {"type": "string"}}}));
    }

    #[test]
    fn each_base_is_searched_by_one_tool() {
        assert_eq!(names(&searches(&[SUPPORT, DOCS])), ["search_support", "search_docs"]);
        assert_eq!(names(&searches(&[])), [""; 0]);
        let knowledge = Base { slug: "knowledge", name: "knowledge", description: None };
        assert_eq!(names(&searches(&[DOCS, knowledge])), ["search_docs", SEARCH]);
        let slugs: Vec<String> = (0..=MAX_OWN_TOOLS).map(|number| format!("b{number}")).collect();
        let bases: Vec<Base> =
            slugs.iter().map(|slug| Base { slug, name: slug, description: None }).collect();
        assert_eq!(names(&searches(&bases)), [SEARCH]);
        assert_eq!(searches(&bases[1..]).len(), MAX_OWN_TOOLS);
    }

    #[test]
    fn many_bases_have_one_tool() {
        let slugs: Vec<String> = (0..=MAX_OWN_TOOLS).map(|number| format!("b{number}")).collect();
        let bases: Vec<Base> =
            slugs.iter().map(|slug| Base { slug, name: slug, description: None }).collect();
        assert_eq!(list(&bases[1..]).len(), MAX_OWN_TOOLS + 2);
        assert_eq!(names(&list(&bases)), [SEARCH, READ]);
        assert_eq!(find("search_b0", &bases), Named::One(0));
    }

    #[test]
    fn a_base_called_knowledge_has_the_tool_for_all() {
        let base = Base { slug: "knowledge", name: "knowledge", description: None };
        assert_eq!(names(&list(&[base])), [SEARCH, READ]);
        assert_eq!(find(SEARCH, &[base]), Named::All);
    }

    #[test]
    fn tools_are_found_by_name() {
        let bases = [SUPPORT, DOCS];
        assert_eq!(find("search_docs", &bases), Named::One(1));
        assert_eq!(find(READ, &bases), Named::Read);
        for name in ["search_", "search_other", "docs", "", "SEARCH_docs"] {
            assert_eq!(find(name, &bases), Named::Unknown(name));
        }
    }
}
