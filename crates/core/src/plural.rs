//! Counts in messages.

use std::fmt::Display;

/// A count with its noun: `1 dimension`, `3 dimensions`.
pub fn counted<T: Display + PartialEq + From<u8>>(count: T, noun: &str) -> String {
    let ending = if count == T::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_s() {
        assert_eq!(counted(0_i64, "dimension"), "0 dimensions");
        assert_eq!(counted(1_i32, "dimension"), "1 dimension");
        assert_eq!(counted(2_usize, "text"), "2 texts");
    }
}
