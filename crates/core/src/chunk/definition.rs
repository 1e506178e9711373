//! Classifies a line of a program by the line alone (and at most the one below it).

/// What a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A comment, decorator or attribute: belongs to the definition right below it.
    Lead,
    /// A function, class, type, module or statement that defines one.
    Definition,
    /// The end of a block: belongs to what is above it.
    Closer,
    Other,
}

/// Only this many characters of a line are examined.
const NEAR: usize = 300;

/// Words that may precede the word for a kind of definition.
const MODIFIERS: [&str; 38] = [
    "abstract",
    "actual",
    "async",
    "companion",
    "const",
    "constexpr",
    "data",
    "declare",
    "default",
    "export",
    "extern",
    "external",
    "fileprivate",
    "final",
    "global",
    "inline",
    "internal",
    "lateinit",
    "local",
    "native",
    "open",
    "operator",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "ref",
    "sealed",
    "static",
    "suspend",
    "synchronized",
    "typedef",
    "unsafe",
    "virtual",
    "volatile",
];

/// Words for kinds of definitions. `create` is SQL's.
const KINDS: [&str; 33] = [
    "class",
    "contract",
    "create",
    "def",
    "defmodule",
    "defp",
    "describe",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules!",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "package",
    "proc",
    "procedure",
    "protocol",
    "record",
    "service",
    "struct",
    "sub",
    "template",
    "trait",
    "type",
    "union",
];

/// Words that look like calls or block openers but define nothing.
const CONTROL: [&str; 26] = [
    "if", "for", "while", "else", "elif", "elsif", "elseif", "switch", "case", "match", "return", "try",
    "catch", "except", "finally", "do", "when", "unless", "until", "loop", "with", "using", "lock", "throw",
    "await", "foreach",
];

/// Words that end a block and stand on a line of their own.
const ENDS: [&str; 7] = ["end", "end;", "fi", "done", "esac", "endif", "endwhile"];

/// Classifies `line` (without the white space around it). `below` gives the line after it.
pub(crate) fn classify<'a>(line: &str, indent: usize, below: impl FnOnce() -> &'a str) -> Line {
    let line = start_of(line);
    if is_closer(line) {
        Line::Closer
    } else if is_lead(line) {
        Line::Lead
    } else if is_definition(line) || is_function_by_shape(line, indent, below) {
        Line::Definition
    } else {
        Line::Other
    }
}

/// The first characters of a line.
fn start_of(line: &str) -> &str {
    line.char_indices().nth(NEAR).map_or(line, |(end, _)| &line[..end])
}

fn is_closer(line: &str) -> bool {
    line.starts_with(['}', ')', ']']) || ENDS.iter().any(|end| line.eq_ignore_ascii_case(end))
}

/// Comments in the common styles, decorators and attributes. `*` continues a block comment.
fn is_lead(line: &str) -> bool {
    let is_directive = ["include", "define", "if", "else", "endif", "pragma", "undef", "region", "endregion"]
        .iter()
        .any(|word| line.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with(word)));
    let is_comment = ["//", "/*", "*/", "* ", "--", "#", ";;", "@", "'''", "<!--"]
        .iter()
        .any(|mark| line.starts_with(mark));
    // C# and C++ attributes.
    let is_attribute =
        (line.starts_with('[') && line.ends_with(']')) || line == "*" || line.starts_with("template<");
    (is_comment && !is_directive) || is_attribute
}

/// Whether the line begins with a word for a kind of definition, perhaps after modifiers.
fn is_definition(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let mut exported = false;
    for _ in 0..6 {
        let Some(word) = words.next() else { return false };
        // `pub(crate)`, `function(`, `type(`: only the part before the parenthesis counts. A call is not a
        // definition.
        let (name, called) = word.split_once(['(', '<']).map_or((word, false), |(name, _)| (name, true));
        let named = name.to_ascii_lowercase();
        if KINDS.contains(&named.as_str()) {
            // A call, an assignment or a key with such a name is not a definition: `type = 1`,
            // `module.exports`, `record:`.
            let follows = words.next();
            return (!called || matches!(name, "impl" | "func" | "fn"))
                && follows.is_some_and(|next| !next.starts_with(['=', ':', '.', ',', ')']));
        }
        exported |= named == "export";
        if matches!(named.as_str(), "let" | "var" | "const") && exported {
            return true;
        }
        if !MODIFIERS.contains(&named.as_str()) && !word.starts_with('"') {
            return false;
        }
    }
    false
}

/// A function of C or its relatives, a method, a shell function, or a function kept in a variable: a head
/// with parentheses that opens a block.
fn is_function_by_shape<'a>(line: &str, indent: usize, below: impl FnOnce() -> &'a str) -> bool {
    let first =
        line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '~'))).next().unwrap_or("");
    if first.is_empty() || CONTROL.contains(&first) || !line.contains('(') {
        return false;
    }
    let line = line.trim_end();
    if line.ends_with('{') {
        let arrow = line.contains("=>");
        let before = line.split('(').next().unwrap_or("");
        return arrow && indent == 0 || !before.contains('=') && !line.contains(';');
    }
    // The brace is on a line of its own.
    line.ends_with(')') && !line.contains('=') && below().trim_end() == "{"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Line {
        classify(line, 0, || "")
    }

    #[test]
    fn definitions_of_many_languages() {
        for line in [
            "pub(crate) fn new() -> Self {",
            "impl<'a> Iterator for Lines<'a> {",
            "macro_rules! vector {",
            "unsafe extern \"C\" fn f() {}",
            "def read(path):",
            "async def main():",
            "class Reader(object):",
            "export default function App() {",
            "export const add = (a, b) => a + b;",
            "const add = (a, b) => {",
            "export interface Props {",
            "func (s *Server) Run() error {",
            "type Server struct {",
            "public static void main(String[] args) {",
            "private final Map<String, Integer> count(List<String> words) {",
            "int main(void) {",
            "static inline void *copy(const char *s, size_t n) {",
            "namespace App.Models",
            "public sealed record Point(int X, int Y);",
            "module Blog",
            "def self.find(id)",
            "final class Cart {",
            "function total(array $items): int",
            "CREATE TABLE item (",
            "create or replace function f() returns int as $$",
            "usage() {",
            "function usage {",
            "fun greet(name: String) = println(name)",
            "struct point {",
            "protocol Named {",
        ] {
            assert_eq!(kind(line), Line::Definition, "{line}");
        }
        assert_eq!(classify("int main(int argc, char **argv)", 0, || "{"), Line::Definition);
    }

    #[test]
    fn other_lines() {
        for line in [
            "if (ready) {",
            "for (int i = 0; i < n; i++) {",
            "while (true) {",
            "return new Foo(function () {",
            "let x = 1;",
            "x = compute(a, b)",
            "type = 'text'",
            "module.exports = app;",
            "print(total)",
            "SELECT * FROM item;",
            "#include <stdio.h>",
            "static const int SIZE = 3;",
            "foo(bar)",
            "",
        ] {
            assert_eq!(kind(line), Line::Other, "{line}");
        }
    }

    #[test]
    fn leads_and_closers() {
        for line in
            ["// a", "/// a", "/** a", "* a", "*/", "# a", "#[test]", "-- a", "@Override", "[Serializable]"]
        {
            assert_eq!(kind(line), Line::Lead, "{line}");
        }
        for line in ["}", "});", ")", "end", "fi", "END;"] {
            assert_eq!(kind(line), Line::Closer, "{line}");
        }
    }
}
