//! The built-in providers in the install script match the kinds in the code.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

use kb_rag_core::provider::Kind;

const INSTALL: &str = include_str!("../../../sql/providers.sql");

/// The key references of the services' own clients, in the order of [`Kind::ALL`]. None if a service needs no key.
const KEYS: [Option<&str>; Kind::ALL.len()] = [
    Some("env:OPENAI_API_KEY"),
    None,
    Some("env:GEMINI_API_KEY"),
    Some("env:CO_API_KEY"),
    Some("env:VOYAGE_API_KEY"),
    Some("env:MISTRAL_API_KEY"),
    None,
];

/// The built-in providers that fetch pages.
const FETCHING: &str = "    ('web', true, 'web', '', NULL, CURRENT_USER),
    ('github', true, 'github', 'https://api.github.com', NULL, CURRENT_USER)";

/// The statement of the install script that inserts the built-in providers.
fn insert() -> &'static str {
    let start = INSTALL.find("INSERT INTO kb_rag.provider ").unwrap();
    INSTALL[start..].split_once(";\n").unwrap().0
}

#[test]
fn every_kind_has_a_built_in_provider_with_its_default_url() {
    let rows: Vec<String> = Kind::ALL
        .into_iter()
        .zip(KEYS)
        .map(|(kind, key)| {
            let key = key.map_or("NULL".to_owned(), |key| format!("'{key}'"));
            format!(
                "    ('{0}', true, '{0}', '{1}', {key}, CURRENT_USER)",
                kind.name(),
                kind.default_base_url()
            )
        })
        .collect();
    let expected = format!(
        "INSERT INTO kb_rag.provider (name, builtin, kind, base_url, api_key, owner) VALUES\n{}",
        rows.join(",\n")
    );
    assert_eq!(insert(), format!("{expected},\n{FETCHING}"));
}
