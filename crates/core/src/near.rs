//! Names that a user probably meant.

/// The most edits between a name and the one that was meant.
const MAX_EDITS: usize = 2;
/// Longer names, in bytes, are not compared.
const MAX_BYTES: usize = 1_000;

/// The names that `given` probably stands for, the nearest first, then in their order. Names are near if at most two
/// letters were inserted, deleted or replaced, and fewer than half of the shorter name. Case counts only between names that are equally near.
pub fn near<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if given.len() > MAX_BYTES {
        return Vec::new();
    }
    let (as_given, given) = (given, letters(given));
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| name.len() <= MAX_BYTES)
        .filter_map(|name| {
            let letters = letters(name);
            let shorter = letters.len().min(given.len());
            let max = MAX_EDITS.min(shorter.saturating_sub(1) / 2);
            Some((edits(&given, &letters, max)?, name))
        })
        .collect();
    let as_given: Vec<char> = as_given.chars().collect();
    found.sort_by_cached_key(|(distance, name)| {
        let name: Vec<char> = name.chars().collect();
        (*distance, edits(&as_given, &name, as_given.len().max(name.len())))
    });
    found.into_iter().map(|(_, name)| name).collect()
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The Levenshtein distance, if it is at most `max`.
fn edits(a: &[char], b: &[char], max: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > max {
        return None;
    }
    // The distances of the letters of `a` so far from each beginning of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().all(|&distance| distance > max) {
            return None;
        }
    }
    row.last().copied().filter(|&distance| distance <= max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["support", "sport", "handbook", "Straße", "hr"];
        for (given, expected) in [
            ("suport", vec!["support", "sport"]),
            ("SUPPORT", vec!["support", "sport"]),
            ("suppport", vec!["support"]),
            ("port", vec!["sport"]),
            ("handbooks", vec!["handbook"]),
            ("hanbdook", vec!["handbook"]),
            ("STRASSE", vec!["Straße"]),
            ("hr", vec!["hr"]),
            ("HR", vec!["hr"]),
            ("pr", vec![]),
            ("hr2", vec![]),
            ("manual", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(near(given, names), expected, "{given}");
        }
        assert_eq!(near("suport", ["Support", "support"]), ["support", "Support"]);
        assert_eq!(near("Suport", ["support", "Support"]), ["Support", "support"]);
        assert!(near(&"x".repeat(MAX_BYTES + 1), ["x"]).is_empty());
    }

    /// The definition, by recursion.
    fn distance(a: &[char], b: &[char]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a @ ..], [y, b @ ..]) if x == y => distance(a, b),
            ([_, a_rest @ ..], [_, b_rest @ ..]) => {
                1 + distance(a_rest, b_rest).min(distance(a, b_rest)).min(distance(a_rest, b))
            }
        }
    }

    proptest! {
        #[test]
        fn counts_edits(a in "[a-c]{0,6}", b in "[a-c]{0,6}", max in 0_usize..7) {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let expected = Some(distance(&a, &b)).filter(|&distance| distance <= max);
            prop_assert_eq!(edits(&a, &b, max), expected);
        }
    }
}
