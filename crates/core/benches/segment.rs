//! Segments of made-up text: building, merging, and ranking by rare, common and many words.
//!
//! The text is that of many benchmarks of search engines: chunks of 80 to 220 words, of which the n-th most frequent has a share
//! of about 1 / (n + 10), and a fifth repeats an earlier word of the chunk.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kb_rag_core::bm25::{Corpus, Parameters, inverse_document_frequency};
use kb_rag_core::segment::{
    Builder, Damaged, Input, Key, Part, Ranking, Row, Searcher, Sink, Source, Summary, merge,
};
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;

const WORDS: usize = 50_000;
const CHUNKS: usize = 200_000;
const SMALL: usize = 4_000;
/// Segments of one chunk that nobody has merged.
const SINGLE: usize = 200;

/// A generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The words of each chunk with how often they occur.
fn corpus() -> Vec<BTreeMap<u32, u32>> {
    let mut cumulative = Vec::with_capacity(WORDS);
    let mut sum = 0.0;
    for n in 0..WORDS {
        sum += 1.0 / (n as f64 + 11.0);
        cumulative.push(sum);
    }
    let mut random = Random(7);
    let chunk = |_| {
        let length = 80 + (random.next() % 140) as usize;
        let mut words: Vec<u32> = Vec::with_capacity(length);
        for place in 0..length {
            let repeats = place > 0 && random.share() < 0.2;
            let wanted = random.share() * sum;
            words.push(match repeats {
                true => words[(random.next() % place as u64) as usize],
                false => cumulative.partition_point(|c| *c < wanted).min(WORDS - 1) as u32,
            });
        }
        words.into_iter().fold(BTreeMap::new(), |mut counts, word| {
            *counts.entry(word).or_default() += 1;
            counts
        })
    };
    (0..CHUNKS).map(chunk).collect()
}

fn lexeme(word: u32) -> Vec<u8> {
    format!("w{:06}", u64::from(word) * 48_271 % 999_983).into_bytes()
}

/// A tsvector as PostgreSQL stores it on a little-endian machine.
fn tsvector(words: &BTreeMap<u32, u32>) -> Vec<u8> {
    let lexemes: BTreeMap<Vec<u8>, u32> = words.iter().map(|(word, count)| (lexeme(*word), *count)).collect();
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for (lexeme, count) in &lexemes {
        entries.extend((1 | (lexeme.len() as u32) << 1 | (data.len() as u32) << 12).to_ne_bytes());
        data.extend(lexeme);
        if data.len() % 2 == 1 {
            data.push(0);
        }
        data.extend((*count as u16).to_ne_bytes());
        (0..*count).for_each(|position| data.extend((position as u16 + 1).to_ne_bytes()));
    }
    [(lexemes.len() as i32).to_ne_bytes().to_vec(), entries, data].concat()
}

type Segment = (Summary, Vec<Row>);

fn build(chunks: &[Vec<u8>], from: usize) -> Segment {
    let mut builder = Builder::new();
    for (number, bytes) in (from as i64..).zip(chunks) {
        if let Some(vector) = TsVector::new(bytes) {
            builder.add(number, vector.length() as u32, &vector);
        }
    }
    builder.finish()
}

struct Rows(std::vec::IntoIter<Row>);

impl Source<Damaged> for Rows {
    fn next(&mut self) -> Result<Option<Vec<u8>>, Damaged> {
        Ok(self.0.next().map(|row| row.data))
    }
}

#[derive(Default)]
struct Out(Vec<Row>);

impl Sink<Damaged> for Out {
    fn row(&mut self, _negative: bool, row: Row) -> Result<(), Damaged> {
        self.0.push(row);
        Ok(())
    }

    fn check(&mut self) -> Result<(), Damaged> {
        Ok(())
    }
}

fn merged(segments: &[Segment]) -> Segment {
    let inputs =
        segments.iter().map(|(_, rows)| Input { negative: false, source: Rows(rows.clone().into_iter()) });
    let mut out = Out::default();
    let merged = merge(inputs.collect(), &mut out).ok().and_then(|merged| merged.positive);
    (merged.unwrap_or_default(), out.0)
}

