//! Two halves of questions: what is chosen on one is checked on the other.

use std::collections::HashMap;

use super::copies::normalized;
use super::random::Random;

const SEED: u64 = 45;

/// For each question whether it is in the first half. Copies of a question, whatever their case and white space, are in one half. The
/// same questions give the same halves, in whichever order they come.
pub fn halves(questions: &[&str]) -> Vec<bool> {
    let texts: Vec<String> = questions.iter().map(|question| normalized(question)).collect();
    let mut distinct: Vec<&str> = texts.iter().map(String::as_str).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut random = Random::with_seed(SEED);
    // Fisher and Yates.
    for at in (1..distinct.len()).rev() {
        distinct.swap(at, random.below(at + 1));
    }
    let is_first: HashMap<&str, bool> =
        distinct.iter().enumerate().map(|(place, text)| (*text, place % 2 == 0)).collect();
    texts.iter().map(|text| is_first.get(text.as_str()).copied().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn copies_stay_together_and_halves_are_even(numbers in prop::collection::vec(0u8..40, 0..80)) {
            let texts: Vec<String> = numbers.iter().enumerate()
                .map(|(at, n)| if at % 2 == 0 { format!("Question {n}") } else { format!(" question  {n}") }).collect();
            let found = halves(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            for (a, first) in numbers.iter().zip(&found) {
                for (b, second) in numbers.iter().zip(&found) {
                    prop_assert!(a != b || first == second);
                }
            }
            let (mut ones, mut others) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
            for (n, first) in numbers.iter().zip(found) {
                if first { ones.insert(n) } else { others.insert(n) };
            }
            prop_assert!(ones.len() - others.len() <= 1);
        }
    }
}
