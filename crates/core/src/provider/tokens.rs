//! Estimates how many tokens texts have for models whose tokenizer is not here, by script.
//!
//! The tokens of each kind of character were measured with OpenAI's vocabularies cl100k and o200k. The estimate follows cl100k, which
//! OpenAI's embedding models use: it needs more tokens than o200k if they differ. `tests/token_estimate.rs` says how near it comes.

use unicode_script::{Script, UnicodeScript};

use crate::chunk::Tokenizer;

/// A hundredth of a token.
type Hundredths = u64;

const TOKEN: Hundredths = 100;

/// How words in Latin script are cut: those of the languages that vocabularies are made of into fewer tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Latin {
    English,
    /// German and the Romance languages.
    Western,
    Other,
}

/// The tokens of words by their number of letters, and of each further letter.
struct Words {
    take: [Hundredths; 12],
    further: Hundredths,
    /// For a letter of Latin-1, and for any other that is not ASCII.
    latin_1: Hundredths,
    extended: Hundredths,
}

const ENGLISH: Words = Words {
    take: [100, 100, 102, 106, 110, 118, 130, 142, 155, 165, 185, 195],
    further: 45,
    latin_1: 60,
    extended: 80,
};
const WESTERN: Words = Words {
    take: [100, 100, 104, 122, 145, 165, 200, 240, 265, 285, 315, 335],
    further: 38,
    latin_1: 30,
    extended: 70,
};
const OTHER: Words = Words {
    take: [100, 105, 130, 170, 215, 235, 290, 340, 365, 415, 440, 480],
    further: 38,
    latin_1: 55,
    extended: 75,
};

/// Frequent short words of English, and of the Western languages, that are rarely words of others.
const OF_ENGLISH: [&str; 20] = [
    "the", "of", "and", "to", "is", "that", "for", "with", "are", "by", "from", "this", "be", "or", "it",
    "on", "have", "not", "at", "a",
];
const OF_WESTERN: [&str; 42] = [
    "der", "die", "das", "und", "nicht", "ein", "eine", "ist", "von", "mit", "den", "im", "les", "des",
    "une", "est", "pour", "que", "le", "la", "el", "los", "las", "por", "con", "para", "del", "una", "un",
    "il", "che", "di", "per", "et", "en", "het", "een", "van", "da", "um", "dans", "sich",
];
/// Fewer words tell nothing.
const FEW: usize = 10;
/// A text is of these languages if at least one in so many words is one of those. One in ASCII with more punctuation than one in so many
/// characters is a program or a table, whose words are mostly English. Of a longer text, the beginning tells.
const ONE_IN: usize = 8;
const TELLING_BYTES: usize = 4 << 10;

/// Counts tokens, approximately.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    latin: Latin,
}

impl Estimate {
    /// For this text and parts of it.
    pub fn of(text: &str) -> Estimate {
        let start = &text[..text.floor_char_boundary(TELLING_BYTES)];
        let (mut words, mut english, mut western) = (0, 0, 0);
        for word in start.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            words += 1;
            let is = |other: &&str| word.eq_ignore_ascii_case(other);
            english += usize::from(OF_ENGLISH.iter().any(is));
            western += usize::from(OF_WESTERN.iter().any(is));
        }
        let punctuation = start.bytes().filter(u8::is_ascii_punctuation).count();
        let is_code = start.is_ascii() && punctuation * ONE_IN > start.len();
        let latin = if is_code || english * ONE_IN >= words && english >= western {
            Latin::English
        } else if words < FEW || western * ONE_IN >= words {
            Latin::Western
        } else {
            Latin::Other
        };
        Estimate { latin }
    }

    fn words(self) -> &'static Words {
        match self.latin {
            Latin::English => &ENGLISH,
            Latin::Western => &WESTERN,
            Latin::Other => &OTHER,
        }
    }

    fn hundredths(self, text: &str) -> Hundredths {
        let mut sum = Sum::new(self.words());
        text.chars().for_each(|c| sum.add(c));
        sum.total()
    }

    /// The places in a text where no token is cut, with what is before each: behind a word, and in scripts without spaces behind each
    /// character.
    fn places(self, text: &str) -> impl Iterator<Item = (usize, Hundredths)> {
        let mut sum = Sum::new(self.words());
        let mut chars = text.char_indices().peekable();
        std::iter::from_fn(move || {
            while let Some((start, c)) = chars.next() {
                sum.add(c);
                let next = chars.peek().map(|(_, next)| Kind::of(*next));
                if next.is_none_or(|next| next == Kind::Space || next.is_by_character())
                    || Kind::of(c).is_by_character()
                {
                    return Some((start + c.len_utf8(), sum.total()));
                }
            }
            None
        })
    }
}

impl Tokenizer for Estimate {
    fn count(&self, text: &str) -> usize {
        usize::try_from(self.hundredths(text).div_ceil(TOKEN)).unwrap_or(usize::MAX)
    }

