//! The model `fake`: deterministic vectors for tests, without a network or weights.
//!
//! Feature hashing (Weinberger and others, "Feature Hashing for Large Scale Multitask Learning", ICML 2009): each word
//! adds ±1 at a few places that its hash chooses, so texts that share words point in similar directions.

/// How many places of the vector a word touches.
const PLACES: u64 = 4;

/// `check_interrupts` is called once per this many characters, so that a caller can stop work on a huge text.
const CHARACTERS_BETWEEN_CHECKS: usize = 16_384;

/// Longer words are hashed in pieces.
const MAX_WORD_BYTES: usize = 65_536;

/// A vector of `dimensions` (at least 1) numbers and length 1. The same text always gives the same vector.
pub fn embedding(text: &str, dimensions: usize, mut check_interrupts: impl FnMut()) -> Vec<f32> {
    let mut vector = vec![0.0f32; dimensions];
    let mut word = 0;
    for (index, (at, c)) in text.char_indices().enumerate() {
        if index % CHARACTERS_BETWEEN_CHECKS == 0 {
            check_interrupts();
        }
        if !c.is_alphanumeric() {
            add(&mut vector, &text[word..at]);
            word = at + c.len_utf8();
        } else if at - word >= MAX_WORD_BYTES {
            add(&mut vector, &text[word..at]);
            word = at;
        }
    }
    add(&mut vector, &text[word..]);
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    } else if let Some(first) = vector.first_mut() {
        // No words, or everything canceled out: a zero vector has no cosine distance.
        *first = 1.0;
    }
    vector
}

/// Adds a word; an empty one is ignored.
fn add(vector: &mut [f32], word: &str) {
    if word.is_empty() {
        return;
    }
    let hash = fnv1a(word.to_lowercase().as_bytes());
    for place in 0..PLACES {
        let bits = splitmix64(hash.wrapping_add(place));
        let at = (bits >> 1) as usize % vector.len();
        if let Some(value) = vector.get_mut(at) {
            *value += if bits & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn splitmix64(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn is_the_same_in_every_version() {
        assert_eq!(embedding("refund policy", 8, || ()), embedding("Refund, policy!", 8, || ()));
        let refund_policy = [-0.40824828, 0.0, -0.81649655, 0.0, 0.40824828, 0.0, 0.0, 0.0];
        assert_eq!(embedding("refund policy", 8, || ()), refund_policy);
    }

    /// For a huge text of words, of a single word, and of marks that are not words.
    #[test]
    fn checks_for_interrupts_throughout() {
        for text in ["a word ", "w", "\u{301}", "\u{645}"] {
            let text = text.repeat(500_000 / text.len());
            let mut checks = 0;
            embedding(&text, 8, || checks += 1);
            assert!(checks >= text.chars().count() / 50_000, "{checks} checks in {:?}…", &text[..6]);
        }
    }

    proptest! {
        #[test]
        fn has_length_one(text in any::<String>(), dimensions in 1usize..64) {
            let vector = embedding(&text, dimensions, || ());
            prop_assert_eq!(vector.len(), dimensions);
            let length = vector.iter().map(|x| x * x).sum::<f32>();
            prop_assert!((length - 1.0).abs() < 1e-4);
        }
    }
}
