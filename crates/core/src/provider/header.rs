//! Which headers of a request carry a key.

/// Parts of a header's name, separated by hyphens and similar characters, that mark its value as secret.
const PARTS: [&str; 22] = [
    "key",
    "keys",
    "apikey",
    "accesskey",
    "authkey",
    "secretkey",
    "privatekey",
    "subscriptionkey",
    "token",
    "tokens",
    "apitoken",
    "authtoken",
    "accesstoken",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "jwt",
    "signature",
];

/// Words with the same meaning, anywhere in the name.
const PIECES: [&str; 3] = ["authorization", "authentication", "cookie"];

/// Prefixes of the keys of known services.
const BEGINNINGS: [&str; 19] = [
    "sk-",
    "sk_",
    "rk_",
    "gsk_",
    "hf_",
    "xai-",
    "pplx-",
    "nvapi-",
    "r8_",
    "pa-",
    "aiza",
    "akia",
    "ya29.",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xox",
    "eyj",
];

/// Words that precede a key in a header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "negotiate", "apikey", "api-key"];

/// Shorter words are not keys, whatever their prefix.
const MIN_CHARACTERS: usize = 12;

/// Whether a header carries a key, judged by its name or by the form of its value.
pub fn carries_key(name: &str, value: &str) -> bool {
    is_name_of_key(name) || looks_like_key(value)
}

fn is_name_of_key(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PIECES.iter().any(|piece| name.contains(piece))
        || name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| part == "auth" || PARTS.contains(&part))
}

fn looks_like_key(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let mut words = value.split_ascii_whitespace();
    let follows_scheme = words.next().is_some_and(|word| SCHEMES.contains(&word)) && words.next().is_some();
    follows_scheme
        || value
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';' | '=' | ':' | '"' | '\''))
            .any(|word| {
                word.len() >= MIN_CHARACTERS && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_headers_with_keys() {
        for (name, value) in [
            ("Authorization", "x"),
            ("Proxy-Authorization", "x"),
            ("X-Authorization-Extra", "x"),
            ("x-api-key", "x"),
            ("api-key", "x"),
            ("apikey", "x"),
            ("X-Key", "headersecretvalue"),
            ("Ocp-Apim-Subscription-Key", "x"),
            ("x-functions-key", "x"),
            ("X-Auth-Token", "x"),
            ("private_token", "x"),
            ("cf-access-client-secret", "x"),
            ("Cookie", "a=b"),
            ("X-Cookies", "a=b"),
            ("Helicone-Auth", "x"),
            ("x-password", "x"),
            ("x-amz-credential", "x"),
            ("x-other", "Bearer abc"),
            ("x-other", "basic dXNlcjpwYXNz"),
            ("x-other", "sk-proj-0123456789abcdef"),
            ("x-other", "key=AIzaSyA0123456789"),
            ("x-other", "eyJhbGciOiJIUzI1NiJ9.e30.abc"),
        ] {
            assert!(carries_key(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("OpenAI-Organization", "org-AbCdEfGhIjKlMnOpQrStUvWx"),
            ("openai-project", "proj_0123456789abcdef"),
            ("http-referer", "https://example.com/keys/sk"),
            ("x-title", "Bearer"),
            ("x-title", "A token of the key to the cookie jar"),
            ("x-title", "sk-short"),
            ("x-portkey-provider", "openai"),
            ("x-keyspace", "main"),
            ("x-author", "me"),
            ("anthropic-version", "2023-06-01"),
            ("user-agent", "kb_rag"),
            ("x-request-id", "0190a0b0-1234-7000-8000-0123456789ab"),
        ] {
            assert!(!carries_key(name, value), "{name}: {value}");
        }
    }
}
