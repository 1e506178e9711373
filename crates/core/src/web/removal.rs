//! Which pages of a source go after a crawl.

/// What a crawl learned about a page that has a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was read, or has not changed.
    Kept,
    /// Its server says that it does not exist: 404 or 410.
    Gone,
    /// It was found, but not read: a time-out, a refusal, robots.txt, no text.
    Failed,
    /// No link led to it any more.
    NotFound,
}

/// What to do after a crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Remove the pages at these positions, in ascending order.
    Pages(Vec<usize>),
    /// Remove none, because a site in trouble may look like this: so many would go.
    TooMany {
        /// How many pages would go.
        going: usize,
        /// How many pages have a document.
        of: usize,
    },
}

/// Decides by the states of all pages that have a document. A page that was not found goes only after a complete crawl,
/// which ended without error and without reaching its limits. More than half of the pages go only by `force`, but a
/// source of a single page follows that page.
pub fn decide(states: &[State], crawl_was_complete: bool, force: bool) -> Removal {
    let goes = |state: &State| match state {
        State::Gone => true,
        State::NotFound => crawl_was_complete,
        State::Kept | State::Failed => false,
    };
    let going: Vec<_> =
        states.iter().enumerate().filter(|(_, state)| goes(state)).map(|(position, _)| position).collect();
    if !force && states.len() > 1 && going.len() > states.len() / 2 {
        return Removal::TooMany { going: going.len(), of: states.len() };
    }
    Removal::Pages(going)
}

#[cfg(test)]
mod tests {
    use super::State::{Failed, Gone, Kept, NotFound};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn removes_what_is_gone() {
        for (states, complete, expected) in [
            (&[][..], true, Removal::Pages(vec![])),
            (&[Gone], false, Removal::Pages(vec![0])),
            (&[NotFound], true, Removal::Pages(vec![0])),
            (&[Failed], true, Removal::Pages(vec![])),
            (&[Kept, Gone], false, Removal::Pages(vec![1])),
            (&[Kept, NotFound], false, Removal::Pages(vec![])),
            (&[NotFound, Failed], true, Removal::Pages(vec![0])),
            (&[Gone, Gone], false, Removal::TooMany { going: 2, of: 2 }),
            (&[Gone, NotFound, Failed], true, Removal::TooMany { going: 2, of: 3 }),
            (&[Gone, NotFound, Failed], false, Removal::Pages(vec![0])),
        ] {
            assert_eq!(decide(states, complete, false), expected, "{states:?}");
        }
        assert_eq!(decide(&[Gone, Gone], false, true), Removal::Pages(vec![0, 1]));
    }

    fn states() -> impl Strategy<Value = Vec<State>> {
        proptest::collection::vec(proptest::sample::select(vec![Kept, Gone, Failed, NotFound]), 0..12)
    }

    proptest! {
        #[test]
        fn keeps_what_may_exist(states in states(), complete: bool, force: bool) {
            let Removal::Pages(pages) = decide(&states, complete, force) else {
                prop_assert!(!force);
                return Ok(());
            };
            prop_assert!(pages.is_sorted());
            prop_assert!(pages.iter().all(|&page| states[page] == Gone || complete && states[page] == NotFound));
            prop_assert!(force || states.len() == 1 || pages.len() * 2 <= states.len());
        }

        #[test]
        fn force_removes_all_that_is_gone(states in states(), complete: bool) {
            let count = |state| states.iter().filter(|other| **other == state).count();
            let expected = count(Gone) + if complete { count(NotFound) } else { 0 };
            let Removal::Pages(pages) = decide(&states, complete, true) else { panic!("not forced") };
            prop_assert_eq!(pages.len(), expected);
            match decide(&states, complete, false) {
                Removal::Pages(unforced) => prop_assert_eq!(unforced, pages),
                Removal::TooMany { going, of } => prop_assert!(going == expected && of == states.len()),
            }
        }
    }
}
