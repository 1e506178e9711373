//! Chooses the strategy for a document by its MIME type, its name and its declared kind.

use super::Strategy;

/// MIME types of programs and data besides `text/x-…`, without `charset`.
const CODE_TYPES: [&str; 25] = [
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json5",
    "application/ld+json",
    "application/sql",
    "application/toml",
    "application/typescript",
    "application/x-httpd-php",
    "application/x-javascript",
    "application/x-perl",
    "application/x-php",
    "application/x-python",
    "application/x-ruby",
    "application/x-sh",
    "application/x-shellscript",
    "application/x-typescript",
    "application/x-yaml",
    "application/yaml",
    "text/css",
    "text/ecmascript",
    "text/javascript",
    "text/typescript",
    "text/yaml",
];

/// `text/x-…` types that are prose nevertheless.
const PROSE_TYPES: [&str; 6] =
    ["text/x-asciidoc", "text/x-log", "text/x-org", "text/x-readme", "text/x-rst", "text/x-tex"];

const MARKDOWN_TYPES: [&str; 3] = ["text/markdown", "text/x-markdown", "text/x-gfm"];

const MARKDOWN_EXTENSIONS: [&str; 5] = ["markdown", "md", "mdown", "mdx", "mkd"];

const CODE_EXTENSIONS: [&str; 92] = [
    "adb", "ads", "asm", "awk", "bash", "bat", "c", "cc", "cfg", "clj", "cljs", "cmake", "cmd", "cpp", "cr",
    "cs", "css", "cu", "cxx", "d", "dart", "el", "elm", "erl", "ex", "exs", "f90", "fish", "fs", "go", "gql",
    "gradle", "graphql", "groovy", "h", "hcl", "hh", "hpp", "hrl", "hs", "hxx", "ini", "java", "jl", "js",
    "json", "jsonc", "jsx", "kt", "kts", "less", "lisp", "lua", "m", "mjs", "cjs", "ml", "mli", "mm", "nim",
    "nix", "pas", "php", "pl", "pm", "proto", "ps1", "py", "pyi", "r", "rb", "rkt", "rs", "s", "sass",
    "scala", "scm", "scss", "sh", "sol", "sql", "svelte", "swift", "tcl", "tf", "toml", "ts", "tsx", "vb",
    "vue", "yaml", "yml",
];

/// Names without an extension.
const CODE_NAMES: [&str; 8] = [
    "cmakelists.txt",
    "dockerfile",
    "gemfile",
    "gnumakefile",
    "jenkinsfile",
    "makefile",
    "rakefile",
    "vagrantfile",
];

/// The strategy for a document. A MIME type that identifies the text takes precedence, then the extension of
/// the name (a path or a URL), then the kind of source: `code` is code. Anything else is text.
pub fn detect(mime_type: Option<&str>, name: Option<&str>, source_type: Option<&str>) -> Strategy {
    mime_type
        .and_then(by_mime_type)
        .or_else(|| name.and_then(by_name))
        .or_else(|| (source_type == Some("code")).then_some(Strategy::Code))
        .unwrap_or(Strategy::Text)
}

/// None if the type only says that it is text or bytes: servers send such a type for most programs.
fn by_mime_type(mime_type: &str) -> Option<Strategy> {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let essence = essence.as_str();
    if MARKDOWN_TYPES.contains(&essence) {
        Some(Strategy::Markdown)
    } else if PROSE_TYPES.contains(&essence) {
        Some(Strategy::Text)
    } else if CODE_TYPES.contains(&essence) || essence.starts_with("text/x-") || essence.ends_with("+json") {
        Some(Strategy::Code)
    } else if matches!(essence, "" | "text/plain" | "application/octet-stream") {
        None
    } else {
        Some(Strategy::Text)
    }
}

fn by_name(name: &str) -> Option<Strategy> {
    // In a URL, what follows the path is not part of the name.
    let path = if name.contains("://") { name.split(['?', '#']).next().unwrap_or_default() } else { name };
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    if CODE_NAMES.contains(&file.as_str()) {
        return Some(Strategy::Code);
    }
    let (stem, extension) = file.rsplit_once('.')?;
    if stem.is_empty() {
        None
    } else if MARKDOWN_EXTENSIONS.contains(&extension) {
        Some(Strategy::Markdown)
    } else if CODE_EXTENSIONS.contains(&extension) {
        Some(Strategy::Code)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mime_types_come_first() {
        for (mime, name, expected) in [
            ("text/markdown; charset=utf-8", "a.rs", Strategy::Markdown),
            ("Text/Markdown", "a", Strategy::Markdown),
            ("text/x-rust", "notes", Strategy::Code),
            ("application/json", "notes.md", Strategy::Code),
            ("application/vnd.api+json", "x", Strategy::Code),
            ("text/html", "index.php", Strategy::Text),
            ("text/x-rst", "a.py", Strategy::Text),
            ("text/plain", "a.py", Strategy::Code),
            ("text/plain", "a.md", Strategy::Markdown),
            ("application/octet-stream", "a.txt", Strategy::Text),
        ] {
            assert_eq!(detect(Some(mime), Some(name), None), expected, "{mime} {name}");
        }
    }

    #[test]
    fn names_and_kinds() {
        for (name, expected) in [
            ("docs/guide.MD", Strategy::Markdown),
            ("src/main.rs", Strategy::Code),
            ("https://example.org/a/b.py?raw=1#L3", Strategy::Code),
            ("https://example.org/?f=b.py", Strategy::Text),
            ("C:\\work\\Program.cs", Strategy::Code),
            ("Makefile", Strategy::Code),
            ("report.txt", Strategy::Text),
            (".md", Strategy::Text),
            ("42", Strategy::Text),
            ("", Strategy::Text),
        ] {
            assert_eq!(detect(None, Some(name), None), expected, "{name}");
        }
        assert_eq!(detect(None, None, Some("code")), Strategy::Code);
        assert_eq!(detect(None, Some("README.md"), Some("code")), Strategy::Markdown);
        assert_eq!(detect(None, Some("notes.txt"), Some("code")), Strategy::Code);
        assert_eq!(detect(None, None, Some("document")), Strategy::Text);
    }
}
