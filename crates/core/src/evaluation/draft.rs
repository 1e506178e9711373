//! Questions made of passages without a language model. Each is a known item: it has words of its passage, so it shows whether a
//! search finds what was asked for, and not whether it understands other words for it.

use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation;

/// Words of a question that names rare terms.
const TERMS: usize = 3;
/// Shorter words are seldom what a passage is about.
const MIN_LETTERS: usize = 4;
/// The most words of what a definition defines.
const MAX_DEFINED: usize = 5;
/// The most characters of a quote.
const MAX_QUOTE: usize = 300;
/// Characters of a question in a script without spaces.
const MAX_PHRASE: usize = 16;

/// A passage, which is a chunk of a document.
pub struct Passage<'a> {
    /// The title of the document.
    pub title: Option<&'a str>,
    /// The headings in force.
    pub heading: Option<&'a str>,
    /// Its text.
    pub content: &'a str,
}

/// What a question is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A sentence that says what something is.
    Definition,
    /// The innermost heading.
    Heading,
    /// The three rarest words of a sentence.
    Terms,
    /// The title of the document.
    Title,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Definition, Kind::Heading, Kind::Terms, Kind::Title];

    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Definition => "definition",
            Kind::Heading => "heading",
            Kind::Terms => "terms",
            Kind::Title => "title",
        }
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The place of its passage.
    pub passage: usize,
    /// What it is made of.
    pub kind: Kind,
    /// As a person might type it.
    pub question: String,
    /// A part of the passage; None if any part of the document answers it.
    pub quote: Option<String>,
}

/// The ways to ask what something is, by how a sentence says it: English, German, French, Spanish.
const DEFINITIONS: [(&str, &str, &str); 16] = [
    (" is a ", "What is ", "?"),
    (" is an ", "What is ", "?"),
    (" is the ", "What is ", "?"),
    (" are the ", "What are ", "?"),
    (" ist ein ", "Was ist ", "?"),
    (" ist eine ", "Was ist ", "?"),
    (" ist der ", "Was ist ", "?"),
    (" ist die ", "Was ist ", "?"),
    (" est un ", "Qu'est-ce que ", " ?"),
    (" est une ", "Qu'est-ce que ", " ?"),
    (" est le ", "Qu'est-ce que ", " ?"),
    (" est la ", "Qu'est-ce que ", " ?"),
    (" es un ", "¿Qué es ", "?"),
    (" es una ", "¿Qué es ", "?"),
    (" es el ", "¿Qué es ", "?"),
    (" es la ", "¿Qué es ", "?"),
];

/// Words that are written small within a question.
const ARTICLES: [&str; 16] = [
    "a", "an", "the", "ein", "eine", "der", "die", "das", "un", "une", "le", "la", "una", "el", "les", "los",
];

/// Words that stand for something said before.
const PRONOUNS: [&str; 30] = [
    "it", "this", "that", "these", "those", "there", "here", "he", "she", "they", "we", "you", "i", "what",
    "which", "who", "er", "sie", "es", "das", "dies", "diese", "dieser", "il", "elle", "ce", "ceci", "esto",
    "este", "esta",
];

