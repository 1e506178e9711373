//! Splits identifiers, file names, part numbers, addresses and other compounds into what people type for them.
//!
//! A token is what stands between spaces. Its *compounds* are letters and digits held together by signs such as `-`, `/`, `.`
//! and `::`, its *atoms* the letters and digits between these signs, and the *pieces* of an atom begin where the case changes, or
//! where digits meet letters.

use super::number::{DecimalMark, plain_numbers};
use super::{Part, PartKind};

/// A longer token is not split: it is data, not a name.
const MAX_TOKEN_BYTES: usize = 512;
/// No token has more parts.
pub const MAX_PARTS: usize = 32;
/// An atom of more pieces, such as a hash, is not split.
const MAX_PIECES: usize = 8;
/// Compounds of more atoms are not joined into one word.
const MAX_JOINED_ATOMS: usize = 5;
/// The same for compounds of words only.
const MAX_JOINED_WORDS: usize = 3;
/// Longer ones are not written as one word: only short words grow together, as sign-off and e-mail.
const MAX_JOINED_WORD_CHARACTERS: usize = 14;
const MAX_JOINED_CHARACTERS: usize = 48;
/// Capital letters on each side of a slash that are written as one word: TCP/IP, AC/DC.
const MAX_NAME_BYTES: usize = 4;
/// An address of a network card is written with signs between its bytes, or without.
const BYTES_OF_ADDRESS: usize = 6;
/// A word before ++ or # has at most this many letters.
const MAX_LETTERS_BEFORE_SIGN: usize = 12;

/// A compound of a token: atoms with the signs before each, and after the last.
#[derive(Debug, Default)]
struct Compound<'a> {
    before: &'a str,
    atoms: Vec<&'a str>,
    /// The signs between two atoms: one less than atoms.
    joiners: Vec<&'a str>,
    after: &'a str,
    /// From the first atom to the last.
    text: &'a str,
}

impl Compound<'_> {
    /// Whether it is a number or a version: digits between points and commas, which mean something together only.
    fn is_number(&self) -> bool {
        let is_digits = |atom: &&str| atom.bytes().all(|byte| byte.is_ascii_digit());
        self.atoms.len() > 1
            && self.atoms.iter().all(is_digits)
            && self.joiners.iter().all(|sign| matches!(*sign, "." | ","))
    }
}

/// The parts of a token, none twice. Those that the text search configuration gives for the token by itself are among them.
pub fn parts(token: &str, mark: DecimalMark) -> Vec<Part> {
    let mut parts = Parts::default();
    if token.len() > MAX_TOKEN_BYTES {
        return Vec::new();
    }
    let compounds = compounds(token);
    for pair in compounds.windows(2) {
        parts.shortened(pair);
    }
    for compound in compounds {
        parts.numbers(&compound, mark);
        parts.date(&compound);
        parts.signs(&compound);
        parts.atoms(&compound);
        parts.joined(&compound);
        parts.versions(&compound);
        parts.names(&compound);
    }
    parts.found
}

/// Splits a token where a sign never is a part of a name.
fn compounds(token: &str) -> Vec<Compound<'_>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some((start, end)) = atom(token, rest) {
        let mut compound =
            Compound { before: token.get(rest..start).unwrap_or_default(), ..Compound::default() };
        let (mut last_end, mut next) = (end, end);
        compound.atoms.extend(token.get(start..end));
        while let Some((from, to)) = atom(token, next) {
            let sign = token.get(next..from).unwrap_or_default();
            let (left, right) =
                (compound.atoms.last().copied().unwrap_or_default(), token.get(from..to).unwrap_or_default());
            if !joins(sign, left, right) {
                break;
            }
            compound.joiners.push(sign);
            compound.atoms.push(right);
            (last_end, next) = (to, to);
        }
        compound.text = token.get(start..last_end).unwrap_or_default();
        let after = token.get(last_end..).unwrap_or_default();
        let length = after.find(is_of_word).unwrap_or(after.len());
        compound.after = after.get(..length).unwrap_or_default();
        rest = last_end;
        found.push(compound);
    }
    found
}

