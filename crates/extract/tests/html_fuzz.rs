//! Pages of random tags, and random changes of pages. `cargo run --release --example fuzz_html -- 600` does the same for longer.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

#[path = "common/properties.rs"]
mod properties;
#[path = "common/soup.rs"]
mod soup;

use properties::check;
use proptest::prelude::*;
use soup::Random;

const PAGE: &str = include_str!("data/page.html");

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_any_tags(seed in 1u64..) {
        check(&soup::soup(&mut Random(seed)));
    }

    #[test]
    fn reads_changed_pages(seed in 1u64..) {
        check(&soup::mutate(PAGE.as_bytes(), &mut Random(seed)));
    }

    #[test]
    fn reads_any_text(text in "(<[a-z/!?\\-]{0,6}[ ='\"a-z]{0,9}>?|[\\PC\\n ]{0,9}){0,60}") {
        check(text.as_bytes());
    }

    #[test]
    fn decodes_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300), label in "(utf-8|utf-16|latin1|gbk|shift_jis|iso-2022-jp|x)?") {
        let text = kb_rag_extract::text::decode(&bytes, Some(&label));
        prop_assert!(!text.contains(['\0', '\r']));
        prop_assert!(text.len() <= 4 * bytes.len());
    }

    #[test]
    fn decodes_what_is_text(text in "[^\\pC\u{fffd}]{0,80}") {
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        prop_assert_eq!(&kb_rag_extract::text::decode(text.as_bytes(), None), text.trim_start_matches('\u{feff}'));
        prop_assert_eq!(&kb_rag_extract::text::decode(&wide, None), text.trim_start_matches('\u{feff}'));
    }
}
