//! Pages of a source with the same text, and the one document that they share.

use std::collections::{BTreeMap, BTreeSet};

/// The most other URLs that a document names.
pub const MAX_OTHER_URLS: usize = 100;

/// A page that leads to a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The URL that was asked for.
    pub url: String,
    /// The URL that it is known by: that which answered, or its canonical one.
    pub key: String,
    /// Whether it is the URL of the source.
    pub is_root: bool,
}

/// The names of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Its URL.
    pub key: String,
    /// The others that lead to it, sorted, at most [`MAX_OTHER_URLS`].
    pub others: Vec<String>,
}

/// The names of a document, by the pages that lead to it in any order. A URL that other URLs redirect to or name as canonical
/// comes first, then that of the source, then the shortest, then the lowest by its bytes. None if no page leads to it, or other
/// documents have all of these URLs.
pub fn names(leads: &[Lead], is_taken: impl Fn(&str) -> bool) -> Option<Names> {
    let mut ranks: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for lead in leads {
        let (is_meant, is_root) = ranks.entry(&lead.key).or_default();
        *is_meant |= lead.key != lead.url;
        *is_root |= lead.is_root && lead.key == lead.url;
    }
    let mut keys: Vec<&str> = ranks.keys().copied().filter(|key| !is_taken(key)).collect();
    keys.sort_by_key(|key| {
        let (is_meant, is_root) = ranks.get(key).copied().unwrap_or_default();
        (!is_meant, !is_root, key.len(), *key)
    });
    let key = (*keys.first()?).to_string();
    let urls = leads.iter().flat_map(|lead| [&lead.url, &lead.key]).filter(|url| **url != key);
    let urls: BTreeSet<(usize, &String)> = urls.map(|url| (url.len(), url)).collect();
    let mut others: Vec<String> = urls.into_iter().take(MAX_OTHER_URLS).map(|(_, url)| url.clone()).collect();
    others.sort_unstable();
    Some(Names { key, others })
}

/// A document that may be that of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<D> {
    /// Which one.
    pub id: D,
    /// Whether it has the text of the page.
    pub is_same: bool,
    /// Whether pages that are known by other URLs lead to it.
    pub is_shared: bool,
}

/// Another document with the text of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twin<D> {
    /// Which one.
    pub id: D,
    /// Whether one of its pages has left the document that the page has now, because its text changed first.
    pub has_parted: bool,
}

/// The place for the text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place<D> {
    /// To this document, whose pages get those of the others: these have the same text, and go.
    With {
        /// The one that stays.
        document: D,
        /// Those that go.
        joined: Vec<D>,
    },
    /// To the document under the URL that the page is known by. The one that has this URL now goes to the other pages that lead
    /// to it, if there are any.
    Own {
        /// Whether it does.
        hands_over: bool,
    },
}

