//! Values by text, of which the recent ones are kept.

use std::collections::HashMap;
use std::hash::BuildHasher;

// Words are looked up for each word of a text, and SipHash takes as long as what is saved. Few are kept at a time: colliding ones
// cost little.
use foldhash::fast::RandomState;

/// Keeps the values that were used lately, in bounded memory. There are two generations: values that are used move into the young
/// one; when it is full, it becomes the old one, and what is left of that is dropped.
#[derive(Debug)]
pub struct Recent<V> {
    young: HashMap<Box<str>, V, RandomState>,
    old: HashMap<Box<str>, V, RandomState>,
    /// The most values of a generation.
    most: usize,
}

impl<V: Clone> Recent<V> {
    /// Keeps at most twice as many values as `most`, of which the last `most` that were used are certain.
    pub fn new(most: usize) -> Recent<V> {
        Recent { young: HashMap::default(), old: HashMap::default(), most }
    }

    /// The value of a text, if it is kept.
    pub fn get(&mut self, text: &str) -> Option<V> {
        if let Some(value) = self.young.get(text) {
            return Some(value.clone());
        }
        let (text, value) = self.old.remove_entry(text)?;
        self.put(text, value.clone());
        Some(value)
    }

    /// Keeps a value.
    pub fn insert(&mut self, text: &str, value: V) {
        self.old.remove(text);
        self.put(text.into(), value);
    }

    fn put(&mut self, text: Box<str>, value: V) {
        if self.young.len() >= self.most {
            self.old = std::mem::take(&mut self.young);
        }
        if self.most > 0 {
            self.young.insert(text, value);
        }
    }
}

/// Tells texts that come again, most of the time, in memory of a fixed size. Most of the words of a text come once, and are not worth
/// keeping.
#[derive(Debug)]
pub struct Seen {
    hasher: RandomState,
    /// Hashes of the last texts, each at the place that it names.
    marks: Vec<u32>,
}

impl Seen {
    /// With this many places.
    pub fn new(places: usize) -> Seen {
        Seen { hasher: RandomState::default(), marks: vec![0; places.max(1)] }
    }

    /// Whether a text was seen before; it is from now on.
    pub fn again(&mut self, text: &str) -> bool {
        let hash = self.hasher.hash_one(text);
        let place = (hash >> 32) as usize % self.marks.len();
        // 0 is no text.
        let mark = hash as u32 | 1;
        self.marks.get_mut(place).is_some_and(|seen| std::mem::replace(seen, mark) == mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_used_stays() {
        let mut recent = Recent::new(2);
        for (n, text) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
            recent.insert(text, n);
            assert_eq!(recent.get("a"), Some(0), "after {text}");
        }
        assert_eq!(recent.get("b"), None);
    }

    #[test]
    fn nothing_is_kept_without_room() {
        let mut recent = Recent::new(0);
        recent.insert("a", 1);
        assert_eq!(recent.get("a"), None);
    }

    #[test]
    fn texts_are_seen_again() {
        let mut seen = Seen::new(1);
        assert_eq!(
            [seen.again("a"), seen.again("a"), seen.again("b"), seen.again("a")],
            [false, true, false, false]
        );
        let mut seen = Seen::new(1 << 16);
        let texts: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        assert!(texts.iter().filter(|text| seen.again(text)).count() < 5);
        assert!(texts.iter().filter(|text| seen.again(text)).count() > 900);
    }

    proptest! {
        #[test]
        fn the_last_values_are_kept(uses in prop::collection::vec("[a-f]", 0..60), most in 1_usize..5) {
            let mut recent = Recent::new(most);
            let mut order: Vec<String> = Vec::new();
            for (n, text) in uses.into_iter().enumerate() {
                if n % 3 == 0 {
                    recent.insert(&text, text.clone());
                } else {
                    let found = recent.get(&text);
                    let is_certain = order.iter().rev().take(most).any(|used| *used == text);
                    prop_assert!(found.is_some() || !is_certain);
                    prop_assert!(found.as_ref().is_none_or(|found| *found == text));
                    if found.is_none() { continue }
                }
                order.retain(|used| *used != text);
                order.push(text);
                prop_assert!(recent.young.len() <= most && recent.old.len() <= most);
            }
        }
    }
}
