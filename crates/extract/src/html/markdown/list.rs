//! Lists.

use dom_query::NodeRef;

use super::{MAX_DEPTH, Writer};

/// As wide as the widest marker below which text is indented.
const INDENT: &str = "     ";
/// Numbers in Roman numerals. Larger ones are written in digits.
const ROMAN: [(u32, &str); 9] =
    [(100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")];

impl Writer<'_> {
    pub(super) fn list(&mut self, node: &NodeRef, numbered: bool) {
        self.flush();
        let kind = node.attr("type").unwrap_or_default();
        let step = if node.has_attr("reversed") { -1 } else { 1 };
        let mut number = number(node, "start").unwrap_or_else(|| match step {
            1 => 1,
            _ => node.children_it(false).filter(|child| child.has_name("li")).count() as i64,
        });
        let mut has_items = false;
        for child in node.children_it(false) {
            if child.has_name("li") {
                number = self::number(&child, "value").filter(|_| numbered).unwrap_or(number);
                let marker = if numbered { marker(number, &kind) } else { "- ".to_owned() };
                number = number.saturating_add(step);
                if !self.cut.has(&child) {
                    self.item(&child, marker);
                }
                has_items = true;
            } else if has_items
                && self.prefix.len() < MAX_DEPTH
                && (child.has_name("ul") || child.has_name("ol"))
            {
                // Some pages write a list in an item behind it.
                self.prefix.push(&INDENT[..if numbered { 3 } else { 2 }]);
                self.node(&child);
                self.pop();
            } else {
                self.node(&child);
            }
        }
        self.flush();
        self.tight = self.tight && !self.prefix.is_empty();
    }

    pub(super) fn item(&mut self, node: &NodeRef, marker: String) {
        self.flush();
        if self.cell {
            return self.cell_item(node, &marker);
        }
        let deep = self.prefix.len() >= MAX_DEPTH;
        if !deep {
            self.prefix.push(&INDENT[..marker.len().min(INDENT.len())]);
            self.marker = Some(marker);
        }
        self.children(node);
        self.flush();
        if !deep {
            self.pop();
            self.marker = None;
        }
        // The next item follows closely.
        self.tight = true;
    }

    /// Items in a cell are parted by semicolons, since it is one line.
    fn cell_item(&mut self, node: &NodeRef, marker: &str) {
        self.part();
        if marker != "- " {
            self.text(marker);
            self.space = true;
        }
        self.children(node);
        self.flush();
        self.after_item = true;
    }

    /// A block of a cell.
    pub(super) fn cell_block(&mut self, block: &str) {
        if self.after_item {
            self.part();
        }
        if !self.out.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(block);
        self.after_item = false;
    }

    fn part(&mut self) {
        self.after_item = false;
        if self.out.ends_with(|c: char| !matches!(c, ':' | ';' | ',' | '.' | '!' | '?')) {
            self.out.push(';');
        }
    }
}

fn number(node: &NodeRef, name: &str) -> Option<i64> {
    node.attr(name)?.trim().parse::<i64>().ok().filter(|number| number.abs() < 1_000_000_000)
}

/// The marker of an item, as a reader sees it.
fn marker(number: i64, kind: &str) -> String {
    let written = u32::try_from(number).ok().filter(|number| *number > 0).and_then(|number| match kind {
        "a" => letters(number),
        "A" => letters(number).map(|letters| letters.to_uppercase()),
        "i" => roman(number),
        "I" => roman(number).map(|roman| roman.to_uppercase()),
        _ => None,
    });
    written.map_or_else(|| format!("{number}. "), |written| format!("{written}. "))
}

fn letters(number: u32) -> Option<String> {
    let letter = u8::try_from(number).ok().filter(|number| (1..=26).contains(number))?;
    Some(char::from(b'a' + letter - 1).to_string())
}

fn roman(number: u32) -> Option<String> {
    if number >= 200 {
        return None;
    }
    let mut rest = number;
    let mut roman = String::new();
    for (value, digits) in ROMAN {
        while rest >= value {
            roman.push_str(digits);
            rest -= value;
        }
    }
    Some(roman)
}
