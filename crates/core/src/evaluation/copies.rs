//! Copies of a question. They find the same, so several of them give no more information than one.

use std::collections::HashMap;
use std::hash::Hash;

use super::statistics::Weighted;

/// The text of a question, whatever its case and white space.
pub fn normalized(question: &str) -> String {
    question.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// One value for all copies of a question: their weighted mean with the sum of their weights. In the order of the first ones. The mean
/// of all stays the same.
pub fn merged<K: Eq + Hash>(values: impl IntoIterator<Item = (K, Weighted)>) -> Vec<Weighted> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut sums: Vec<Weighted> = Vec::new();
    for (key, (value, weight)) in values {
        let place = *places.entry(key).or_insert(sums.len());
        if place == sums.len() {
            sums.push((0.0, 0.0));
        }
        if let Some((sum, weights)) = sums.get_mut(place) {
            *sum += value * weight;
            *weights += weight;
        }
    }
    sums.into_iter().map(|(sum, weight)| (sum / weight, weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::statistics::mean;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn copies_count_as_one() {
        assert_eq!(normalized(" Is  it\nOpen "), "is it open");
        assert_eq!(
            merged([("a", (1.0, 1.0)), ("b", (0.5, 2.0)), ("a", (0.0, 3.0))]),
            [(0.25, 4.0), (0.5, 2.0)]
        );
    }

    proptest! {
        #[test]
        fn the_mean_stays(values in prop::collection::vec((0u8..9, 0.0..1.0, 0.1..5.0), 1..40)) {
            let all: Vec<Weighted> = values.iter().map(|(_, value, weight)| (*value, *weight)).collect();
            let merged = merged(values.iter().map(|(key, value, weight)| (*key, (*value, *weight))));
            let keys: std::collections::BTreeSet<u8> = values.iter().map(|(key, ..)| *key).collect();
            prop_assert_eq!(merged.len(), keys.len());
            prop_assert!((mean(&all).unwrap() - mean(&merged).unwrap()).abs() < 1e-9);
        }
    }
}
