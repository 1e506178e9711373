//! Known faults of older versions of pgvector that kb_rag works with.

/// The first version without the fault of [`fault`].
const FIXED: [u32; 3] = [0, 8, 2];

/// The fault of a version, as pg_extension has it, that administrators have to know of. None for a version without a known one, and for
/// one that is no version of pgvector's own.
pub fn fault(version: &str) -> Option<&'static str> {
    (parse(version)? < FIXED).then_some(
        "parallel builds of HNSW indexes can crash the server or reveal data of other tables (CVE-2026-3172), fixed in 0.8.2",
    )
}

/// A version with its fault: "0.8.1: parallel builds …", or "0.8.5".
pub fn describe(version: &str) -> String {
    match fault(version) {
        Some(fault) => format!("{version}: {fault}"),
        None => version.to_string(),
    }
}

/// The first three numbers; those that are not there are 0.
fn parse(version: &str) -> Option<[u32; 3]> {
    let mut numbers = [0; 3];
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let plain = version.split(|c| !is_part(c)).next()?;
    for (number, text) in numbers.iter_mut().zip(plain.split('.')) {
        *number = text.parse().ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_the_fix_have_the_fault() {
        for old in ["0.8.0", "0.8.1", "0.7.4", "0.8", "0.8.1-1", "0.8.1.5"] {
            assert!(fault(old).is_some(), "{old}");
        }
        for new in ["0.8.2", "0.8.10", "0.9.0", "0.10", "1.0.0", "0.8.2-dev", "unpackaged", ""] {
            assert!(fault(new).is_none(), "{new}");
        }
    }

    #[test]
    fn a_description_begins_with_the_version() {
        assert_eq!(describe("0.8.5"), "0.8.5");
        assert!(describe("0.8.1").starts_with("0.8.1: parallel builds"));
    }
}
