//! Whether a text of which nothing else is known is Markdown.

/// A line that is longer is not the first of a paragraph that tells something.
const MAX_READ: usize = 400;
/// Prose has at least so many words in its first line.
const PROSE_WORDS: usize = 3;
/// How lines of programs begin whose comments look like headings.
const CODE: [&str; 14] = [
    "import ", "from ", "def ", "class ", "export ", "set ", "echo ", "if ", "for ", "while ", "use ",
    "require ", "source ", "include ",
];

/// Whether a text is clearly Markdown: it has a fenced block, a table, or headings over prose: one at its beginning, or two. A
/// comment of a program or a configuration file, over what is no prose, is no heading.
pub(crate) fn is_markdown(text: &str) -> bool {
    let mut lines = text.lines().map(|line| &line[..line.floor_char_boundary(MAX_READ)]).peekable();
    let mut fence: Option<&str> = None;
    let (mut headings, mut waits, mut is_first, mut is_after_blank) = (0, false, true, true);
    let mut before = "";
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) && trimmed.trim_start_matches(['`', '~']).is_empty() {
                return true;
            }
            continue;
        }
        let is_blank = trimmed.is_empty();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = Some(mark);
        } else if is_delimiter(trimmed) && columns(before) == columns(trimmed) {
            return true;
        } else if is_after_blank && is_heading(line) && lines.peek().is_none_or(|next| next.trim().is_empty())
        {
            // One at the beginning is enough.
            (headings, waits) = (headings + if is_first { 2 } else { 1 }, true);
        } else if waits && !is_blank {
            if !is_prose(trimmed) {
                headings = 0;
            }
            waits = false;
        }
        if headings >= 2 && !waits {
            return true;
        }
        is_first &= is_blank;
        (is_after_blank, before) = (is_blank, trimmed);
    }
    false
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())) && title.starts_with(' ') && !title.trim().is_empty()
}

/// `| --- | :-: |`
fn is_delimiter(line: &str) -> bool {
    line.starts_with('|')
        && line.contains("--")
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
        && columns(line) >= 2
}

fn columns(row: &str) -> usize {
    let row = row.trim();
    if row.starts_with('|') { row.trim_matches('|').split('|').count() } else { 0 }
}

fn is_prose(line: &str) -> bool {
    let is_item = ["- ", "* ", "> ", "1. "].iter().any(|mark| line.starts_with(mark));
    let words = line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let is_unspaced = line.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() > line.len() / 6;
    let is_code = line.contains(['=', '{', '}', ';']) || CODE.iter().any(|start| line.starts_with(start));
    !is_code && (is_item || words >= PROSE_WORDS || is_unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_recognized() {
        for text in [
            "# Returns\n\nYou can return any item.\n\n## Refunds\n\nThe money goes back.\n",
            "\n# Returns\n\nYou can return any item.",
            "Some words first.\n\n## One\n\nIt has a text.\n\n## Two\n\nIt has a text too.\n",
            "# 退货\n\n三十天内可以退回任何商品。\n",
            "# Steps\n\n1. Close the valve.\n",
            "Run this:\n\n```sh\nls\n```\n",
            "~~~\na\n~~~",
            "Prices:\n\n| item | price |\n|---|---:|\n| pump | 12 |\n",
            "# Setup\n\n## Linux\n\nInstall the package first.\n",
        ] {
            assert!(is_markdown(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "#",
            "You can return any item within thirty days.",
            "#hashtag of the day\n\nand a text of some words",
            "# Copyright 2020\n\nimport os\nimport sys\n",
            "#!/bin/sh\n# Says hello.\n\necho hello\n",
            "# The port of the server.\n\nport = 80\n\n# The host.\n\nhost = example\n",
            "# settings\nport: 80\n\n# more of them\nhost: example\n",
            "A ``` without an end\n\n```sh\nls -l",
            "a | b\n--- | ---\n",
            "|---|---|\n| a | b |",
            "One section only.\n\n## Heading\n\nIts text is here.",
            "Item #1 of 5\n\n# 2\n\nof 5",
        ] {
            assert!(!is_markdown(text), "{text}");
        }
    }
}