fn parts(segments: &[Segment], wanted: &[Key]) -> Vec<Part> {
    let part = |(summary, rows): &Segment| {
        let mut part = Part::new(summary.chunks, wanted.len());
        rows.iter().for_each(|row| part.take_all(wanted, &row.data).unwrap_or_default());
        part
    };
    segments.iter().map(part).collect()
}

fn segments(c: &mut Criterion) {
    let corpus = corpus();
    let mut frequencies = vec![0u32; WORDS];
    corpus.iter().flat_map(|chunk| chunk.keys()).for_each(|word| frequencies[*word as usize] += 1);
    let vectors: Vec<Vec<u8>> = corpus.iter().map(tsvector).collect();
    let small: Vec<Segment> =
        vectors.chunks(SMALL).enumerate().map(|(place, chunks)| build(chunks, place * SMALL)).collect();
    let large = merged(&small);
    let postings: usize = frequencies.iter().map(|frequency| *frequency as usize).sum();
    let bytes: usize = large.1.iter().map(|row| row.data.len()).sum();
    println!("{postings} postings, {:.2} bytes each, {} rows", bytes as f64 / postings as f64, large.1.len());
    let single: Vec<Segment> = (vectors.iter().take(SINGLE).zip(CHUNKS..))
        .map(|(vector, number)| build(std::slice::from_ref(vector), number))
        .collect();
    let one: usize = single.iter().map(|(_, rows)| rows[0].data.len()).sum();
    println!("a segment of one chunk has {} bytes", one / SINGLE);

    let mut group = c.benchmark_group("segment");
    group.sample_size(10);
    group.bench_function("build 4,000 chunks", |b| b.iter(|| build(black_box(&vectors[..SMALL]), 0)));
    group.bench_function("merge 50 segments of 4,000 chunks", |b| b.iter(|| merged(black_box(&small))));
    let share = |word: &&u32| f64::from(frequencies[**word as usize]) / CHUNKS as f64;
    let kinds: [(&str, [usize; 3]); 5] = [
        ("rare", [3, 0, 0]),
        ("medium", [0, 3, 0]),
        ("mixed", [2, 0, 3]),
        ("common", [0, 0, 4]),
        ("long", [4, 6, 8]),
    ];
    for (name, counts) in kinds {
        let chosen = corpus.iter().skip(1_234).find_map(|chunk| {
            let of = |range: std::ops::Range<f64>, count: usize| -> Option<Vec<u32>> {
                let words: Vec<u32> =
                    chunk.keys().filter(|word| range.contains(&share(word))).copied().take(count).collect();
                (words.len() == count).then_some(words)
            };
            let [rare, medium, common] = counts;
            Some([of(0.0..0.005, rare)?, of(0.005..0.05, medium)?, of(0.1..1.0, common)?].concat())
        });
        let mut words = chosen.unwrap_or_default();
        words.sort_by_key(|word| lexeme(*word));
        let wanted: Vec<Vec<u8>> = words.iter().map(|word| lexeme(*word)).collect();
        let wanted: Vec<Key> = wanted.iter().map(|lexeme| Key::new(lexeme)).collect();
        let idf =
            |word: &u32| inverse_document_frequency(CHUNKS as f64, f64::from(frequencies[*word as usize]));
        let ranking = Ranking {
            idf: words.iter().map(idf).collect(),
            corpus: Corpus { chunks: CHUNKS as f64, mean_length: large.0.length as f64 / CHUNKS as f64 },
            parameters: Parameters::default(),
        };
        group.bench_function(format!("{name} words taken from {SINGLE} segments of 1 chunk"), |b| {
            b.iter(|| parts(&single, &wanted));
        });
        let of_single = parts(&single, &wanted);
        let of_large = parts(std::slice::from_ref(&large), &wanted);
        for (of, parts) in [
            ("1 segment", of_large.clone()),
            ("1 segment and 200 of 1 chunk", [of_large, of_single].concat()),
            ("50 segments", parts(&small, &wanted)),
        ] {
            group.bench_function(format!("{name} words, {of}"), |b| {
                b.iter(|| {
                    let (mut top, mut searcher) = (Top::new(80), Searcher::new(&ranking, &[]));
                    for part in &parts {
                        let found = searcher.search(part, None, &mut top, &mut || Ok::<(), Damaged>(()));
                        found.unwrap_or_default();
                    }
                    top.into_sorted()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, segments);
criterion_main!(benches);
