//! Statements of SQL with places for names, for the server and the client program.

/// Fills the `{name}` placeholders of a statement, in one pass: braces in replacements are not replaced. Replacements
/// must be quoted identifiers or literals; a placeholder without one stays.
pub fn render(template: &str, replacements: &[(&str, &str)]) -> String {
    let mut sql = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        sql.push_str(&rest[..open]);
        rest = &rest[open..];
        let found = replacements.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        match found {
            Some((value, after)) => {
                sql.push_str(value);
                rest = after;
            }
            None => {
                sql.push('{');
                rest = &rest[1..];
            }
        }
    }
    sql.push_str(rest);
    sql
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn places_are_filled_once() {
        let filled = render("SELECT {a} FROM {b} {c}", &[("a", "{b}"), ("b", "\"{a}\"")]);
        assert_eq!(filled, "SELECT {b} FROM \"{a}\" {c}");
    }
}
