use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const ENGLISH: Conventions =
    Conventions { decimal_mark: DecimalMark::Point, spelling: Some(Spelling::Plain) };
const GERMAN: Conventions =
    Conventions { decimal_mark: DecimalMark::Comma, spelling: Some(Spelling::German) };

/// A parser as coarse as PostgreSQL's: a token with points or slashes is one word, other signs separate words.
fn words(text: &str) -> BTreeSet<String> {
    let is_end = |c: char| !c.is_alphanumeric();
    let of_token = |token: &str| -> Vec<String> {
        let token = token.trim_matches(is_end).to_lowercase();
        if token.contains(['.', '/']) {
            return vec![token];
        }
        token.split(is_end).filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    text.split_whitespace().flat_map(of_token).collect()
}

struct Read {
    words: BTreeSet<String>,
    parts: BTreeSet<String>,
}

fn read(text: &str, conventions: &Conventions) -> Read {
    let normalized = normalize(text);
    let mut read = Read { words: BTreeSet::new(), parts: BTreeSet::new() };
    for unit in units(&normalized.text, conventions) {
        match unit {
            Unit::Run(run) => read.words.extend(bigrams(run).into_iter().map(str::to_string)),
            Unit::Text(text) => read.words.extend(words(text)),
            Unit::Token(text, parts) => {
                read.words.extend(words(text));
                for part in parts {
                    match part.kind {
                        PartKind::Folded => read.parts.extend(words(&part.text)),
                        _ => drop(read.parts.insert(part.text.to_lowercase())),
                    }
                }
            }
        }
    }
    read
}

/// How many forms of a question a text has.
fn shared(text: &str, question: &str, conventions: &Conventions) -> usize {
    let (text, mut asked) = (read(text, conventions), read(question, conventions));
    asked
        .parts
        .extend(neighbors(&normalize(question).text).into_iter().map(|pair| pair.concat().to_lowercase()));
    let has = |word: &&String| text.words.contains(*word) || text.parts.contains(*word);
    asked.words.union(&asked.parts).filter(has).count()
}

/// A text, what people type for it, and another text of the same kind that must not be as close.
const KINDS: [(&str, &str, &str); 86] = [
    ("TCP/IP", "TCP", "UDP/IP"),
    ("TCP/IP", "tcp/ip", "UDP/IP"),
    ("input/output", "output", "input/error"),
    ("foo.png", "foo", "bar.png"),
    ("/img/2024/foo.png", "foo.png", "/img/2024/bar.png"),
    ("invoice-2024.xlsx", "invoice", "receipt-2024.xlsx"),
    ("invoice-2024.xlsx", "invoice 2024", "invoice-2023.xlsx"),
    ("/usr/local/bin/kb-rag", "kb-rag", "/usr/local/bin/psql"),
    (r"C:\Users\anna\report.docx", "report.docx", r"C:\Users\anna\letter.docx"),
    (
        "https://docs.example.com/guide/install?x=1#top",
        "install guide",
        "https://docs.example.com/guide/update?x=1#top",
    ),
    ("https://docs.example.com/guide/install", "docs.example.com", "https://www.example.org/guide/install"),
    ("john.doe@example.com", "john doe", "jane.roe@example.com"),
    ("john.doe@example.com", "example.com", "john.doe@example.org"),
    ("PO-001", "001", "PO-002"),
    ("PO-001", "PO001", "PO-002"),
    ("PO-001", "po 001", "PO-002"),
    ("AB-1234/5", "AB1234", "AB-4321/5"),
    ("AB-1234/5", "AB 1234/5", "AB-1234/6"),
    ("AB-1234/5", "ab12345", "AB-1234/6"),
    ("CVE-2024-1234", "cve 2024 1234", "CVE-2024-1235"),
    ("CVE-2024-1234", "2024-1234", "CVE-2024-1235"),
    ("DIN 912", "DIN912", "DIN 913"),
    ("DIN912", "DIN 912", "DIN913"),
    ("M8x20", "M8", "M6x20"),
    ("M8x20", "m8 x 20", "M8x25"),
    ("OAuth2", "oauth", "SAML2"),
    ("MySQL8.4", "mysql", "NoSQL8.4"),
    ("getUserById", "get user by id", "getGroupByName"),
    ("getUserById", "user", "getGroupById"),
    ("get user by id", "getUserById", "get group by name"),
    ("softLogout", "logout", "softLogin"),
    ("HTTPServer", "http server", "HTTPClient"),
    ("kb_hybrid_search", "hybrid search", "kb_hybrid_index"),
    ("MAX_PART_BYTES", "max part bytes", "MAX_PART_COUNT"),
    ("os.path.join", "path join", "os.path.split"),
    ("std::collections::HashMap", "hash map", "std::collections::BTreeSet"),
    ("ptr->next_item", "next item", "ptr->last_item"),
    ("Vec<String>", "string", "Vec<Number>"),
    ("sign-off", "signoff", "sign-on"),
    ("dco-signoff", "sign-off", "dco-signing"),
    ("signoff", "sign off", "signing"),
    ("e-mail", "email", "e-book"),
    ("email", "e-mail", "book"),
    ("Wi-Fi", "wifi", "Hi-Fi"),
    ("closed.Then", "closed", "opened.Then"),
    ("item -1234", "1234", "item -4321"),
    ("v2.14.3", "2.14.3", "v2.13.3"),
    ("v2.14.3", "2.14", "v2.15.3"),
    ("2.14.3", "v2.14.3", "2.14.4"),
    ("PostgreSQL 18.1", "postgresql18.1", "PostgreSQL 18.2"),
    ("1250000", "1,250,000", "1350000"),
    ("1,250,000", "1250000", "1,350,000"),
    ("1 250 000", "1250000", "1 350 000"),
    ("1.250.000", "1,250,000", "1.350.000"),
    ("25mm", "25 mm", "26mm"),
    ("25 mm", "25mm", "26 mm"),
    ("PostgreSQL18を使う", "PostgreSQL 18", "PostgreSQL17を使う"),
    ("PostgreSQL18を使う", "postgresql", "MySQL18を使う"),
    ("Node.js", "nodejs", "Deno.js"),
    ("C++", "c++", "C#"),
    ("C/C++", "c++", "C/C#"),
    (".NET", ".net", "NET"),
    ("R&D", "r&d", "R&B"),
    ("AT&T", "att", "AT&P"),
    ("#4711", "4711", "#4712"),
    ("--dry-run", "dry run", "--wet-run"),
    ("PO-00417", "417", "PO-00418"),
    ("PO00417", "417", "PO00418"),
    ("00:1A:2B:3C:4D:5E", "001a2b3c4d5e", "00:1A:2B:3C:4D:5F"),
    ("TCP/IP", "tcpip", "UDP/IP"),
    ("O'Reilly", "oreilly", "O'Hara"),
    ("CO₂", "co2", "SO₂"),
    ("25 m²", "m2", "25 kg"),
    ("0x80070057", "80070057", "0x80070058"),
    ("0x8007000E", "8007000e", "0x8007000F"),
    ("PDFs", "PDF", "GIFs"),
    ("a PDF", "PDFs", "a GIF"),
    ("LKWs", "lkw", "PKWs"),
    ("MP3s", "MP3", "CDs"),
    ("POST /login", "login", "POST /logout"),
    ("~/.bashrc", "bashrc", "~/.zshrc"),
    ("./build", "build", "./test"),
    ("онлайн-курс", "онлайнкурс", "онлайн-игра"),
    ("31.05.2024", "2024", "31.05.2023"),
    ("31.05.2024", "31.5.2024", "30.05.2024"),
    ("5 µm", "5 μm", "5 nm"),
];

#[test]
fn people_find_each_kind() {
    for (text, question, other) in KINDS {
        let (right, wrong) = (shared(text, question, &ENGLISH), shared(other, question, &ENGLISH));
        assert!(right > wrong, "\"{question}\" has {right} in \"{text}\", {wrong} in \"{other}\"");
    }
}

#[test]
fn numbers_follow_the_language() {
    assert!(shared("1.250 Euro", "1250", &GERMAN) > 0);
    assert!(shared("3,5", "3.5", &GERMAN) > 0);
    assert!(shared("1,250", "1250", &ENGLISH) > 0);
    assert_eq!(shared("1,250", "1250", &GERMAN), 0);
}

#[test]
fn accents_are_parts() {
    assert!(shared("Das Café", "cafe", &ENGLISH) > 0);
    assert!(shared("cafe", "café", &ENGLISH) > 0);
    assert!(shared("Kündigung", "Kuendigung", &GERMAN) > 0);
    assert!(read("café", &ENGLISH).words.contains("café"));
    let unfolded = Conventions { spelling: None, ..ENGLISH };
    assert_eq!(shared("café", "cafe", &unfolded), 0);
}

#[test]
fn single_capital_letters_are_parts_within_a_sentence() {
    let letters = |text| read(text, &ENGLISH).parts;
    assert!(letters("Carrots have vitamin A.").contains("a"));
    assert!(letters("Vitamins A, C and K").contains("c"));
    assert!(letters("A carrot. A beet.").is_empty());
    assert!(letters("a carrot").is_empty());
}

#[test]
fn prose_has_no_parts() {
    let text = "How do refunds work? \"Well,\" said Anna (our clerk), \"they don't: NATO and the U.N. pay 25 in 2024!\" End.";
    let found: Vec<Unit> =
        units(text, &ENGLISH).into_iter().filter(|unit| !matches!(unit, Unit::Text(_))).collect();
    assert_eq!(found.iter().map(Unit::text).collect::<Vec<_>>(), ["U.N."]);
}

#[test]
fn units_keep_the_order_of_the_text() {
    let text = "用PostgreSQL18搜索 foo.png 文档";
    let found = units(text, &ENGLISH);
    let found: Vec<&str> = found.iter().map(Unit::text).collect();
    assert_eq!(found, ["用", "PostgreSQL18", "搜索", "foo.png", "文档"]);
    assert_eq!(bigrams("搜索文"), ["搜索", "索文"]);
    assert_eq!(bigrams("用"), ["用"]);
}

#[test]
fn tags_with_spaces_are_left_to_the_parser() {
    let text = "x <a href=\"http://a.b/c.d\" id=y> foo.bar";
    assert_eq!(
        units(text, &ENGLISH).iter().map(Unit::text).collect::<Vec<_>>(),
        ["x <a href=\"http://a.b/c.d\" id=y> ", "foo.bar"]
    );
}

#[test]
fn a_token_has_few_parts() {
    let blob: String =
        (0..200).map(|n| char::from(b'a' + (n * 7 % 26) as u8)).collect::<String>() + "/A1b2C3d4E5f6";
    for token in [blob.as_str(), &"a.".repeat(200), &"aB".repeat(100), &"1,".repeat(300), &"x-".repeat(250)] {
        let parts: usize = units(token, &ENGLISH)
            .iter()
            .map(|unit| if let Unit::Token(_, parts) = unit { parts.len() } else { 0 })
            .sum();
        assert!(parts <= 2 * MAX_PARTS, "{token}: {parts}");
    }
}

fn part_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,6}", "[A-Z][a-z]{1,5}", "[A-Z]{2,4}", "[0-9]{1,4}", "[a-zéüßœ]{2,6}"]
}

