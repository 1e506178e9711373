//! Files with mistakes in them: reading ends soon, without a panic, and keeps its promises.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

#[path = "common/quick.rs"]
mod quick;
mod samples;

use kb_rag_extract::{File, docx, pdf};
use proptest::prelude::*;
use quick::quick;
use samples::mutate::{Random, mutated};

fn check_pdf(bytes: &[u8]) {
    if let Ok(text) = quick(20, || pdf::extract(&File { bytes, ..File::default() })) {
        assert!(!text.pages.is_empty() && text.properties.paged && !text.properties.markdown);
        for page in &text.pages {
            assert!(!page.content.contains(['\0', '\u{C}']));
            assert_eq!(page.content.trim(), page.content);
            // A panic of the parser costs a page, but is to be known.
            assert_ne!(page.error.as_deref(), Some("the page is damaged"));
        }
    }
}

fn check_docx(bytes: &[u8]) {
    if let Ok(text) = quick(20, || docx::extract(&File { bytes, ..File::default() })) {
        assert_eq!(text.pages.len(), 1);
        assert!(text.properties.markdown && !text.properties.paged && !text.pages[0].content.contains('\0'));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pdf_files(seed: u64, which in 0..2_usize) {
        let samples = samples::pdf::samples();
        check_pdf(&mutated(&samples[which], &samples[1 - which], &mut Random(seed)));
    }

    #[test]
    fn documents(seed: u64) {
        let sample = samples::docx::sample();
        check_docx(&mutated(&sample, &sample, &mut Random(seed)));
    }

    /// The XML alone, since mistakes in packed data are found by its checksum.
    #[test]
    fn xml_of_documents(seed: u64) {
        let body = samples::docx::body();
        let xml = mutated(body.as_bytes(), samples::docx::STYLES.as_bytes(), &mut Random(seed));
        let styles = mutated(samples::docx::STYLES.as_bytes(), body.as_bytes(), &mut Random(!seed));
        let parts: [(&str, &[u8]); 2] = [("word/document.xml", &xml), ("word/styles.xml", &styles)];
        check_docx(&samples::docx::archive(&parts));
    }
}
