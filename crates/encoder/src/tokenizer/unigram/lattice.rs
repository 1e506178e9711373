//! The pieces of one word with the greatest sum of scores.

use super::{MARK, Unigram, WORD_BYTES};

/// A piece of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) id: u32,
    /// Whether the piece is a token: of unknown characters beside each other only the first is.
    pub(super) is_token: bool,
    /// Where the piece ends, in bytes of the part of the word that is passed on together.
    pub(super) end: usize,
    /// Whether no piece of the vocabulary extends over that place.
    pub(super) is_free: bool,
}

/// The best pieces from the start of the word to one of its bytes.
#[derive(Clone, Copy)]
struct Node {
    score: f32,
    /// The last piece, and where it starts.
    id: u32,
    start: usize,
    is_free: bool,
}

const UNREACHED: Node = Node { score: f32::NEG_INFINITY, id: 0, start: 0, is_free: false };

/// The word, or the part of it that is not yet passed on, and its pieces.
pub(super) struct Lattice<'a> {
    unigram: &'a Unigram,
    word: String,
    nodes: Vec<Node>,
    cuts: Vec<Cut>,
    /// Whether the last piece passed on was unknown.
    after_unknown: bool,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(unigram: &'a Unigram) -> Lattice<'a> {
        let (word, nodes, cuts) = (String::new(), Vec::new(), Vec::new());
        Lattice { unigram, word, nodes, cuts, after_unknown: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.word.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.word.len() >= WORD_BYTES
    }

    /// Starts the next word.
    pub(super) fn clear(&mut self) {
        self.word.clear();
        self.after_unknown = false;
    }

    pub(super) fn push(&mut self, character: char) {
        if self.word.is_empty() {
            self.word.push(MARK);
        }
        self.word.push(character);
    }

    /// The pieces of the word, or of what remains of it.
    pub(super) fn finish(&mut self) -> &[Cut] {
        self.solve();
        self.trace(self.word.len());
        &self.cuts
    }

    /// The pieces of the first part of the word, which are the same whatever follows; the rest remains.
    pub(super) fn advance(&mut self) -> &[Cut] {
        self.solve();
        // A piece that starts after this may extend beyond what has been read.
        let known = self.word.len().saturating_sub(self.unigram.longest);
        let free = self.nodes.iter().take(known + 1).rposition(|node| node.is_free).filter(|&end| end > 0);
        // A text that has no free place in so many bytes repeats a few characters. It is cut nevertheless.
        let reached = || self.nodes.iter().take(known + 1).rposition(|node| node.score > UNREACHED.score);
        let end = free.or_else(reached).filter(|&end| end > 0).unwrap_or(self.word.len());
        self.trace(end);
        self.word.drain(..end);
        &self.cuts
    }

    /// Finds the best pieces to each place in the word.
    fn solve(&mut self) {
        let (unigram, word) = (self.unigram, self.word.as_str());
        self.nodes.clear();
        self.nodes.resize(word.len() + 1, UNREACHED);
        if let Some(first) = self.nodes.first_mut() {
            first.score = 0.0;
        }
        let mut furthest = 0;
        for (start, character) in word.char_indices() {
            let Some(node) = self.nodes.get_mut(start) else { continue };
            node.is_free = furthest <= start;
            let score = node.score;
            let width = character.len_utf8();
            let mut is_known = false;
            let rest = word.as_bytes().get(start..).unwrap_or_default();
            for (id, length) in unigram.pieces.common_prefix_search(rest) {
                let Some(&piece_score) = unigram.scores.get(id as usize) else { continue };
                is_known |= length == width;
                furthest = furthest.max(start + length);
                relax(
                    &mut self.nodes,
                    start + length,
                    Node { score: score + piece_score, id, start, is_free: false },
                );
            }
            if !is_known {
                furthest = furthest.max(start + width);
                let node =
                    Node { score: score + unigram.unknown_score, id: unigram.unknown, start, is_free: false };
                relax(&mut self.nodes, start + width, node);
            }
        }
        if let Some(last) = self.nodes.last_mut() {
            last.is_free = true;
        }
    }

    /// Follows the best pieces back from a place.
    fn trace(&mut self, end: usize) {
        self.cuts.clear();
        let mut at = end;
        while let Some(node) = self.nodes.get(at).filter(|_| at > 0) {
            self.cuts.push(Cut { id: node.id, is_token: true, end: at, is_free: node.is_free });
            at = node.start;
        }
        self.cuts.reverse();
        for cut in &mut self.cuts {
            let is_unknown = cut.id == self.unigram.unknown;
            cut.is_token = !(is_unknown && self.after_unknown);
            self.after_unknown = is_unknown;
        }
    }
}

/// Takes a way to a place if it is better than those before.
fn relax(nodes: &mut [Node], end: usize, way: Node) {
    if let Some(node) = nodes.get_mut(end).filter(|node| way.score > node.score) {
        *node = way;
    }
}