    fn max_tokens_for(&self, bytes: usize) -> usize {
        // Of a word of one letter, or of letters of two bytes, more than one for each byte.
        bytes.saturating_mul(2)
    }

    fn prefix(&self, text: &str, max: usize) -> usize {
        let max = max as Hundredths * TOKEN;
        let last = self.places(text).take_while(|(_, before)| *before <= max).last();
        match last {
            Some((end, _)) => end,
            None => self.divisible_prefix(text, (max / TOKEN) as usize),
        }
    }

    fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        let max = max as Hundredths * TOKEN;
        let mut sum = Sum::new(self.words());
        let mut end = 0;
        for (start, c) in text.char_indices() {
            sum.add(c);
            if sum.total() > max && end > 0 {
                break;
            }
            end = start + c.len_utf8();
        }
        end
    }

    fn suffix(&self, text: &str, max: usize) -> usize {
        let max = max as Hundredths * TOKEN;
        let total = self.hundredths(text);
        if total <= max {
            return 0;
        }
        self.places(text).find(|(_, before)| total - before <= max).map_or(text.len(), |(end, _)| end)
    }
}

/// The kind of a character, by which it is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Digit,
    /// A letter in Latin script.
    Latin,
    /// A letter of a script that is cut into words, by what a word takes beside its letters, and each letter.
    Word(Hundredths, Hundredths),
    /// A character of a script in which each takes this.
    Each(Hundredths),
    /// ASCII punctuation, runs of which are few tokens.
    Punctuation,
}

impl Kind {
    fn of(c: char) -> Kind {
        use Script::{
            Arabic, Armenian, Bengali, Bopomofo, Common, Cyrillic, Devanagari, Georgian, Greek, Han, Hangul,
            Hebrew, Hiragana, Inherited, Katakana, Tamil, Thai,
        };
        match c {
            _ if c.is_whitespace() => Kind::Space,
            '0'..='9' => Kind::Digit,
            'a'..='z' | 'A'..='Z' => Kind::Latin,
            _ if c.is_ascii() => Kind::Punctuation,
            _ => match c.script() {
                Script::Latin => Kind::Latin,
                Cyrillic => Kind::Word(45, 50),
                Greek => Kind::Word(0, 106),
                Hebrew => Kind::Word(0, 116),
                Arabic => Kind::Word(0, 90),
                Devanagari => Kind::Each(124),
                Bengali => Kind::Each(142),
                Tamil => Kind::Each(152),
                Thai => Kind::Each(98),
                Georgian | Armenian => Kind::Each(218),
                Han | Bopomofo => Kind::Each(142),
                Hiragana | Katakana => Kind::Each(92),
                Hangul => Kind::Each(132),
                Common | Inherited => Kind::Each(match c.len_utf8() {
                    2 => 110,
                    // Quotation marks, dashes, and punctuation of East Asia.
                    _ if matches!(c, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}') => {
                        110
                    }
                    bytes => 80 * bytes as Hundredths,
                }),
                _ => Kind::Each(80 * c.len_utf8() as Hundredths),
            },
        }
    }

    /// Whether a text may be cut before and behind it.
    fn is_by_character(self) -> bool {
        matches!(self, Kind::Each(_))
    }
}

/// The tokens of the characters that were read so far.
struct Sum {
    words: &'static Words,
    /// Before the present run of characters of one kind.
    before: Hundredths,
    run: Option<Kind>,
    /// How many characters the run has, and what some of them add.
    length: usize,
    added: Hundredths,
}

impl Sum {
    fn new(words: &'static Words) -> Sum {
        Sum { words, before: 0, run: None, length: 0, added: 0 }
    }

    fn add(&mut self, c: char) {
        let kind = Kind::of(c);
        if self.run != Some(kind) {
            self.before = self.total();
            (self.run, self.length, self.added) = (Some(kind), 0, 0);
        }
        self.length += 1;
        if kind == Kind::Latin && !c.is_ascii() {
            self.added += if c < '\u{100}' { self.words.latin_1 } else { self.words.extended };
        }
    }

    fn total(&self) -> Hundredths {
        let length = self.length as Hundredths;
        let of_run = match self.run {
            None | Some(Kind::Space) => 0,
            Some(Kind::Digit) => length.div_ceil(3) * TOKEN,
            Some(Kind::Latin) => {
                let last = self.words.take.len();
                let further = self.length.saturating_sub(last) as Hundredths * self.words.further;
                self.words.take[self.length.clamp(1, last) - 1] + further + self.added
            }
            Some(Kind::Word(word, letter)) => word + letter * length,
            Some(Kind::Each(each)) => each * length,
            Some(Kind::Punctuation) => TOKEN + (length - 1) * 40,
        };
        self.before + of_run
    }
}

/// The approximate number of tokens in a text, to estimate costs.
pub fn estimate_tokens(text: &str) -> u64 {
    Estimate::of(text).hundredths(text).div_ceil(TOKEN)
}