/// Decides where the text of a page goes. `own` is the document of the page, `at_key` the one under the URL that the page is known
/// by, `twins` all others of its source with this text. The oldest of several documents with the text stays: ids rise with time.
/// If all pages of a document have changed in the same way one after the other, it stays, and what was made of the first ones
/// meanwhile goes.
pub fn place<D: Copy + Ord>(own: Option<Known<D>>, at_key: Option<Known<D>>, twins: &[Twin<D>]) -> Place<D> {
    let known = own.iter().chain(&at_key).filter(|known| known.is_same).map(|known| known.id);
    let mut same: Vec<D> = known.chain(twins.iter().map(|twin| twin.id)).collect();
    same.sort_unstable();
    same.dedup();
    if let Some(own) = own
        && !own.is_same
        && !own.is_shared
        && twins.iter().any(|twin| twin.has_parted)
    {
        return Place::With { document: own.id, joined: same };
    }
    match same.split_first() {
        Some((document, joined)) => Place::With { document: *document, joined: joined.to_vec() },
        None => Place::Own { hands_over: at_key.is_some_and(|known| known.is_shared) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lead(url: &str, key: &str) -> Lead {
        Lead { url: url.to_string(), key: key.to_string(), is_root: url == "/docs/" }
    }

    fn names_of(leads: &[(&str, &str)]) -> Option<(String, Vec<String>)> {
        let leads: Vec<Lead> = leads.iter().map(|(url, key)| lead(url, key)).collect();
        names(&leads, |key| key.starts_with("/taken")).map(|names| (names.key, names.others))
    }

    #[test]
    fn names_documents() {
        for (leads, key, others) in [
            (&[("/a", "/a")][..], "/a", &[][..]),
            (
                &[("/docs", "/docs"), ("/docs/?ref=nav", "/docs/?ref=nav"), ("/docs/", "/docs/")],
                "/docs/",
                &["/docs", "/docs/?ref=nav"],
            ),
            (&[("/b/", "/b/"), ("/b", "/b"), ("/B", "/B")], "/B", &["/b", "/b/"]),
            // A URL that others redirect to or name as canonical is the one that the site means.
            (&[("/a", "/a"), ("/long?x", "/long"), ("/long", "/long")], "/long", &["/a", "/long?x"]),
            (&[("/a", "/a"), ("/x", "/never-fetched")], "/never-fetched", &["/a", "/x"]),
            (&[("/docs/", "/docs/"), ("/x", "/never-fetched")], "/never-fetched", &["/docs/", "/x"]),
            // The URL of the source that leads elsewhere is no name.
            (&[("/docs/", "/docs/start"), ("/a", "/a")], "/docs/start", &["/a", "/docs/"]),
            (&[("/taken", "/taken"), ("/longer", "/longer")], "/longer", &["/taken"]),
        ] {
            let others = others.iter().map(|url| url.to_string()).collect();
            assert_eq!(names_of(leads), Some((key.to_string(), others)), "{leads:?}");
        }
        assert_eq!(names_of(&[]), None);
        assert_eq!(names_of(&[("/taken", "/taken")]), None);
        let many: Vec<Lead> = (0..200).map(|n| lead(&format!("/{n}"), &format!("/{n}"))).collect();
        assert_eq!(names(&many, |_| false).unwrap().others.len(), MAX_OTHER_URLS);
    }

    fn known(id: u32, is_same: bool, is_shared: bool) -> Option<Known<u32>> {
        Some(Known { id, is_same, is_shared })
    }

    fn twin(id: u32, has_parted: bool) -> Twin<u32> {
        Twin { id, has_parted }
    }

    fn with(document: u32, joined: &[u32]) -> Place<u32> {
        Place::With { document, joined: joined.to_vec() }
    }

    #[test]
    fn places_texts() {
        let (own, hand_over) = (Place::Own { hands_over: false }, Place::Own { hands_over: true });
        for (of_page, at_key, twins, expected) in [
            // A new page, alone or a copy.
            (None, None, &[][..], own.clone()),
            (None, None, &[twin(7, false)], with(7, &[])),
            // The same text again, alone or shared.
            (known(1, true, false), known(1, true, false), &[], with(1, &[])),
            (known(1, true, true), None, &[], with(1, &[])),
            // Documents of before: the oldest stays, whichever page is first.
            (
                known(2, true, false),
                known(2, true, false),
                &[twin(3, false), twin(1, false)],
                with(1, &[2, 3]),
            ),
            (known(1, true, false), known(1, true, false), &[twin(2, false)], with(1, &[2])),
            // A text that changed.
            (known(1, false, false), known(1, false, false), &[], own.clone()),
            (known(1, false, true), known(1, false, true), &[], hand_over.clone()),
            (known(1, false, true), None, &[], own.clone()),
            (None, known(1, false, true), &[], hand_over),
            // It is that of another page now: its document is not that page's, unless they were one.
            (known(1, false, false), known(1, false, false), &[twin(2, false)], with(2, &[])),
            (known(1, false, false), known(1, false, false), &[twin(2, true)], with(1, &[2])),
            (known(1, false, true), known(1, false, true), &[twin(2, true)], with(2, &[])),
            // The catalog was lost.
            (None, known(1, true, false), &[], with(1, &[])),
        ] {
            assert_eq!(place(of_page, at_key, twins), expected, "{of_page:?} {at_key:?} {twins:?}");
        }
    }

    proptest! {
        /// The name is that of a page, whatever the order, and all URLs are told.
        #[test]
        fn names_do_not_depend_on_the_order(
            (leads, shuffled) in proptest::collection::vec(("/[ab]{0,2}", "/[ab]{0,2}"), 1..6)
                .prop_flat_map(|leads| (Just(leads.clone()), Just(leads).prop_shuffle()))
        ) {
            let of = |leads: &[(String, String)]| {
                names(&leads.iter().map(|(url, key)| lead(url, key)).collect::<Vec<_>>(), |_| false).unwrap()
            };
            let found = of(&leads);
            prop_assert_eq!(&found, &of(&shuffled));
            prop_assert!(leads.iter().any(|(_, key)| *key == found.key));
            for (url, key) in &leads {
                for told in [url, key] {
                    prop_assert!(*told == found.key || found.others.contains(told));
                }
            }
            prop_assert!(!found.others.contains(&found.key));
        }

        /// No document with another text goes, and the one that stays has the text or is the page's own.
        #[test]
        fn nothing_else_goes(
            ids in Just((0..6_u32).collect::<Vec<_>>()).prop_shuffle(), own_same: bool, own_shared: bool,
            has_own: bool, twins in proptest::collection::vec(any::<bool>(), 0..4)
        ) {
            let own = has_own.then(|| Known { id: ids[0], is_same: own_same, is_shared: own_shared });
            let twins: Vec<Twin<u32>> =
                twins.iter().zip(&ids[1..]).map(|(parted, id)| twin(*id, *parted)).collect();
            if let Place::With { document, joined } = place(own, own, &twins) {
                let has_text = |id: u32| twins.iter().any(|twin| twin.id == id) || own_same && has_own && id == ids[0];
                prop_assert!(joined.iter().all(|id| has_text(*id) && *id != document));
                prop_assert!(has_text(document) || has_own && !own_shared && document == ids[0]);
            } else {
                prop_assert!(twins.is_empty() && !(has_own && own_same));
            }
        }
    }
}
