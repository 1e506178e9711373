//! What the fields of a form say (ISO 32000-1, 12.7): their values, whether or not a program drew them.

use hayro_syntax::object::{Dict, Name, Object, Stream, String as PdfString};

use super::check::{self, Unpacked};
use super::properties;

/// Fields within fields.
const MAX_PARENTS: usize = 32;

/// The options of a choice that are looked at.
const MAX_OPTIONS: usize = 1_000;

/// The largest value that is a stream, in bytes.
const MAX_STREAM: u64 = 1 << 20;

/// Flags of fields.
const MULTI_LINE: i32 = 1 << 12;
const PASSWORD: i32 = 1 << 13;
const PUSH_BUTTON: i32 = 1 << 16;
const COMBO: i32 = 1 << 17;
const COMB: i32 = 1 << 24;

/// What a field says.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Whether it may have several lines.
        multi_line: bool,
        /// Whether what is drawn is another text: letters in boxes, or all options of a list.
        replaces: bool,
    },
    /// Whether a box is checked, and what that means, if the file says it in words.
    Check(bool, Option<String>),
}

/// A field: the dictionary of its widget, and those that it inherits from.
pub struct Field<'a> {
    chain: Vec<Dict<'a>>,
    need_appearances: bool,
}

impl<'a> Field<'a> {
    /// The field of a widget. `need_appearances`: what is drawn of it does not count.
    pub fn of_widget(widget: &Dict<'a>, need_appearances: bool) -> Self {
        let mut chain = vec![widget.clone()];
        while let Some(parent) = chain.last().and_then(|field| field.get::<Dict<'_>>(b"Parent")) {
            if chain.len() >= MAX_PARENTS {
                break;
            }
            chain.push(parent);
        }
        Self { chain, need_appearances }
    }