/// At most `count` questions of passages, one of each in turn, of different kinds. None is asked twice, nor one of `asked`, whatever
/// their case.
pub fn drafts(passages: &[Passage], count: usize, asked: &[&str]) -> Vec<Draft> {
    let frequencies = frequencies(passages);
    let titles = counts(passages.iter().filter_map(|passage| passage.title));
    let headings = counts(passages.iter().filter_map(|passage| passage.heading.map(innermost)));
    let mut known: HashSet<String> = asked.iter().map(|question| question.to_lowercase()).collect();
    let mut made = Vec::new();
    for (place, passage) in passages.iter().enumerate() {
        if made.len() == count {
            break;
        }
        let of_kind = |kind: Kind| match kind {
            Kind::Definition => definition(passage.content),
            Kind::Heading => {
                passage.heading.map(innermost).filter(|heading| headings.get(heading) == Some(&1)).and_then(
                    |heading| Some((heading.to_string(), Some(quote(first_sentence(passage.content)?)))),
                )
            }
            Kind::Terms => terms(passage.content, &frequencies),
            Kind::Title => passage
                .title
                .filter(|title| titles.get(title) == Some(&1))
                .map(|title| (title.trim().to_string(), None)),
        };
        let kinds = (0..Kind::ALL.len()).map(|turn| Kind::ALL[(place + turn) % Kind::ALL.len()]);
        let found = kinds.into_iter().find_map(|kind| {
            let (question, quote) = of_kind(kind)?;
            (!question.trim().is_empty() && known.insert(question.to_lowercase())).then_some(Draft {
                passage: place,
                kind,
                question,
                quote,
            })
        });
        made.extend(found);
    }
    made
}

/// How often each text occurs.
fn counts<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

fn innermost(heading: &str) -> &str {
    heading.rsplit(" > ").next().unwrap_or(heading).trim()
}

/// In how many passages each word occurs.
fn frequencies(passages: &[Passage]) -> HashMap<String, usize> {
    let mut frequencies = HashMap::new();
    for passage in passages {
        let words: HashSet<String> = eligible(passage.content).map(str::to_lowercase).collect();
        for word in words {
            *frequencies.entry(word).or_default() += 1;
        }
    }
    frequencies
}

/// Words long enough to be asked for. Numbers alone say little.
fn eligible(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_words()
        .filter(|word| word.chars().count() >= MIN_LETTERS && word.chars().any(char::is_alphabetic))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.unicode_sentences().flat_map(str::lines).map(str::trim).filter(|sentence| !sentence.is_empty())
}

fn first_sentence(text: &str) -> Option<&str> {
    sentences(text).find(|sentence| sentence.unicode_words().count() > 2)
}

fn quote(sentence: &str) -> String {
    sentence.chars().take(MAX_QUOTE).collect()
}

fn definition(content: &str) -> Option<(String, Option<String>)> {
    sentences(content).find_map(|sentence| {
        let (at, (_, before, after)) = DEFINITIONS
            .iter()
            .filter_map(|known| Some((sentence.find(known.0)?, known)))
            .min_by_key(|(at, _)| *at)?;
        let defined = sentence.get(..at)?.trim();
        let words: Vec<String> = defined.unicode_words().map(str::to_lowercase).collect();
        let first = words.first()?;
        let is_name = words.len() <= MAX_DEFINED
            && !PRONOUNS.contains(&first.as_str())
            && defined.chars().all(|letter| letter.is_alphanumeric() || " -_'.".contains(letter));
        let rest = defined.get(first.len()..).filter(|_| ARTICLES.contains(&first.as_str()));
        let defined = rest.map_or_else(|| defined.to_string(), |rest| format!("{first}{rest}"));
        is_name.then(|| (format!("{before}{defined}{after}"), Some(quote(sentence))))
    })
}

