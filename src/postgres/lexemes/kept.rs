//! What the parser and the dictionaries made of words, kept for the texts that come next: texts of a language consist of the same
//! words, and to parse and stem them is most of the work of making lexemes.
//!
//! Kept are words of configurations of which PostgreSQL itself has all the code. Other dictionaries may depend on settings and
//! tables. Everything is forgotten when a configuration, a dictionary, a parser or a template may have changed, as PostgreSQL's own
//! caches of them are.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use kb_rag_core::lexeme::{Conventions, Token};
use kb_rag_core::recent::{Recent, Seen};

use super::{Lexer, of_parts};
use crate::postgres::lookup;
use crate::postgres::parsed::Parsed;
use crate::postgres::regconfig::RegConfig;
use crate::postgres::test_point::test_limit;

/// So many words of a configuration are kept at least, and twice as many at most, and as many tokens with parts.
const MAX_WORDS: usize = 8192;
/// So many words that came once are told from new ones.
const MAX_SEEN: usize = 1 << 14;
/// Of so many configurations.
const MAX_CONFIGS: usize = 6;
/// A longer text is rarely a word.
const MAX_TEXT_BYTES: usize = 48;

thread_local! {
    /// Of each configuration, the last used first.
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    /// How often configurations may have changed. None until that is watched.
    static CHANGES: Cell<Option<u64>> = const { Cell::new(None) };
}

/// What is kept of a configuration with its conventions.
pub struct Kept {
    config: pgrx::pg_sys::Oid,
    conventions: Conventions,
    /// Of how many changes it knows.
    changes: u64,
    is_repeatable: bool,
    words: Recent<Rc<Lexemes>>,
    seen: Seen,
    tokens: Recent<Option<Rc<OfToken>>>,
}

/// The lexemes of a token with parts.
pub struct OfToken {
    pub words: Rc<Lexemes>,
    /// Of its parts, without those that are words as well.
    pub parts: Vec<Box<[u8]>>,
}

/// The lexemes of a text of its own, in order.
pub struct Lexemes {
    /// How many positions the text takes.
    pub positions: u32,
    /// For each lexeme its position from 1, its length, and its bytes.
    bytes: Box<[u8]>,
}

impl Lexemes {
    /// Those that a configuration makes of it.
    pub fn of_text(config: &RegConfig, text: &str) -> Lexemes {
        let mut parsed = Parsed::new(0, text.len());
        parsed.parse(config, text);
        let mut bytes = Vec::new();
        for word in parsed.words(0) {
            let Ok(length) = u16::try_from(word.lexeme.len()) else { continue };
            bytes.extend(word.position.to_ne_bytes());
            bytes.extend(length.to_ne_bytes());
            bytes.extend(word.lexeme);
        }
        Lexemes { positions: parsed.position(), bytes: bytes.into() }
    }

    /// Lexemes with their positions.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut rest = &*self.bytes;
        std::iter::from_fn(move || {
            let (position, after) = rest.split_first_chunk()?;
            let (length, after) = after.split_first_chunk()?;
            let (lexeme, after) = after.split_at_checked(usize::from(u16::from_ne_bytes(*length)))?;
            rest = after;
            Some((u32::from_ne_bytes(*position), lexeme))
        })
    }

    /// Adds them after the words that are there.
    pub fn add_to(&self, parsed: &mut Parsed) {
        let before = parsed.position();
        self.iter().for_each(|(position, lexeme)| parsed.push(lexeme, before + position));
        parsed.skip(self.positions);
    }
}

/// Hands what is kept of a lexer's configuration to `work`. None if nothing may be kept of it.
pub fn with_kept<T>(lexer: &Lexer, work: impl FnOnce(&mut Kept) -> T) -> Option<T> {
    let most = test_limit("kept_words", MAX_WORDS);
    if most == 0 {
        return None;
    }
    // Taken out: an error of PostgreSQL unwinds, and a dictionary may call functions.
    let mut kept = take(lexer).unwrap_or_else(|| Kept::new(lexer, most));
    let result = kept.is_repeatable.then(|| work(&mut kept));
    KEPT.with_borrow_mut(|all| {
        all.insert(0, kept);
        all.truncate(MAX_CONFIGS);
    });
    result
}

fn take(lexer: &Lexer) -> Option<Kept> {
    let changes = changes();
    KEPT.with_borrow_mut(|all| {
        all.retain(|kept| kept.changes == changes);
        let is_same = |kept: &Kept| kept.config == lexer.config.0 && kept.conventions == lexer.conventions;
        let place = all.iter().position(is_same)?;
        Some(all.remove(place))
    })
}

/// How often configurations may have changed.
fn changes() -> u64 {
    CHANGES.get().unwrap_or_else(|| {
        lookup::on_text_search_change(|| CHANGES.set(CHANGES.get().map(|changes| changes + 1)));
        CHANGES.set(Some(0));
        0
    })
}

impl Kept {
    fn new(lexer: &Lexer, most: usize) -> Kept {
        Kept {
            config: lexer.config.0,
            conventions: lexer.conventions,
            // Before the look-up, which may hear of a change.
            changes: changes(),
            is_repeatable: lexer.config.is_repeatable(),
            words: Recent::new(most),
            seen: Seen::new(MAX_SEEN),
            tokens: Recent::new(most),
        }
    }

    /// The lexemes of a word by itself. None for one that comes the first time: to read it within its text takes less.
    pub fn word(&mut self, word: &str) -> Option<Rc<Lexemes>> {
        self.words.get(word).or_else(|| self.seen.again(word).then(|| self.make(word)))
    }

    /// The lexemes of a text by itself.
    fn words(&mut self, text: &str) -> Rc<Lexemes> {
        self.words.get(text).unwrap_or_else(|| self.make(text))
    }

    fn make(&mut self, text: &str) -> Rc<Lexemes> {
        let words = Rc::new(Lexemes::of_text(&RegConfig(self.config), text));
        if self.may_keep(text) {
            self.words.insert(text, Rc::clone(&words));
        }
        words
    }

    /// The lexemes of a token; None if it has no parts.
    pub fn token(&mut self, token: &Token) -> Option<Rc<OfToken>> {
        let key = token.key();
        if let Some(found) = self.tokens.get(&key) {
            return found;
        }
        let parts = token.parts(&self.conventions);
        let found = (!parts.is_empty()).then(|| {
            let words = self.words(token.text);
            let lexemes = of_parts(&parts, |text| self.words(text));
            let is_new = |lexeme: &Vec<u8>| !words.iter().any(|(_, word)| word == lexeme.as_slice());
            let parts = lexemes.into_iter().filter(is_new).map(Vec::into_boxed_slice).collect();
            Rc::new(OfToken { words, parts })
        });
        if self.may_keep(&key) {
            self.tokens.insert(&key, found.clone());
        }
        found
    }

    /// Whether what was made of a text by now is still right.
    fn may_keep(&self, text: &str) -> bool {
        text.len() <= MAX_TEXT_BYTES && self.changes == changes()
    }
}