    fn inherited(&self, key: &[u8]) -> Option<Object<'a>> {
        let own =
            |field: &Dict<'a>| field.get::<Object<'_>>(key).filter(|value| !matches!(value, Object::Null(_)));
        self.chain.iter().find_map(own)
    }

    /// The size of the font; None if it fits the field.
    pub fn font_size(&self) -> Option<f32> {
        font_size(&self.inherited(b"DA")?.into_string()?)
    }

    /// How many bytes of the file say what it says.
    pub fn bytes(&self) -> usize {
        let options =
            self.inherited(b"Opt").and_then(Object::into_array).map_or(0, |options| options.data().len());
        self.chain.iter().map(|field| field.data().len()).sum::<usize>() + options
    }

    /// What it says. None if it has no value, or one that nobody is to see.
    pub fn value(&self) -> Option<Value> {
        let flags = self.inherited(b"Ff").and_then(Object::into_i32).unwrap_or(0);
        match self.inherited(b"FT")?.into_name()?.as_str() {
            "Tx" if flags & PASSWORD == 0 => {
                let text = self.texts(b"V").or_else(|| self.rich_text())?.join("\n");
                let multi_line = flags & MULTI_LINE != 0;
                Some(Value::Text { text, multi_line, replaces: flags & COMB != 0 && !multi_line })
            }
            "Ch" => {
                let chosen = self.texts(b"V").or_else(|| self.chosen())?;
                let text = chosen.iter().map(|value| self.option(value)).collect::<Vec<_>>().join(", ");
                Some(Value::Text { text, multi_line: false, replaces: flags & COMBO == 0 })
            }
            "Btn" if flags & PUSH_BUTTON == 0 => Some(self.check()),
            _ => None,
        }
        .filter(|value| !matches!(value, Value::Text { text, .. } if text.trim().is_empty()))
    }

    /// The texts of a value: one, or those of an array.
    fn texts(&self, key: &[u8]) -> Option<Vec<String>> {
        let texts = match self.inherited(key)? {
            Object::Array(array) => array.iter::<Object<'_>>().take(MAX_OPTIONS).filter_map(text).collect(),
            value => vec![text(value)?],
        };
        (!texts.is_empty()).then_some(texts)
    }

    /// The text of a value with fonts and colors.
    fn rich_text(&self) -> Option<Vec<String>> {
        let rich = text(self.inherited(b"RV")?)?;
        Some(vec![plain(&rich)])
    }

    /// The options that are chosen by their number.
    fn chosen(&self) -> Option<Vec<String>> {
        let options: Vec<String> = self.options()?.map(|(value, _)| value).collect();
        let numbers = self.inherited(b"I")?.into_array()?;
        let at = numbers.iter::<u32>().take(MAX_OPTIONS);
        Some(at.filter_map(|at| options.get(at as usize).cloned()).collect())
    }

    /// The options: what each is called in the file, and what the form shows.
    fn options(&self) -> Option<impl Iterator<Item = (String, String)> + use<'a>> {
        let options = self.inherited(b"Opt")?.into_array()?;
        let option = |object: Object<'_>| match object {
            Object::Array(pair) => {
                let mut texts = pair.iter::<Object<'_>>().filter_map(text);
                let value = texts.next()?;
                let shown = texts.next().unwrap_or_else(|| value.clone());
                Some((value, shown))
            }
            single => text(single).map(|value| (value.clone(), value)),
        };
        let options: Vec<_> = options.iter::<Object<'_>>().take(MAX_OPTIONS).filter_map(option).collect();
        Some(options.into_iter())
    }

    fn option(&self, value: &str) -> String {
        let found = self.options().and_then(|mut options| options.find(|(known, _)| known == value));
        found.map_or_else(|| value.to_owned(), |(_, shown)| shown)
    }

    /// A check box or a radio button.
    fn check(&self) -> Value {
        let state = self.chain.first().and_then(|widget| widget.get::<Name<'_>>(b"AS")).map(name);
        let value = self.inherited(b"V").and_then(text);
        let own = self.on_state();
        let drawn = state.as_ref().map(|state| state != "Off");
        let is_on = match (&value, &own) {
            (Some(value), Some(own)) if self.need_appearances || drawn.is_none() => value == own,
            (Some(value), None) if drawn.is_none() => value != "Off",
            _ => drawn.unwrap_or(false),
        };
        let meaning = is_on.then(|| state.filter(|state| state != "Off").or(own).or(value)).flatten();
        Value::Check(is_on, meaning.and_then(|state| self.meaning(state)))
    }

    /// The state of the widget that is not off.
    fn on_state(&self) -> Option<String> {
        let states = self.chain.first()?.get::<Dict<'_>>(b"AP")?.get::<Dict<'_>>(b"N")?;
        states.keys().map(name).find(|state| state != "Off")
    }

    /// What a state means, if it is more than the name for "on".
    fn meaning(&self, state: String) -> Option<String> {
        let number = state.parse::<usize>().ok();
        let option = number.and_then(|at| self.options()?.nth(at)).map(|(_, shown)| shown);
        let is_word = |state: &String| {
            state.chars().filter(|c| c.is_alphabetic()).count() > 1 && !state.eq_ignore_ascii_case("on")
        };
        option.or(Some(state)).filter(is_word)
    }
}

fn name(name: Name<'_>) -> String {
    String::from_utf8_lossy(&name).into_owned()
}

/// The text of a string, a name or a stream.
pub fn text(object: Object<'_>) -> Option<String> {
    match object {
        Object::String(string) => Some(properties::text(string.as_bytes())),
        Object::Name(name) => Some(self::name(name)),
        Object::Stream(stream) => stream_text(&stream),
        _ => None,
    }
}

fn stream_text(stream: &Stream<'_>) -> Option<String> {
    let Unpacked::Whole(_) = check::unpacked(stream, MAX_STREAM) else { return None };
    Some(properties::text(&stream.decoded_data().ok()?))
}

/// The text of XHTML, with its paragraphs and line breaks.
pub fn plain(xhtml: &str) -> String {
    use crate::docx::xml::{Events, Node};
    let mut events = Events::new(xhtml);
    let mut out = String::new();
    while let Ok(Some(node)) = events.next() {
        match node {
            Node::Text(text) => out.push_str(&text),
            Node::End(name) if matches!(name.as_str(), "p" | "br" | "div" | "li") => out.push('\n'),
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// The size of the font in a default appearance such as "/Helv 12 Tf 0 g".
pub fn font_size(appearance: &PdfString<'_>) -> Option<f32> {
    let words: Vec<&[u8]> = appearance.as_bytes().split(u8::is_ascii_whitespace).collect();
    let at = words.iter().position(|word| *word == b"Tf")?;
    let size: f32 = std::str::from_utf8(words.get(at.checked_sub(1)?)?).ok()?.parse().ok()?;
    (4.0..100.0).contains(&size).then_some(size)
}