/// The next run of letters and digits from an offset.
fn atom(token: &str, from: usize) -> Option<(usize, usize)> {
    let rest = token.get(from..)?;
    let start = from + rest.find(is_of_word)?;
    let length = token.get(start..)?.find(|c| !is_of_word(c)).unwrap_or(token.len() - start);
    Some((start, start + length))
}

/// Whether a character is a letter, a digit, or a mark on one.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// Whether signs hold two atoms together.
fn joins(sign: &str, left: &str, right: &str) -> bool {
    match sign {
        "-" | "--" | "\u{2013}" | "." | "/" | "\\" | ":" | "::" | "->" | "@" | "_" | "&" | "+" | "#"
        | "~" | "://" | "/." | "./" | "-_" | "__" => true,
        // 1,250 is a number.
        "," => {
            left.ends_with(|c: char| c.is_ascii_digit()) && right.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    }
}

#[derive(Default)]
struct Parts {
    found: Vec<Part>,
}

impl Parts {
    fn push(&mut self, kind: PartKind, text: impl Into<String>) {
        let part = Part { text: text.into(), kind };
        if self.found.len() < MAX_PARTS && !self.found.contains(&part) {
            self.found.push(part);
        }
    }

    /// M8 of M8x20.
    fn numbered_letters(&mut self, pieces: &[&str]) {
        for pair in pieces.windows(2).filter(|_| pieces.len() > 2) {
            let [letter, digits] = pair else { continue };
            if letter.chars().count() == 1
                && letter.starts_with(char::is_alphabetic)
                && digits.starts_with(char::is_numeric)
            {
                self.push(PartKind::Word, format!("{letter}{digits}"));
            }
        }
    }

    /// OAuth of OAuth2, PostgreSQL of PostgreSQL18: the case changes within the name.
    fn names_with_numbers(&mut self, pieces: &[&str]) {
        let names = pieces.split(|piece| piece.starts_with(char::is_numeric));
        for name in names.filter(|name| (2..pieces.len()).contains(&name.len())) {
            self.push(PartKind::Word, name.concat());
        }
    }

    /// A part that is a word. A single letter says nothing: e and g of e.g., M and x of M8x20. Nor does a digit as `one_of_two`
    /// parts, as 1 of page-1: what is joined tells these apart.
    fn word(&mut self, text: &str, one_of_two: bool) {
        let mut characters = text.chars();
        let only = characters.next().filter(|_| characters.next().is_none());
        if !only.is_some_and(|only| only.is_alphabetic() || one_of_two) {
            self.push(PartKind::Word, text);
        }
    }

    /// OReilly of O'Reilly.
    fn shortened(&mut self, pair: &[Compound]) {
        let [first, second] = pair else { return };
        let (Some(name), true) = (second.atoms.first(), second.before == "'") else { return };
        let mut letters = first.text.chars();
        if letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_none()
            && name.starts_with(char::is_uppercase)
        {
            self.push(PartKind::Joined, format!("{}{name}", first.text));
        }
    }

    /// 417 of PO-00417.
    fn without_zeros(&mut self, digits: &str) {
        let number = digits.trim_start_matches('0');
        if number.len() < digits.len() && number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.push(PartKind::Word, number);
        }
    }

    /// 1,250,000 as one number.
    fn numbers(&mut self, compound: &Compound, mark: DecimalMark) {
        for number in plain_numbers(compound.text, mark) {
            self.push(PartKind::Lexeme, number);
        }
    }

    /// 2024 of 31.05.2024, and 31.5.2024.
    fn date(&mut self, compound: &Compound) {
        let Compound { atoms, joiners, .. } = compound;
        let [day, month, year] = atoms.as_slice() else { return };
        // Some write the month first.
        let is_day_or_month = |atom: &str| {
            atom.len() <= 2 && atom.parse::<u32>().is_ok_and(|number| (1..=31).contains(&number))
        };
        if joiners.iter().all(|sign| *sign == ".")
            && is_day_or_month(day)
            && is_day_or_month(month)
            && year.len() == 4
            && year.bytes().all(|byte| byte.is_ascii_digit())
        {
            let plain = |atom: &str| atom.trim_start_matches('0').to_string();
            self.push(PartKind::Word, *year);
            self.push(PartKind::Lexeme, format!("{}.{}.{year}", plain(day), plain(month)));
        }
    }

    /// Names with signs that tell them apart: C++, C#, .NET, R&D.
    fn signs(&mut self, compound: &Compound) {
        let Compound { before, atoms, joiners, after, .. } = compound;
        let is_letters = |atom: &str| atom.chars().all(char::is_alphabetic);
        if let Some(last) =
            atoms.last().filter(|last| is_letters(last) && last.chars().count() <= MAX_LETTERS_BEFORE_SIGN)
        {
            for sign in ["++", "#"] {
                if after.starts_with(sign) {
                    self.push(PartKind::Lexeme, format!("{}{sign}", last.to_lowercase()));
                }
            }
        }
        if let [only] = atoms.as_slice()
            && before.ends_with('.')
            && is_letters(only)
        {
            self.push(PartKind::Lexeme, format!(".{}", only.to_lowercase()));
        }
        if !joiners.is_empty()
            && joiners.iter().all(|sign| *sign == "&")
            && atoms.iter().all(|atom| is_letters(atom))
        {
            self.push(PartKind::Lexeme, compound.text.to_lowercase());
        }
    }

    fn atoms(&mut self, compound: &Compound) {
        if compound.is_number() {
            return;
        }
        let is_signed =
            compound.before.ends_with('-') && compound.text.starts_with(|c: char| c.is_ascii_digit());
        // Within < and > PostgreSQL's parser looks for the tags of a page.
        let is_tag = compound.before.contains('<') || compound.after.starts_with('>');
        // It takes /login and ~/.bashrc for one word.
        let is_path = compound.before.contains(['/', '\\']);
        for atom in &compound.atoms {
            if let Some(singular) = singular(atom) {
                self.push(PartKind::Word, singular);
            }
            if compound.atoms.len() > 1 || is_signed || is_tag || is_path {
                let is_hyphenated = compound.joiners.iter().all(|sign| *sign == "-");
                self.word(atom, compound.atoms.len() == 2 && is_hyphenated);
                self.without_zeros(atom);
            }
            if let Some(digits) = hexadecimal(atom) {
                self.push(PartKind::Word, digits);
            }
            let pieces = pieces(atom);
            if (2..=MAX_PIECES).contains(&pieces.len()) {
                for piece in &pieces {
                    self.word(piece, pieces.len() == 2);
                    self.without_zeros(piece);
                }
                self.numbered_letters(&pieces);
                self.names_with_numbers(&pieces);
            }
        }
    }

    /// The atoms as one word: signoff for sign-off, ab12345 for AB-1234/5.
    fn joined(&mut self, compound: &Compound) {
        let Compound { atoms, joiners, .. } = compound;
        let has_digits = atoms.iter().any(|atom| atom.contains(|c: char| c.is_ascii_digit()));
        let has_letters = atoms.iter().any(|atom| atom.contains(char::is_alphabetic));
        let is_byte = |atom: &&str| atom.len() == 2 && atom.bytes().all(|byte| byte.is_ascii_hexdigit());
        if atoms.len() == BYTES_OF_ADDRESS && atoms.iter().all(is_byte) {
            self.push(PartKind::Joined, atoms.concat());
        }
        // A pair of numbers is a range.
        let least = if has_letters { 2 } else { 3 };
        let (most, most_characters) = if has_digits {
            (MAX_JOINED_ATOMS, MAX_JOINED_CHARACTERS)
        } else {
            (MAX_JOINED_WORDS, MAX_JOINED_WORD_CHARACTERS)
        };
        if !(least..=most).contains(&atoms.len()) || compound.is_number() {
            return;
        }
        let is_name = |atom: &&str| atom.len() <= MAX_NAME_BYTES && atom.chars().all(char::is_uppercase);
        let is_pair_of_names = atoms.len() == 2 && atoms.iter().all(is_name);
        let is_joined = |sign: &&str| match *sign {
            "-" | "\u{2013}" | "." | "_" | "&" | "+" => true,
            "/" => has_digits || is_pair_of_names,
            _ => false,
        };
        let mut push = |atoms: &[&str]| {
            let joined = atoms.concat();
            if joined.chars().count() <= most_characters {
                self.push(PartKind::Joined, joined);
            }
        };
        if joiners.iter().all(is_joined) {
            push(atoms);
        }
        if atoms.len() > 2 && !has_digits {
            for (pair, sign) in atoms.windows(2).zip(joiners) {
                if *sign == "-" {
                    push(pair);
                }
            }
        }
    }

    /// 2.14.3 and 2.14 of v2.14.3.
    fn versions(&mut self, compound: &Compound) {
        let mut run: Vec<&str> = Vec::new();
        let mut signs = compound.joiners.iter();
        for atom in &compound.atoms {
            let digits = digits_at_end(atom);
            let is_next = !run.is_empty() && digits.len() == atom.len();
            if !is_next {
                self.version(&run);
                run.clear();
            }
            if !digits.is_empty() {
                run.push(digits);
            }
            // A number with a letter after it ends a version; so does any other sign than a point.
            if signs.next().is_none_or(|sign| *sign != ".") {
                self.version(&run);
                run.clear();
            }
        }
        self.version(&run);
    }

    fn version(&mut self, numbers: &[&str]) {
        if numbers.len() < 2 {
            return;
        }
        for length in 2..=numbers.len().min(MAX_JOINED_ATOMS) {
            if let Some(numbers) = numbers.get(..length) {
                self.push(PartKind::Lexeme, numbers.join("."));
            }
        }
    }

    /// The host of an address, and the names of files in a path.
    fn names(&mut self, compound: &Compound) {
        if !compound.joiners.iter().any(|sign| matches!(*sign, "@" | "/" | "\\" | "://")) {
            return;
        }
        for name in compound.text.split(['@', '/', '\\', ':']) {
            if name.len() > 1 && name.contains('.') && name.contains(char::is_alphabetic) {
                self.push(PartKind::Lexeme, name.to_lowercase());
            }
        }
    }
}

