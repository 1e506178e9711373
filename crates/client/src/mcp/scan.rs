//! The id of a message that is too long to be kept.

/// The longest id, in bytes.
const MAX_BYTES: usize = 256;

/// Finds the member `id` of an object as its bytes go by.
#[derive(Default)]
pub struct Scan {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// What was read of a name or a value of the object itself.
    token: Vec<u8>,
    is_id: bool,
    id: Option<Vec<u8>>,
}

impl Scan {
    /// Goes over some bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    /// The id as JSON, if the bytes had one.
    pub fn id(self) -> Option<String> {
        let id = String::from_utf8(self.id?).ok()?;
        serde_json::from_str::<serde_json::Value>(&id).is_ok().then_some(id)
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.keep(byte);
                self.depth += 1;
                if self.depth == 1 {
                    self.token.clear();
                }
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_member(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        // A longer one than the longest is no JSON.
        if self.depth == 1 && self.token.len() <= MAX_BYTES {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.is_id) {
            self.id = (token.len() <= MAX_BYTES).then_some(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Option<String> {
        let mut scan = Scan::default();
        // In parts, as it arrives.
        json.as_bytes().chunks(3).for_each(|part| scan.feed(part));
        scan.id()
    }

    #[test]
    fn ids_are_found_wherever_they_stand() {
        for (json, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Some("1")),
            (r#"{"method":"ping","params":{"id":2,"a":[{"id":3}]},"jsonrpc":"2.0","id":"a"}"#, Some("\"a\"")),
            (r#" { "id" : -7 , "x" : "\"id\":9" }"#, Some("-7")),
            (r#"{"x":"id","y":{"id":1},"id2":5}"#, None),
            (r#"{"id":"a\"},{\\"}"#, Some(r#""a\"},{\\""#)),
            (r#"{"id":{"a":1}}"#, None),
            (r#"[{"id":1}]"#, None),
            (r#"[1,"id",2]"#, None),
            (r#""id""#, None),
            ("}}}]", None),
        ] {
            assert_eq!(id(json).as_deref(), expected, "{json}");
        }
        let long = format!("{{\"id\":\"{}\"}}", "x".repeat(300));
        assert_eq!(id(&long), None);
        // The rest of a message need not be there.
        assert_eq!(id(r#"{"id":1,"params":{"query":"kow"#).as_deref(), Some("1"));
    }
}