proptest! {
    #[test]
    fn units_are_the_text(text in "\\PC{0,60}|[a-zA-Z0-9 ./:@_&+#<>知识é-]{0,60}") {
        let normalized = normalize(&text);
        let mut from = 0;
        for unit in units(&normalized.text, &ENGLISH) {
            let at = normalized.text[from..].find(unit.text()).unwrap() + from;
            prop_assert!(!normalized.text[from..at].contains(char::is_alphanumeric), "{:?}", &normalized.text[from..at]);
            from = at + unit.text().len();
        }
        prop_assert!(!normalized.text[from..].contains(char::is_alphanumeric));
    }

    #[test]
    fn every_part_finds_its_text(
        atoms in prop::collection::vec(part_text(), 1..5),
        sign in prop_oneof![Just("-"), Just("/"), Just("."), Just("_"), Just("::"), Just("->"), Just("\\"), Just("@")],
    ) {
        let token = atoms.join(sign);
        // A single letter or digit says nothing, and numbers with points are one.
        let is_number = atoms.iter().all(|atom| atom.parse::<u32>().is_ok());
        for atom in atoms.iter().filter(|atom| atom.chars().count() > 1 && !is_number) {
            prop_assert!(shared(&token, atom, &ENGLISH) > 0, "{} by {}", token, atom);
        }
        let own = read(&token, &ENGLISH);
        for part in own.parts.iter().filter(|part| part.chars().count() > 1) {
            prop_assert!(shared(&token, part, &ENGLISH) > 0, "{} by its part {}", token, part);
        }
    }

    #[test]
    fn plain_ascii_words_have_no_parts(text in "([A-Z]?[a-z]{1,8}[.,;:!?]? ){0,20}") {
        prop_assert!(units(&text, &ENGLISH).iter().all(|unit| matches!(unit, Unit::Text(_))));
    }

    #[test]
    fn parts_are_not_longer_than_their_token(token in "[a-zA-Z0-9./:@_&+#éß-]{1,40}") {
        for unit in units(&token, &ENGLISH) {
            if let Unit::Token(text, parts) = unit {
                for part in parts {
                    prop_assert!(part.text.len() <= text.len() + 2, "{} of {}", part.text, text);
                }
            }
        }
    }
}
