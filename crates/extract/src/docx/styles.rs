//! Styles.

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
        self.names(id).map_while(|name| self.styles.get(name))
    }

    /// The names of a style and those that it is based on.
    pub fn names<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = &'s str> {
        let mut next = id.or(self.default.as_deref());
        std::iter::from_fn(move || {
            let name = next?;
            next = self.styles.get(name).and_then(|style| style.based_on.as_deref());
            Some(name)
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
