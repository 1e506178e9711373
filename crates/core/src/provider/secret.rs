//! Keeps secrets out of messages.

/// A message with *** in place of a secret, or of the beginning of a secret where the message was cut off.
fn without(message: &str, secret: &str) -> String {
    const MARK: &str = "***";
    /// Fewer characters of a secret reveal nothing, and occur in any text.
    const MIN_CHARACTERS: usize = 4;
    if secret.is_empty() {
        return message.to_string();
    }
    let message = message.replace(secret, MARK);
    let cut = message.trim_end_matches(['…', '.']);
    let ends_with_part = (MIN_CHARACTERS..secret.len())
        .rev()
        .filter(|&length| secret.is_char_boundary(length))
        .find(|&length| cut.ends_with(&secret[..length]));
    match ends_with_part {
        Some(length) => format!("{}{MARK}{}", &cut[..cut.len() - length], &message[cut.len()..]),
        None => message,
    }
}

/// A message without secrets. Those that contain others must come first.
pub fn redact(message: String, secrets: &[String]) -> String {
    secrets.iter().fold(message, |message, secret| without(&message, secret))
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn a_secret_is_not_shown_even_in_part() {
        let secrets = ["sk-long-secret".to_string()];
        for (message, shown) in [
            ("the key sk-long-secret is wrong", "the key *** is wrong"),
            ("the key sk-long-s…", "the key ***…"),
            ("the key sk-", "the key sk-"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(redact(message.to_string(), &secrets), shown);
        }
        assert_eq!(redact("text".to_string(), &[String::new()]), "text");
    }
}
