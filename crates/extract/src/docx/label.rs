//! The labels of numbered paragraphs, as Word shows them.

use std::collections::{HashMap, HashSet};

use super::number::written;
use super::numbering::{LEVELS, Level, Numbering, Resolved};
use super::styles::{InList, Styles};

/// What stands before the text of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// A bullet.
    Bullet,
    /// A text.
    Text {
        /// The label, such as "(b)".
        own: String,
        /// The label with those that it stands below, such as "1.1 (b)": so it is cited.
        full: String,
        /// Whether a gap follows.
        gap: bool,
    },
}

impl Label {
    /// The label, if it is a text, before a text.
    pub fn before(&self, text: &str, is_full: bool) -> String {
        let Self::Text { own, full, gap } = self else { return text.to_owned() };
        let label = if is_full { full } else { own };
        let ends = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c < '\u{2E80}');
        let runs_together = ends(label.chars().next_back()) && ends(text.trim_start().chars().next());
        let gap = if *gap || runs_together { " " } else { "" };
        format!("{label}{gap}{}", text.trim_start()).trim_end().to_owned()
    }
}

/// The numbers and labels of the last items of a form.
#[derive(Default)]
struct Last {
    numbers: [Option<u32>; LEVELS as usize],
    labels: [Option<String>; LEVELS as usize],
}

/// Counts the items of lists.
pub struct Counter<'a> {
    numbering: &'a Numbering,
    styles: &'a Styles,
    last: HashMap<&'a str, Last>,
    /// The lists and levels that have begun.
    started: HashSet<(String, u8)>,
}

impl<'a> Counter<'a> {
    /// A counter at the beginning of a document.
    pub fn new(numbering: &'a Numbering, styles: &'a Styles) -> Self {
        Self { numbering, styles, last: HashMap::new(), started: HashSet::new() }
    }

    /// The level and the label of the next paragraph that is in a list by itself or by its style. None if it is in no list,
    /// or one without labels.
    pub fn next(&mut self, own: InList, style: Option<&str>) -> Option<(u8, Label)> {
        let of_style = self.styles.in_list(style);
        let by_style = own.list.is_none();
        let id = own.list.or(of_style.list).filter(|list| list != "0")?;
        let list = self.numbering.list(&id, self.styles);
        let linked = || {
            let list = list.filter(|_| by_style)?;
            self.styles.names(style).find_map(|style| list.of_style(style))
        };
        let level = own.level.or_else(linked).or(of_style.level).unwrap_or(0).min(LEVELS - 1);
        let Some((list, form)) = list.and_then(|list| Some((list, list.level(level)?))) else {
            return Some((level, Label::Bullet));
        };
        self.count(list, id, level, form);
        let Some(last) = self.last.get_mut(list.form) else { return Some((level, Label::Bullet)) };
        if form.has_bullets() {
            return Some((level, Label::Bullet));
        }
        let label = last.label(list, level, form, self.styles.language.as_deref());
        let kept = label.as_ref().map(|label| match label {
            Label::Text { full, .. } => full.clone(),
            Label::Bullet => String::new(),
        });
        if let Some(place) = last.labels.get_mut(usize::from(level)) {
            *place = kept;
        }
        Some((level, label?))
    }

    fn count(&mut self, list: Resolved<'a>, id: String, level: u8, form: &Level) {
        let last = self.last.entry(list.form).or_default();
        for below in level + 1..LEVELS {
            let restart = list.level(below).and_then(|below| below.restart);
            if restart.is_none_or(|restart| level < restart) {
                last.clear(below);
            }
        }
        let restart = list.restart(level);
        let number = last.numbers.get_mut(usize::from(level));
        let Some(number) = number else { return };
        *number = Some(match (restart, *number) {
            (Some(restart), _) if self.started.insert((id, level)) => restart,
            (_, Some(last)) => last.saturating_add(1),
            (restart, None) => restart.unwrap_or(form.start),
        });
        if let Some(label) = last.labels.get_mut(usize::from(level)) {
            *label = None;
        }
    }
}

impl Last {
    fn clear(&mut self, level: u8) {
        let at = usize::from(level);
        if let (Some(number), Some(label)) = (self.numbers.get_mut(at), self.labels.get_mut(at)) {
            (*number, *label) = (None, None);
        }
    }

    /// The number of a level as its label has it.
    fn number(&self, list: Resolved<'_>, level: u8, legal: bool, language: Option<&str>) -> String {
        let Some(form) = list.level(level) else { return String::new() };
        let number = self.numbers.get(usize::from(level)).copied().flatten();
        let number = number.or(list.restart(level)).unwrap_or(form.start);
        match form.format.as_str() {
            "bullet" => String::new(),
            "none" if !legal => String::new(),
            _ if legal => number.to_string(),
            _ if form.width > 0 => format!("{number:0width$}", width = form.width),
            format => written(number, format, language),
        }
    }

    /// The label of the last item of a level; None if it has none.
    fn label(&self, list: Resolved<'_>, level: u8, form: &Level, language: Option<&str>) -> Option<Label> {
        let text = form.text.clone().unwrap_or_else(|| format!("%{}.", level + 1));
        let mut own = String::new();
        let mut top = level;
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let shown = rest.peek().and_then(|digit| digit.to_digit(10)).filter(|_| c == '%');
            match shown.and_then(|digit| u8::try_from(digit).ok()?.checked_sub(1)) {
                Some(of) => {
                    rest.next();
                    top = top.min(of);
                    own.push_str(&self.number(list, of, form.legal, language));
                }
                None => own.push(c),
            }
        }
        let own = own.split_whitespace().collect::<Vec<_>>().join(" ");
        if own.is_empty() {
            return None;
        }
        let above = self.labels.iter().take(usize::from(top)).rev().flatten().next();
        let full = above.map_or_else(|| own.clone(), |above| below(above, &own));
        Some(Label::Text { own, full, gap: form.gap })
    }
}

/// A label below another one: "1.1 (b)", "1.a.". It is not the number of an item of Markdown.
fn below(above: &str, own: &str) -> String {
    let number = own.trim_end_matches(['.', ')']);
    let joins = above.ends_with('.') && number.chars().all(char::is_alphanumeric);
    let gap = match (joins, above.ends_with(')') && is_number_of_markdown(above)) {
        (true, _) => ".",
        (_, true) => "",
        _ => " ",
    };
    format!("{}{gap}{own}", above.trim_end_matches('.'))
}

/// Whether a label begins an item of a numbered list of Markdown.
pub fn is_number_of_markdown(label: &str) -> bool {
    let digits = label.strip_suffix(['.', ')']).unwrap_or_default();
    (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
