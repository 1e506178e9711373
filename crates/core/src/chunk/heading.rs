//! Heading paths: "Title > Section > Sub".

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// A heading of the page itself (not of a quotation or list item).
#[derive(Clone)]
pub(crate) struct Heading {
    /// Byte offset of the start of its line.
    pub at: usize,
    /// 1 to 6.
    pub depth: u8,
    /// Its text without inline markup.
    pub text: String,
}

/// A queue of headings, filled by one part and read by another.
pub(crate) type Headings = Rc<RefCell<VecDeque<Heading>>>;

/// Tracks the headings in force while walking down a page.
pub(crate) struct HeadingPath {
    ahead: Headings,
    open: Vec<Heading>,
    path: Option<Arc<str>>,
}

impl HeadingPath {
    pub(crate) fn new(ahead: Headings) -> Self {
        Self { ahead, open: Vec::new(), path: None }
    }

    /// The path in force at byte `at`, including a heading that begins there. `at` must not decrease.
    pub(crate) fn at(&mut self, at: usize) -> Option<Arc<str>> {
        let mut ahead = self.ahead.borrow_mut();
        let before = ahead.len();
        while let Some(heading) = ahead.pop_front_if(|heading| heading.at <= at) {
            while self.open.pop_if(|open| open.depth >= heading.depth).is_some() {}
            self.open.push(heading);
        }
        if ahead.len() < before {
            let titles: Vec<&str> = self
                .open
                .iter()
                .map(|heading| heading.text.trim())
                .filter(|title| !title.is_empty())
                .collect();
            self.path = (!titles.is_empty()).then(|| titles.join(" > ").into());
        }
        self.path.clone()
    }
}
