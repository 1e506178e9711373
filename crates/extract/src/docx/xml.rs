//! Reading XML: events with limits, attributes and references.
//!
//! Names are compared without their prefix: the parts of Word documents use one set of names in the transitional and in the
//! strict form of the standard (ISO/IEC 29500), with different namespaces and any prefix.

use kb_rag_core::extract_protocol::Failure;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Elements within elements. Word itself stops far below.
const MAX_DEPTH: usize = 10_000;

/// An event of interest.
pub enum Node<'a> {
    /// An element begins.
    Start(BytesStart<'a>),
    /// An element ends; of an empty element, right after its start.
    End(String),
    /// Text.
    Text(String),
}

/// Why reading stopped.
pub enum Stop {
    /// The XML is not well-formed.
    Damaged,
    /// A limit was exceeded.
    Limit(Failure),
}

/// The events of a part.
pub struct Events<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    pending_end: Option<String>,
}

impl<'a> Events<'a> {
    /// The events of a part, which is XML.
    pub fn new(xml: &'a str) -> Self {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().allow_dangling_amp = true;
        Self { reader, depth: 0, pending_end: None }
    }

    /// The next event; None at the end.
    pub fn next(&mut self) -> Result<Option<Node<'a>>, Stop> {
        if let Some(name) = self.pending_end.take() {
            return Ok(Some(Node::End(name)));
        }
        loop {
            match self.reader.read_event().map_err(|_| Stop::Damaged)? {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        let limit = format!("its XML is nested more than {MAX_DEPTH} deep");
                        return Err(Stop::Limit(Failure::Limit(limit)));
                    }
                    return Ok(Some(Node::Start(tag)));
                }
                Event::Empty(tag) => {
                    self.pending_end = Some(tag.local_name().into_inner().to_owned());
                    return Ok(Some(Node::Start(tag)));
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Some(Node::End(tag.local_name().into_inner().to_owned())));
                }
                Event::Text(text) => return Ok(Some(Node::Text(text.xml10_content().into_owned()))),
                Event::CData(text) => return Ok(Some(Node::Text(text.xml10_content().into_owned()))),
                Event::GeneralRef(reference) => {
                    let mut text = String::new();
                    resolve(&reference, &mut text);
                    return Ok(Some(Node::Text(text)));
                }
                // The end of the file within an element.
                Event::Eof if self.depth > 0 => return Err(Stop::Damaged),
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => {}
            }
        }
    }
}

/// The value of an attribute, by its name without prefix.
pub fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().into_inner() == name)?;
    let value = &found.value;
    // Values that matter here have no references other than these.
    if !value.contains('&') {
        return Some(value.to_string());
    }
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

/// The value of a switch such as <w:vanish/>: on unless it says otherwise.
pub fn is_on(tag: &BytesStart<'_>) -> bool {
    !matches!(attribute(tag, "val").as_deref(), Some("0" | "false" | "off" | "none"))
}

/// Appends what a reference stands for: a character, or one of the five entities of XML. Others stand for nothing, since
/// document types are not read.
pub fn resolve(reference: &BytesRef<'_>, text: &mut String) {
    match &**reference {
        "amp" => text.push('&'),
        "lt" => text.push('<'),
        "gt" => text.push('>'),
        "quot" => text.push('"'),
        "apos" => text.push('\''),
        _ => text.extend(reference.resolve_char_ref().ok().flatten()),
    }
}
