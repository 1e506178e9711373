//! Version numbers: which library and which SQL are compatible.

/// A version number, reduced to the parts that change the SQL: major and minor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// Reads `major.minor.patch`; None for anything else.
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split('.');
        let mut number = || parts.next()?.parse::<u32>().ok();
        let (major, minor, _patch) = (number()?, number()?, number()?);
        parts.next().is_none().then_some(Version { major, minor })
    }

    /// Whether a library of this version is compatible with SQL of the other: a patch release changes no SQL.
    pub fn goes_with(self, sql: Version) -> bool {
        self == sql
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn patch_releases_go_together_and_no_others() {
        assert!(version("0.2.0").goes_with(version("0.2.7")));
        assert!(version("0.2.7").goes_with(version("0.2.0")));
        assert!(!version("0.2.0").goes_with(version("0.3.0")));
        assert!(!version("1.2.0").goes_with(version("0.2.0")));
    }

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(version("0.10.0") > version("0.9.1"));
        assert!(version("1.0.0") > version("0.99.0"));
    }

    #[test]
    fn what_is_no_version_has_none() {
        for text in ["", "1", "1.2", "1.2.x", "1.2.3.4", "v1.2.3", "1.2.-3"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
