//! Opens a model and compares the vectors of its two kinds of weights.

use std::fmt::Write;
use std::path::Path;

use kb_rag_encoder::{Encoder, Error, InputType, Variant};

/// The least cosine between the vectors of a text. That of all-MiniLM-L6-v2 is 0.994.
const MIN_COSINE: f32 = 0.98;

/// Texts of different lengths, kinds and languages.
const TEXTS: [&str; 10] = [
    "refund",
    "How do I reset my password?",
    "You can return any item within thirty days. The money goes back to the card you paid with.",
    "The mitochondrion makes most of the cell's supply of adenosine triphosphate.",
    "A lake in the valley froze over early that winter, and the children skated until it was dark.",
    "PostgreSQL keeps every version of a row until VACUUM removes those that no transaction can see.",
    "Die Bibliothek ist montags geschlossen.",
    "SELECT name, price FROM product WHERE price < 100 ORDER BY price;",
    "fn main() { println!(\"{}\", 6 * 7); }",
    "Version 3.2, released 2024-02-29: 1,250 fixes (+12.5 %), see https://example.org/notes",
];

/// What the model in that directory is, in lines for people, or why it cannot be used.
pub fn check(directory: &Path) -> Result<String, String> {
    let exists = |variant: Variant| directory.join(variant.file()).exists();
    let encoder = Encoder::open(directory).map_err(|error| error.to_string())?;
    let mut lines = format!(
        "{} dimensions, at most {} tokens, {} pooling\n",
        encoder.dimensions(),
        encoder.max_tokens(),
        encoder.pooling()
    );
    let prefix = |input| match encoder.prefix(input) {
        "" => "none".to_owned(),
        prefix => format!("{prefix:?}"),
    };
    let (queries, documents) = (prefix(InputType::Query), prefix(InputType::Document));
    // Writing to a string cannot fail.
    let _ = writeln!(lines, "prefix of queries: {queries}, of documents: {documents}");
    if !(exists(Variant::Int8) && exists(Variant::F32)) {
        let _ = vectors(&encoder).map_err(|error| error.to_string())?;
        let _ = write!(lines, "{} weights only: nothing to compare them with", encoder.variant());
        return Ok(lines);
    }
    let least = min_cosine(directory, &encoder).map_err(|error| error.to_string())?;
    if least < MIN_COSINE {
        return Err(format!(
            "{}: the int8 weights lose too much: cosine {least:.4} to the f32 weights, less than {MIN_COSINE}",
            directory.display()
        ));
    }
    let _ = write!(lines, "least cosine of int8 to f32 weights: {least:.4}, of {} texts", TEXTS.len());
    Ok(lines)
}

/// The least cosine between the vectors of an encoder with int8 weights and those of the f32 weights beside them.
fn min_cosine(directory: &Path, int8: &Encoder) -> Result<f32, Error> {
    let f32 = Encoder::open_variant(directory, Variant::F32)?;
    // All have length 1.
    let cosine = |(a, b): (&Vec<f32>, &Vec<f32>)| a.iter().zip(b).map(|(a, b)| a * b).sum();
    Ok(vectors(int8)?.iter().zip(&vectors(&f32)?).map(cosine).fold(1.0, f32::min))
}

/// The vectors of all texts, as queries and as documents.
fn vectors(encoder: &Encoder) -> Result<Vec<Vec<f32>>, Error> {
    let types = [InputType::Query, InputType::Document];
    let pairs = TEXTS.iter().flat_map(|text| types.map(|input| (text, input)));
    pairs.map(|(text, input)| encoder.encode(text, input, &mut || ())).collect()
}
