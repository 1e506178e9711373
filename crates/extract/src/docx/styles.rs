//! Styles and the forms of lists.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::xml::{Events, Node, attribute, is_on};

/// Styles based on styles: Word allows ten.
const MAX_CHAIN: usize = 20;

/// Where a paragraph stands in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InList {
    /// The list; "0" for none.
    pub list: Option<String>,
    /// The level, from 0.
    pub level: Option<u8>,
}

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    in_list: InList,
    hidden: Option<bool>,
}

/// The styles of a document.
#[derive(Default)]
pub struct Styles {
    styles: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    default: Option<String>,
    /// The language of the document.
    pub language: Option<String>,
}

impl Styles {
    /// Reads styles.xml, as far as it is well-formed.
    pub fn read(xml: &str) -> Self {
        let mut styles = Self::default();
        let mut events = Events::new(xml);
        let mut open: Option<(String, Style)> = None;
        let mut defaults = false;
        while let Ok(Some(node)) = events.next() {
            match node {
                Node::Start(tag) => match (tag.local_name().into_inner(), &mut open) {
                    ("docDefaults", _) => defaults = true,
                    ("lang", _) if defaults => {
                        styles.language =
                            attribute(&tag, "val").as_deref().and_then(crate::pdf::properties::language);
                    }
                    ("style", _) => {
                        let id = attribute(&tag, "styleId").unwrap_or_default();
                        let paragraph = attribute(&tag, "type").is_some_and(|kind| kind == "paragraph");
                        if paragraph
                            && attribute(&tag, "default").is_some_and(|value| value == "1" || value == "true")
                        {
                            styles.default = Some(id.clone());
                        }
                        open = Some((id, Style::default()));
                    }
                    (name, Some((_, style))) => style.set(name, &tag),
                    _ => {}
                },
                Node::End(name) if name == "docDefaults" => defaults = false,
                Node::End(name) if name == "style" => styles.styles.extend(open.take()),
                _ => {}
            }
        }
        styles
    }

    /// A style and those that it is based on.
    fn chain<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = &'s Style> {
        let mut next = id.or(self.default.as_deref());
        std::iter::from_fn(move || {
            let style = self.styles.get(next?)?;
            next = style.based_on.as_deref();
            Some(style)
        })
        .take(MAX_CHAIN)
    }

    /// The level of headings of this style, from 1; None for other text.
    pub fn heading(&self, id: Option<&str>) -> Option<u8> {
        if let Some(level) = self.chain(id).find_map(Style::heading) {
            return level;
        }
        // Without a definition its name must do. Word makes it from the style's name in the user's language.
        let id = id.filter(|id| !self.styles.contains_key(*id))?;
        let level = id.strip_prefix("Heading").or_else(|| id.strip_prefix("heading"))?;
        level.parse().ok().filter(|level| (1..=9).contains(level))
    }

    /// The list of paragraphs of this style.
    pub fn in_list(&self, id: Option<&str>) -> InList {
        let list = self.chain(id).find_map(|style| style.in_list.list.clone());
        InList { list, level: self.chain(id).find_map(|style| style.in_list.level) }
    }

    /// Whether text of this style is hidden.
    pub fn hidden(&self, id: &str) -> bool {
        self.chain(Some(id)).find_map(|style| style.hidden).unwrap_or(false)
    }
}

impl Style {
    fn set(&mut self, name: &str, tag: &BytesStart<'_>) {
        let value = || attribute(tag, "val");
        match name {
            "name" => self.name = value().unwrap_or_default().to_lowercase(),
            "basedOn" => self.based_on = value(),
            "outlineLvl" => self.outline = value().and_then(|level| level.parse().ok()),
            "numId" => self.in_list.list = value(),
            "ilvl" => self.in_list.level = value().and_then(|level| level.parse().ok()),
            "vanish" => self.hidden = Some(is_on(tag)),
            _ => {}
        }
    }

    /// What the style says of headings: a level, explicitly none, or nothing.
    fn heading(&self) -> Option<Option<u8>> {
        match self.outline {
            Some(level @ 0..=8) => return Some(Some(level + 1)),
            Some(_) => return Some(None),
            None => {}
        }
        // The names of built-in styles are English in all languages.
        if self.name == "title" {
            return Some(Some(1));
        }
        let level = self.name.strip_prefix("heading ")?.trim().parse().ok()?;
        (1..=9).contains(&level).then_some(Some(level))
    }
}

/// The forms of lists.
#[derive(Default)]
pub struct Numbering {
    /// Of each list: its form, and where its levels start instead.
    lists: HashMap<String, (String, HashMap<u8, u32>)>,
    /// Of each form and level: whether it is numbered, and where it starts.
    forms: HashMap<(String, u8), (bool, u32)>,
}

impl Numbering {
    /// Reads numbering.xml, as far as it is well-formed.
    pub fn read(xml: &str) -> Self {
        let mut numbering = Self::default();
        let mut events = Events::new(xml);
        let (mut form, mut list, mut level) = (None, None, 0);
        while let Ok(Some(node)) = events.next() {
            let tag = match node {
                Node::Start(tag) => tag,
                Node::End(name) => {
                    form = form.filter(|_| name != "abstractNum");
                    list = list.filter(|_| name != "num");
                    continue;
                }
                Node::Text(_) => continue,
            };
            let value = |name| attribute(&tag, name);
            match tag.local_name().into_inner() {
                "abstractNum" => form = value("abstractNumId"),
                "num" => list = value("numId"),
                "abstractNumId" => {
                    if let (Some(list), Some(form)) = (&list, value("val")) {
                        numbering.lists.entry(list.clone()).or_default().0 = form;
                    }
                }
                "lvl" | "lvlOverride" => {
                    level = value("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0)
                }
                "numFmt" => {
                    if let Some(form) = &form {
                        let numbered = !matches!(value("val").as_deref(), Some("bullet" | "none"));
                        numbering.forms.entry((form.clone(), level)).or_insert((true, 1)).0 = numbered;
                    }
                }
                "start" => {
                    let start = value("val").and_then(|start| start.parse().ok()).unwrap_or(1);
                    if let Some(form) = &form {
                        numbering.forms.entry((form.clone(), level)).or_insert((true, 1)).1 = start;
                    }
                }
                "startOverride" => {
                    let start = value("val").and_then(|start| start.parse().ok()).unwrap_or(1);
                    if let Some(list) = &list {
                        numbering.lists.entry(list.clone()).or_default().1.insert(level, start);
                    }
                }
                _ => {}
            }
        }
        numbering
    }

    /// How a level of a list is numbered; None if it has bullets.
    pub fn numbered(&self, list: &str, level: u8) -> Option<Numbered<'_>> {
        let (form, starts) = self.lists.get(list)?;
        let (numbered, start) = self.forms.get(&(form.clone(), level)).copied().unwrap_or((false, 1));
        numbered.then(|| Numbered { form, start, restart: starts.get(&level).copied() })
    }

    /// The form of a list.
    pub fn form(&self, list: &str) -> Option<&str> {
        self.lists.get(list).map(|(form, _)| form.as_str())
    }
}

/// How items are numbered.
pub struct Numbered<'a> {
    /// The form: lists of the same form count on.
    pub form: &'a str,
    /// The first number.
    pub start: u32,
    /// The number that the first item of this list has instead.
    pub restart: Option<u32>,
}