/// The rarest words of the sentence that has the rarest, in their order.
fn terms(content: &str, frequencies: &HashMap<String, usize>) -> Option<(String, Option<String>)> {
    let of_sentence = |sentence: &'_ str| -> Option<(usize, String)> {
        let mut words: Vec<(usize, usize, &str)> = Vec::new();
        for (place, word) in eligible(sentence).enumerate() {
            let frequency = frequencies.get(&word.to_lowercase()).copied().unwrap_or_default();
            if !words.iter().any(|(_, _, known)| known.eq_ignore_ascii_case(word)) {
                words.push((frequency, place, word));
            }
        }
        words.sort_by_key(|(frequency, place, _)| (*frequency, *place));
        let mut rarest: Vec<_> = words.get(..TERMS)?.to_vec();
        let sum = rarest.iter().map(|(frequency, ..)| frequency).sum();
        rarest.sort_by_key(|(_, place, _)| *place);
        Some((sum, rarest.iter().map(|(_, _, word)| *word).collect::<Vec<_>>().join(" ")))
    };
    let best = sentences(content)
        .filter_map(|sentence| of_sentence(sentence).map(|(sum, question)| (sum, question, sentence)))
        .min_by_key(|(sum, ..)| *sum);
    if let Some((_, question, sentence)) = best {
        return Some((question, Some(quote(sentence))));
    }
    // A script without spaces, or with words of one letter.
    let longest = sentences(content).max_by_key(|sentence| sentence.chars().count())?;
    let is_spaced = longest.contains(' ');
    let phrase: String = longest.chars().filter(|letter| letter.is_alphanumeric()).take(MAX_PHRASE).collect();
    (!is_spaced && phrase.chars().count() >= MAX_PHRASE / 2).then(|| (phrase, Some(quote(longest))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn passage<'a>(title: &'a str, heading: Option<&'a str>, content: &'a str) -> Passage<'a> {
        Passage { title: Some(title), heading, content }
    }

    #[test]
    fn each_passage_gives_one_question() {
        let passages = [
            passage("Pumps", None, "It is a pity. A centrifugal pump is a machine that moves water. More."),
            passage("Guide", Some("Guide > Draining the tank"), "Turn the red handle twice. Wait."),
            passage("Valves", None, "The gate valve closes slowly against backflow pressure."),
            passage("Leaks", None, "Yes. No."),
        ];
        let made = drafts(&passages, 10, &[]);
        let found: Vec<(Kind, &str)> =
            made.iter().map(|draft| (draft.kind, draft.question.as_str())).collect();
        assert_eq!(
            found,
            [
                (Kind::Definition, "What is a centrifugal pump?"),
                (Kind::Heading, "Draining the tank"),
                (Kind::Terms, "gate valve closes"),
                (Kind::Title, "Leaks"),
            ]
        );
        assert_eq!(made[0].quote.as_deref(), Some("A centrifugal pump is a machine that moves water."));
        assert_eq!(made[3].quote, None);
        assert_eq!(drafts(&passages, 2, &[]).len(), 2);
        assert!(
            drafts(&passages, 10, &["draining THE tank"])
                .iter()
                .all(|draft| draft.question != "Draining the tank")
        );
    }

    #[test]
    fn a_title_of_several_is_no_question() {
        let passages = [passage("News", None, "a b"), passage("News", None, "c d")];
        assert_eq!(drafts(&passages, 5, &[]), []);
    }

    #[test]
    fn other_languages_and_scripts() {
        let ask = |content| drafts(&[passage("", None, content)], 1, &[]).pop().map(|draft| draft.question);
        assert_eq!(ask("Die Wärmepumpe ist eine Maschine.").as_deref(), Some("Was ist die Wärmepumpe?"));
        assert_eq!(
            ask("水泵是一种输送液体或使液体增压的机械装置。").as_deref(),
            Some("水泵是一种输送液体或使液体增压的")
        );
        assert_eq!(ask("ปั๊มน้ำเป็นเครื่องจักรที่ใช้สูบน้ำจากบ่อ").map(|question| question.chars().count()), Some(16));
    }

    proptest! {
        #[test]
        fn quotes_are_of_the_passage(contents in prop::collection::vec("[A-Za-zäé. \n]{0,80}", 0..12)) {
            let passages: Vec<Passage> = contents.iter().map(|content| passage("", None, content)).collect();
            let made = drafts(&passages, 20, &[]);
            let questions: HashSet<String> = made.iter().map(|draft| draft.question.to_lowercase()).collect();
            prop_assert_eq!(questions.len(), made.len());
            for draft in made {
                if let Some(quote) = draft.quote {
                    prop_assert!(contents[draft.passage].contains(&quote));
                }
            }
        }
    }
}
