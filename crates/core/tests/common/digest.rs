//! Digests of the output for samples, kept with the version that made it: output that changes needs another version.

#![allow(clippy::panic, clippy::unwrap_used)] // helpers of tests fail their test

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The variable that has digests written: `dev/digests` sets it.
const VARIABLE: &str = "KB_RAG_DIGESTS";

/// The digests of the samples that one version gives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digests {
    version: i32,
    samples: BTreeMap<String, String>,
}

impl Digests {
    fn parse(text: &str) -> Digests {
        let mut lines = text.lines().map(|line| line.rsplit_once(' ').unwrap());
        let version = lines.next().unwrap().1.parse().unwrap();
        Digests {
            version,
            samples: lines.map(|(name, digest)| (name.to_string(), digest.to_string())).collect(),
        }
    }

    fn to_text(&self) -> String {
        let mut text = format!("version {}\n", self.version);
        for (name, digest) in &self.samples {
            writeln!(text, "{name} {digest}").unwrap();
        }
        text
    }

    /// Whether these are to be written in the place of the ones that are kept. An error if the version must rise first.
    fn replace(&self, kept: Option<&Digests>, what: &str) -> Result<bool, String> {
        let Some(kept) = kept else { return Ok(true) };
        if self.version < kept.version {
            return Err(format!(
                "the version of {what} fell from {} to {}: documents keep it",
                kept.version, self.version
            ));
        }
        let changed: Vec<&str> = self
            .samples
            .iter()
            .filter(|(name, digest)| kept.samples.get(*name).is_some_and(|before| before != *digest))
            .map(|(name, _)| name.as_str())
            .collect();
        if self.version == kept.version && !changed.is_empty() {
            return Err(format!(
                "the output of {what} changed for {}, and its version is still {}: raise the version in \
                 crates/core/src/version.rs, so that documents are read or cut again, and then run dev/digests",
                changed.join(", "),
                self.version
            ));
        }
        Ok(self != kept)
    }
}

/// FNV-1a, in 64 bits.
pub fn digest(output: &str) -> String {
    let hash = output.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Compares the output for samples with what the file `path` has of it.
pub fn check(path: &Path, what: &str, version: i32, outputs: impl IntoIterator<Item = (String, String)>) {
    let samples = outputs.into_iter().map(|(name, output)| (name, digest(&output))).collect();
    let found = Digests { version, samples };
    assert!(!found.samples.is_empty(), "{what} has no sample");
    let kept = fs::read_to_string(path).ok().map(|text| Digests::parse(&text));
    match found.replace(kept.as_ref(), what) {
        Ok(false) => {}
        Ok(true) if std::env::var(VARIABLE).is_ok_and(|value| value == "write") => {
            fs::write(path, found.to_text()).unwrap();
        }
        Ok(true) => panic!("{} is not current: run dev/digests", path.display()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn changed_output_needs_another_version() {
    let of = |version, samples: &[(&str, &str)]| Digests {
        version,
        samples: samples.iter().map(|(name, output)| (name.to_string(), digest(output))).collect(),
    };
    let kept = of(2, &[("a", "x"), ("b", "y")]);
    assert_eq!(Digests::parse(&kept.to_text()), kept);
    assert_eq!(kept.replace(Some(&kept), "it"), Ok(false));
    assert_eq!(kept.replace(None, "it"), Ok(true));
    let changed = [("a", "x"), ("b", "z")];
    assert!(
        of(2, &changed).replace(Some(&kept), "it").is_err_and(|error| error.contains("changed for b, and"))
    );
    assert_eq!(of(3, &changed).replace(Some(&kept), "it"), Ok(true));
    assert!(of(1, &[("a", "x")]).replace(Some(&kept), "it").is_err());
    // A sample more or less says nothing about the others.
    assert_eq!(of(2, &[("a", "x"), ("c", "z")]).replace(Some(&kept), "it"), Ok(true));
}
