//! The operations of the sessions, chosen and filled in at random.

use crate::random::Random;

const OPERATIONS: &str = include_str!("operations.sql");

const WORDS: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "tau",
];

/// The bases for operations; the local model is slow.
const BASES: &[&str] =
    &["inline", "inline", "inline", "queued", "queued", "queued", "remote", "remote", "remote", "local"];

/// Bases to which tables are attached.
const ATTACHING: &[&str] = &["inline", "queued", "remote"];

/// Statements that are sent one after the other.
pub struct Operation {
    /// Its name in reports.
    pub name: &'static str,
    /// The statements.
    pub statements: Vec<String>,
}

/// All operations.
pub struct Operations(Vec<(usize, &'static str, &'static str)>);

impl Operations {
    /// Reads all operations.
    pub fn read() -> Operations {
        let paragraphs = OPERATIONS.split("\n\n-- ").skip(1);
        let read = |paragraph: &'static str| {
            let (title, statements) = paragraph.split_once('\n')?;
            let (weight, name) = title.split_once(' ')?;
            Some((weight.parse().ok()?, name, statements))
        };
        Operations(paragraphs.map(|paragraph| read(paragraph).expect("an operation")).collect())
    }

    /// Chooses one of them.
    pub fn choose(&self, random: &mut Random) -> Operation {
        let (_, name, statements) = self.0[random.weighted(self.0.iter().map(|(weight, _, _)| *weight))];
        let base = *random.pick(BASES);
        Operation { name, statements: statements.lines().map(|line| filled(line, base, random)).collect() }
    }
}

fn filled(template: &str, base: &str, random: &mut Random) -> String {
    let mut sql = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        sql.push_str(before);
        let value = after.split_once('}').and_then(|(name, end)| Some((value(name, base, random)?, end)));
        match value {
            Some((value, end)) => {
                sql.push_str(&value);
                rest = end;
            }
            // A brace in JSON.
            None => {
                sql.push('{');
                rest = after;
            }
        }
    }
    sql + rest
}

fn value(name: &str, base: &str, random: &mut Random) -> Option<String> {
    let numbered = |random: &mut Random, max: usize| random.below(max).to_string();
    Some(match name {
        "B" => base.to_string(),
        "S" => format!("kb_{base}"),
        "word" => random.pick(WORDS).to_string(),
        "title" => words(random, 3),
        "text" => words(random, 60) + *random.pick(&["", ".", "\n\nNew paragraph here."]),
        "key" => format!("k{}", random.below(30)),
        "id" => numbered(random, 80),
        "few" => random.within(1, 6).to_string(),
        "gid" => format!("attack {}", random.below(usize::MAX)),
        "size" => random.pick(&["60", "80", "100"]).to_string(),
        "model" => model(base, random).to_string(),
        "dimensions" => if base == "local" { "384" } else { "8" }.to_string(),
        "embed" => {
            random.pick(&["queued", "auto", if base == "remote" { "queued" } else { "inline" }]).to_string()
        }
        "config" => random.pick(&["english", "simple", "german"]).to_string(),
        "table" => random.pick(&["plain", "parted"]).to_string(),
        "attaching" => random.pick(ATTACHING).to_string(),
        "boolean" => random.pick(&["true", "false"]).to_string(),
        "some" => format!(
            "ctid IN (SELECT ctid FROM kb_{base}.document WHERE source_id IS NULL ORDER BY random() LIMIT {})",
            random.within(1, 6)
        ),
        _ => return None,
    })
}

fn words(random: &mut Random, max: usize) -> String {
    let words: Vec<&str> = (0..random.within(1, max)).map(|_| *random.pick(WORDS)).collect();
    words.join(" ")
}

/// A model whose vectors suit the checks of the base afterwards.
fn model(base: &str, random: &mut Random) -> &'static str {
    match base {
        "remote" => ["mock/small", "mock/large"][random.below(2)],
        "local" => "local/all-minilm-l6-v2",
        _ => ["fake/x", "fake/y"][random.below(2)],
    }
}
