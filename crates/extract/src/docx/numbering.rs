//! The forms of lists, from numbering.xml.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::styles::Styles;
use super::xml::{Events, Node, attribute, is_on};

/// Levels that a list has.
pub const LEVELS: u8 = 9;

/// The longest text of a level, in characters.
const MAX_LEVEL_TEXT: usize = 100;

/// Forms that are the form of a style, which is that of another one.
const MAX_LINKS: usize = 4;

/// How the items of a level are labeled.
#[derive(Clone, Debug)]
pub struct Level {
    /// The first number.
    pub start: u32,
    /// The format of numbers, as ISO/IEC 29500 names it.
    pub format: String,
    /// The fewest digits.
    pub width: usize,
    /// The label, with %1 for the number of the first level and so on. None for the number and a full stop.
    pub text: Option<String>,
    /// Whether the numbers of all levels are in digits here.
    pub legal: bool,
    /// Whether a gap follows the label.
    pub gap: bool,
    /// It begins again after an item of a level before this one; None for any higher level.
    pub restart: Option<u8>,
    /// The style whose paragraphs have this level.
    style: Option<String>,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            start: 1,
            format: "decimal".to_owned(),
            width: 0,
            text: None,
            legal: false,
            gap: true,
            restart: None,
            style: None,
        }
    }
}

impl Level {
    /// Whether its items have bullets.
    pub fn has_bullets(&self) -> bool {
        // A sign instead of a number is a bullet too.
        let is_sign = |text: &String| !text.contains('%') && !text.chars().any(char::is_alphanumeric);
        self.format == "bullet"
            || self.text.as_ref().is_some_and(|text| !text.trim().is_empty() && is_sign(text))
    }

    fn set(&mut self, name: &str, tag: &BytesStart<'_>) {
        let value = || attribute(tag, "val");
        match name {
            "start" => self.start = value().and_then(|start| start.parse().ok()).unwrap_or(1),
            "numFmt" => {
                self.format = value().unwrap_or_else(|| "decimal".to_owned());
                // Written like the first number of it, as in "001, 002, 003, ...".
                let first = attribute(tag, "format").filter(|_| self.format == "custom");
                self.width =
                    first.map_or(0, |format| format.bytes().take_while(u8::is_ascii_digit).count().min(9));
            }
            "lvlText" => self.text = value().map(|text| text.chars().take(MAX_LEVEL_TEXT).collect()),
            "isLgl" => self.legal = is_on(tag),
            "suff" => self.gap = value().is_none_or(|suffix| suffix != "nothing"),
            "lvlRestart" => self.restart = value().and_then(|level| level.parse().ok()),
            "pStyle" => self.style = value(),
            _ => {}
        }
    }
}

/// A form of lists.
#[derive(Default)]
struct Form {
    levels: HashMap<u8, Level>,
    /// The style that has its levels.
    link: Option<String>,
}

/// A list. Lists of the same form count on.
#[derive(Default)]
struct List {
    form: String,
    levels: HashMap<u8, Level>,
    starts: HashMap<u8, u32>,
}

/// The forms of lists.
#[derive(Default)]
pub struct Numbering {
    lists: HashMap<String, List>,
    forms: HashMap<String, Form>,
}

impl Numbering {
    /// Reads numbering.xml, as far as it is well-formed.
    pub fn read(xml: &str) -> Self {
        let mut reading = Reading::default();
        let mut events = Events::new(xml);
        while let Ok(Some(node)) = events.next() {
            match node {
                Node::Start(tag) => reading.start(tag.local_name().into_inner(), &tag),
                Node::End(name) => reading.end(&name),
                Node::Text(_) => {}
            }
        }
        reading.numbering
    }

    /// A list with its form. None if there is no such list.
    pub fn list<'s>(&'s self, list: &str, styles: &Styles) -> Option<Resolved<'s>> {
        let own = self.lists.get(list)?;
        let mut form = own.form.as_str();
        for _ in 0..MAX_LINKS {
            let link = self.forms.get(form).and_then(|form| form.link.as_deref());
            let linked = link.and_then(|style| self.lists.get(&styles.in_list(Some(style)).list?));
            let Some(linked) = linked else { break };
            form = linked.form.as_str();
        }
        Some(Resolved { form, list: own, levels: self.forms.get(form).map(|form| &form.levels) })
    }
}

/// A list with its form.
#[derive(Clone, Copy)]
pub struct Resolved<'a> {
    /// The form: lists of the same form count on.
    pub form: &'a str,
    list: &'a List,
    levels: Option<&'a HashMap<u8, Level>>,
}

impl<'a> Resolved<'a> {
    /// A level. None if nothing is said of it.
    pub fn level(self, level: u8) -> Option<&'a Level> {
        self.list.levels.get(&level).or_else(|| self.levels?.get(&level))
    }

    /// The number that the first item of this list has, if it is another one than that of its form.
    pub fn restart(self, level: u8) -> Option<u32> {
        self.list.starts.get(&level).copied()
    }

    /// The level of paragraphs of a style.
    pub fn of_style(self, style: &str) -> Option<u8> {
        (0..LEVELS)
            .find(|level| self.level(*level).is_some_and(|level| level.style.as_deref() == Some(style)))
    }
}

#[derive(Default)]
struct Reading {
    numbering: Numbering,
    form: Option<String>,
    list: Option<String>,
    /// The level of the list that is changed.
    changed: u8,
    level: Option<(u8, Level)>,
    /// Elements within what older programs show instead.
    fallback: bool,
}

impl Reading {
    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        let value = |name| attribute(tag, name);
        let number = |name| value(name).and_then(|number| number.parse::<u32>().ok());
        let level = || number("ilvl").and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
        match (name, &mut self.level) {
            _ if self.fallback => {}
            ("Fallback", _) => self.fallback = true,
            ("abstractNum", _) => self.form = value("abstractNumId"),
            ("num", _) => self.list = value("numId"),
            ("abstractNumId", _) => {
                if let (Some(list), Some(form)) = (&self.list, value("val")) {
                    self.numbering.lists.entry(list.clone()).or_default().form = form;
                }
            }
            ("numStyleLink", _) => {
                if let Some(form) = &self.form {
                    self.numbering.forms.entry(form.clone()).or_default().link = value("val");
                }
            }
            ("lvlOverride", _) => self.changed = level(),
            ("startOverride", _) => {
                if let Some(list) = &self.list {
                    let starts = &mut self.numbering.lists.entry(list.clone()).or_default().starts;
                    starts.insert(self.changed, number("val").unwrap_or(1));
                }
            }
            ("lvl", _) => self.level = Some((level(), Level::default())),
            (name, Some((_, level))) => level.set(name, tag),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "Fallback" => self.fallback = false,
            "abstractNum" => self.form = None,
            "num" => self.list = None,
            "lvl" => {
                let Some((at, level)) = self.level.take().filter(|(at, _)| *at < LEVELS) else { return };
                let levels = match (&self.list, &self.form) {
                    (Some(list), _) => &mut self.numbering.lists.entry(list.clone()).or_default().levels,
                    (None, Some(form)) => &mut self.numbering.forms.entry(form.clone()).or_default().levels,
                    (None, None) => return,
                };
                levels.insert(at, level);
            }
            _ => {}
        }
    }
}
