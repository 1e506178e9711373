//! Blocks of a document as Markdown.

/// The deepest list that is shown as such.
const MAX_INDENT: usize = 8;

/// A block of a document.
#[derive(Debug)]
pub enum Block {
    /// Running text; line feeds are line breaks.
    Paragraph(String),
    /// A heading and its level, from 1.
    Heading(u8, String),
    /// An item of a list.
    Item {
        /// Its level, from 0.
        level: u8,
        /// Its number as Markdown has it, such as "1."; None for a bullet.
        number: Option<String>,
        /// Its text.
        text: String,
    },
    /// The rows of a table, with the text of their cells.
    Table(Vec<Vec<String>>),
}

impl Block {
    /// The text without its form, in one line.
    pub fn plain(&self) -> String {
        match self {
            Self::Item { number: Some(number), text, .. } => format!("{number} {}", one_line(text)),
            Self::Paragraph(text) | Self::Heading(_, text) | Self::Item { text, .. } => one_line(text),
            Self::Table(rows) => {
                let filled = |row: &Vec<String>| {
                    let cells: Vec<&str> =
                        row.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
                    cells.join(", ")
                };
                rows.iter().map(filled).filter(|row| !row.is_empty()).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// The Markdown of blocks.
pub fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    // The levels of the items that are open: an item is indented below the last one of a lower level.
    let mut open: Vec<u8> = Vec::new();
    let mut in_list = false;
    for block in blocks {
        let text = match block {
            Block::Item { level, number, text } => {
                while open.last().is_some_and(|last| last >= level) {
                    open.pop();
                }
                let indent = "    ".repeat(open.len().min(MAX_INDENT));
                open.push(*level);
                let marker = number.as_deref().unwrap_or("-");
                let lines: Vec<String> = lines(text).collect();
                format!("{indent}{marker} {}", lines.join(&format!("\n{indent}    ")))
            }
            Block::Heading(level, text) => {
                format!("{} {}", "#".repeat(usize::from(*level).clamp(1, 6)), one_line(text))
            }
            Block::Paragraph(text) => lines(text).collect::<Vec<_>>().join("\n"),
            Block::Table(rows) => table(rows),
        };
        if text.trim().is_empty() {
            continue;
        }
        let item = matches!(block, Block::Item { .. });
        if !item {
            open.clear();
        }
        if !out.is_empty() {
            out.push_str(if item && in_list { "\n" } else { "\n\n" });
        }
        in_list = item;
        out.push_str(&text);
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of running text, none of which means anything in Markdown.
fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| escaped(line.trim())).filter(|line| !line.is_empty())
}

/// A line with a backslash where its beginning would be taken for a heading, a list, a quote, a rule, a table, a fence, HTML
/// or a footnote. The rest stays as it is, so that a search finds what the document says.
fn escaped(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = |n: usize| line.as_bytes().get(n).copied();
    let ends_marker = |n: usize| matches!(after(n), None | Some(b' ' | b'\t'));
    if (1..=9).contains(&digits) && matches!(after(digits), Some(b'.' | b')')) && ends_marker(digits + 1) {
        let (number, rest) = line.split_at(digits);
        return format!("{number}\\{rest}");
    }
    let hashes = line.bytes().take_while(|b| *b == b'#').count();
    let rule = |mark: char| line.chars().all(|c| c == mark || c == ' ');
    let special = match after(0) {
        Some(b'#') => hashes <= 6 && ends_marker(hashes),
        Some(b'-') => ends_marker(1) || rule('-'),
        Some(b'+') => ends_marker(1),
        Some(b'*') => ends_marker(1) || rule('*'),
        Some(b'_') => rule('_'),
        Some(b'=') => rule('='),
        Some(b'>' | b'|') => true,
        Some(b'`') => line.starts_with("```"),
        Some(b'~') => line.starts_with("~~~"),
        Some(b'<') => after(1).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'!' | b'?')),
        Some(b'[') => line.starts_with("[^") && line.contains("]:"),
        _ => false,
    };
    if special { format!("\\{line}") } else { line.to_owned() }
}

fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    // A table of one column or one cell is a frame around text.
    if columns <= 1 {
        let cells = rows.iter().flatten().filter(|cell| !cell.is_empty());
        return cells.map(|cell| escaped(cell)).collect::<Vec<_>>().join("\n\n");
    }
    let filled: Vec<&Vec<String>> =
        rows.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
    let mut out = String::new();
    for (at, row) in filled.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push('|');
        // The first row is the head: it has all columns.
        let missing = if at == 0 { columns - row.len() } else { 0 };
        for cell in row.iter().map(String::as_str).chain(std::iter::repeat_n("", missing)) {
            out.push(' ');
            out.push_str(&cell.replace('|', "\\|"));
            out.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        if at == 0 {
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(columns));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_beginnings_are_escaped() {
        for (line, expected) in [
            ("# no heading", "\\# no heading"),
            ("#hashtag", "#hashtag"),
            ("- no item", "\\- no item"),
            ("-5 degrees", "-5 degrees"),
            ("---", "\\---"),
            ("1. no item", "1\\. no item"),
            ("1.5 meters", "1.5 meters"),
            ("2024) was", "2024\\) was"),
            ("* * *", "\\* * *"),
            ("*emphasis*", "*emphasis*"),
            ("snake_case a*b [x](y) # - 1. |", "snake_case a*b [x](y) # - 1. |"),
            ("> quote", "\\> quote"),
            ("| a", "\\| a"),
            ("```", "\\```"),
            ("<div> is HTML", "\\<div> is HTML"),
            ("< 5", "< 5"),
            ("[^1]: note", "\\[^1]: note"),
            ("===", "\\==="),
        ] {
            assert_eq!(escaped(line), expected);
        }
    }

    #[test]
    fn lists() {
        let item = |level, number: Option<&str>, text: &str| {
            let number = number.map(str::to_owned);
            Block::Item { level, number, text: text.into() }
        };
        let blocks = [
            item(2, None, "deep first"),
            item(2, None, "same"),
            item(3, Some("1."), "below\n# it"),
            item(0, None, "top"),
            Block::Paragraph("text".into()),
            item(1, Some("4."), "again"),
        ];
        let expected = "- deep first\n- same\n    1. below\n        \\# it\n- top\n\ntext\n\n4. again";
        assert_eq!(markdown(&blocks), expected);
    }

    #[test]
    fn tables() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows = vec![row(&["a", "b"]), row(&["", ""]), row(&["1|2", "", "x"])];
        assert_eq!(markdown(&[Block::Table(rows)]), "| a | b | |\n| --- | --- | --- |\n| 1\\|2 | | x |");
        let frame = vec![row(&["# text"]), row(&["more"])];
        assert_eq!(markdown(&[Block::Table(frame)]), "\\# text\n\nmore");
    }
}
