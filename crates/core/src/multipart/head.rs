//! The headers of a part of a form.

use super::Wrong;

/// The name of a part, and that of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The name of the field.
    pub name: String,
    /// As it was sent: it may have a path, or characters that names of files do not have. None for a field.
    pub filename: Option<String>,
}

/// A value, and the parameters behind it by their names in lower case.
type Valued = (String, Vec<(String, String)>);

impl Head {
    /// Reads headers.
    ///
    /// # Errors
    /// If they are none, or do not say what the part is.
    pub fn parse(bytes: &[u8]) -> Result<Head, Wrong> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(Wrong::new("the headers of a part of the form are not UTF-8", ""));
        };
        // A line that begins with a space continues the one before.
        let text = text.replace("\r\n ", " ").replace("\r\n\t", " ");
        let mut disposition = None;
        for line in text.split("\r\n").filter(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                return Err(Wrong::new("a part of the form has a header without a colon", ""));
            };
            if name.trim().eq_ignore_ascii_case("content-transfer-encoding") {
                let encoding = value.trim();
                if !["7bit", "8bit", "binary"].iter().any(|known| known.eq_ignore_ascii_case(encoding)) {
                    let message = format!("a part of the form has the transfer encoding \"{encoding}\"");
                    return Err(Wrong::new(message, "Send the bytes as they are."));
                }
            }
            if name.trim().eq_ignore_ascii_case("content-disposition")
                && disposition.replace(parameters(value)?).is_some()
            {
                return Err(Wrong::new("a part of the form has two headers Content-Disposition", ""));
            }
        }
        let named = disposition.filter(|(kind, _)| kind == "form-data").map(|(_, given)| given);
        let Some(given) = named else {
            return Err(Wrong::new("a part of the form has no header Content-Disposition: form-data", ""));
        };
        let of = |wanted: &str| {
            let mut values = given.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value);
            match (values.next(), values.next()) {
                (value, None) => Ok(value),
                _ => Err(Wrong::new(format!("a part of the form has two parameters \"{wanted}\""), "")),
            }
        };
        let Some(name) = of("name")?.filter(|name| !name.is_empty()) else {
            return Err(Wrong::new("a part of the form has no name", "Name each part, as in -F file=@a.md."));
        };
        let filename = match (of("filename*")?, of("filename")?) {
            (Some(extended), _) => Some(extended_value(extended)?),
            (None, plain) => plain.map(|name| unescaped(name)),
        };
        Ok(Head { name: unescaped(name), filename })
    }
}

/// Browsers write quotation marks and line breaks in this way, and no other character.
fn unescaped(text: &str) -> String {
    text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// A value with its character set, such as `UTF-8''na%C3%AFve.md` (RFC 8187).
fn extended_value(text: &str) -> Result<String, Wrong> {
    let wrong = || {
        Wrong::new(
            "a part of the form has a parameter filename* that cannot be read",
            "Write it like UTF-8''na%C3%AFve.md.",
        )
    };
    let mut parts = text.splitn(3, '\'');
    let (Some(set), Some(_), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong());
    };
    let bytes = percent_decoded(value).ok_or_else(wrong)?;
    if set.eq_ignore_ascii_case("utf-8") {
        String::from_utf8(bytes).map_err(|_| wrong())
    } else if set.eq_ignore_ascii_case("iso-8859-1") {
        Ok(bytes.into_iter().map(char::from).collect())
    } else {
        Err(wrong())
    }
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let mut digit =
                    || char::from(bytes.next()?).to_digit(16).and_then(|one| u8::try_from(one).ok());
                digit()? * 16 + digit()?
            }
            byte => byte,
        };
        decoded.push(byte);
    }
    Some(decoded)
}

/// Reads `value; name=token; name="text"`.
pub fn parameters(text: &str) -> Result<Valued, Wrong> {
    let wrong = || Wrong::new("a header of the form cannot be read", "");
    let (value, mut rest) = match text.split_once(';') {
        Some((value, rest)) => (value, rest),
        None => (text, ""),
    };
    let mut given = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        if rest.is_empty() {
            return Ok((value.trim().to_ascii_lowercase(), given));
        }
        let (name, after) = rest.split_once('=').ok_or_else(wrong)?;
        let after = after.trim_start_matches([' ', '\t']);
        let value;
        (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => quoted_text(quoted).ok_or_else(wrong)?,
            None => {
                let end = after.find(';').unwrap_or(after.len());
                let (token, rest) = after.split_at(end);
                (token.trim_end().to_string(), rest)
            }
        };
        rest = rest.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(';') {
            return Err(wrong());
        }
        given.push((name.trim().to_ascii_lowercase(), value));
    }
}

/// A text up to its closing quotation mark, and what comes behind. A backslash escapes a quotation mark and itself; others stay, as in
/// paths of Windows.
fn quoted_text(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, quoted.get(at + 1..)?)),
            '\\' if quoted.get(at + 1..)?.starts_with(['"', '\\']) => text.push(characters.next()?.1),
            character => text.push(character),
        }
    }
    None
}