fn digits_at_end(atom: &str) -> &str {
    let start = atom.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    atom.get(start..).unwrap_or_default()
}

/// PDF of PDFs: stemmers leave the plural of an abbreviation as it is.
fn singular(atom: &str) -> Option<&str> {
    let abbreviation = atom.strip_suffix('s')?;
    let is_of_it = |c: char| c.is_uppercase() || c.is_ascii_digit();
    let letters = abbreviation.chars().filter(|c| c.is_uppercase()).count();
    (letters > 1 && abbreviation.chars().all(is_of_it)).then_some(abbreviation)
}

/// The digits of 0x80070057.
fn hexadecimal(atom: &str) -> Option<&str> {
    let digits = atom.strip_prefix("0x").or_else(|| atom.strip_prefix("0X"))?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits).filter(|digits| digits.len() > 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Mark,
}

fn class(c: char) -> Class {
    if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() {
        Class::Lower
    } else {
        Class::Mark
    }
}

/// The pieces of an atom: softLogout, HTTPServer, M8x20, SQL2016.
fn pieces(atom: &str) -> Vec<&str> {
    let letters: Vec<(usize, Class)> = atom
        .char_indices()
        .map(|(at, c)| (at, class(c)))
        .filter(|(_, class)| *class != Class::Mark)
        .collect();
    let mut starts = vec![0];
    for (place, pair) in letters.windows(2).enumerate() {
        let [(previous, before), (at, here)] = pair else { continue };
        let next = letters.get(place + 2).map(|(_, class)| *class);
        let starts_here = match (before, here) {
            (Class::Lower, Class::Upper) => true,
            (Class::Digit, Class::Digit) => false,
            (Class::Digit, _) | (_, Class::Digit) => true,
            // The last capital letter of several begins a word, but URLs is one.
            (Class::Upper, Class::Upper) => {
                next == Some(Class::Lower) && !is_plural(atom, &letters, place + 2)
            }
            _ => false,
        };
        if starts_here && *at > *previous {
            starts.push(*at);
        }
    }
    let ends = starts.iter().copied().skip(1).chain([atom.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| atom.get(*start..end)).collect()
}

/// Whether the letter at this place is the s of a plural: the end of its word.
fn is_plural(atom: &str, letters: &[(usize, Class)], place: usize) -> bool {
    let is_s =
        letters.get(place).is_some_and(|(at, _)| atom.get(*at..).is_some_and(|rest| rest.starts_with('s')));
    is_s && letters.get(place + 1).is_none_or(|(_, class)| *class != Class::Lower)
}
