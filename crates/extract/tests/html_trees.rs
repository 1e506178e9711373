//! Each text that a page shows is in its content once, in its order, and nothing that it hides: pages of random elements
//! whose words are known.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;
#[path = "common/soup.rs"]
#[allow(dead_code)] // it only takes its random numbers
mod soup;
#[path = "common/trees.rs"]
mod trees;

use common::markdown;
use proptest::prelude::*;
use soup::Random;
use trees::Tree;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn writes_each_word_once(seed in 1u64..) {
        let tree = Tree::random(&mut Random(seed));
        let content = markdown(&tree.page);
        let differences = tree.differences(&content);
        prop_assert!(differences.is_empty(), "{differences:?}\n{}\n{content}", tree.page);
    }
}
