//! Files: reading them, and from files to vectors.

use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::ingest::english;
use crate::report::figure;
use crate::server::Server;

const PART: &str = "9-files";
/// Passages of about 150 words in a file, each on a page of its own where there are pages.
const PASSAGES: usize = 20;

pub fn measure(bench: &mut Bench) -> Result<()> {
    let (read, embedded) = (bench.extent.files, bench.extent.files / 8);
    let texts = english(read * PASSAGES)?;
    let mut rows = Vec::new();
    for (kind, make) in [("txt", text as fn(&[String]) -> Vec<u8>), ("html", html), ("pdf", pdf)] {
        let files: Vec<Vec<u8>> = texts.chunks(PASSAGES).map(make).collect();
        let bytes: usize = files.iter().map(Vec::len).sum();
        let seconds = extract(&mut bench.server, kind, &files)?;
        let with_fake = add(&mut bench.server, "fake/bench", kind, &files)?;
        let with_local = add(&mut bench.server, "local/all-minilm-l6-v2", kind, &files[..embedded.max(1)])?;
        rows.push(vec![
            kind.to_string(),
            files.len().to_string(),
            figure(bytes as f64 / files.len() as f64 / 1024.0),
            figure(bytes as f64 / seconds / 1e6),
            figure(seconds * 1e3 / files.len() as f64),
            figure(with_fake.chunks as f64 / with_fake.seconds),
            figure(with_local.chunks as f64 / with_local.seconds),
            figure(with_fake.unchanged * 1e3 / files.len() as f64),
        ]);
        bench.report.check(
            &format!("{kind} files that are there already: nothing is written"),
            &format!("{} documents changed", with_fake.rewritten),
            with_fake.rewritten == 0 && with_fake.documents == files.len() as i64,
        )?;
        bench.report.progress(&format!("{} {kind} files read", files.len()));
    }
    bench.server.run("SELECT kb_drop('files')")?;
    bench.report.table(
        PART,
        "Files",
        &format!(
            "Files of {PASSAGES} English passages, one at a time: kb_extract, kb_add_file from the file to the vectors, and \
             kb_add_file of a file that is there already. The fake model hashes words."
        ),
        &["kind", "files", "KB per file", "MB/s", "ms per file", "chunks/s, fake model", "chunks/s, local model", "ms unchanged"],
        &rows,
    )
}

/// Seconds for reading all files.
fn extract(server: &mut Server, kind: &str, files: &[Vec<u8>]) -> Result<f64> {
    let sql = server.prepare("SELECT sum(length(content)) FROM kb_extract($1, $2)")?;
    let name = format!("file.{kind}");
    let began = Instant::now();
    for file in files {
        server.client.query_one(&sql, &[file, &name])?;
    }
    Ok(began.elapsed().as_secs_f64())
}

struct Added {
    seconds: f64,
    chunks: i64,
    documents: i64,
    /// Seconds for adding the same files again, and the documents that changed.
    unchanged: f64,
    rewritten: i64,
}

fn add(server: &mut Server, model: &str, kind: &str, files: &[Vec<u8>]) -> Result<Added> {
    server.run(&format!(
        "SELECT kb_drop(name) FROM kb_list() WHERE name = 'files';
         SELECT kb_create('files', model => '{model}', dimensions => {DIMENSIONS}, text_config => 'english')"
    ))?;
    server.query("SELECT kb_embed('warm', $1)", &[&model])?;
    let sql = server.prepare("SELECT kb_add_file('files', $1, $2)")?;
    let mut all = || -> Result<f64> {
        let began = Instant::now();
        for (number, file) in files.iter().enumerate() {
            server.client.query_one(&sql, &[file, &format!("{number}.{kind}")])?;
        }
        Ok(began.elapsed().as_secs_f64())
    };
    let seconds = all()?;
    let unchanged = all()?;
    let chunks = server.number("SELECT count(*) FROM kb_files.chunk", &[])?;
    let documents = server.number("SELECT count(*) FROM kb_files.document", &[])?;
    let rewritten =
        server.number("SELECT count(*) FROM kb_files.document WHERE updated_at <> created_at", &[])?;
    Ok(Added { seconds, chunks, documents, unchanged, rewritten })
}

fn text(passages: &[String]) -> Vec<u8> {
    passages.join("\n\n").into_bytes()
}

/// A page with a menu, scripts and a footer around the text.
pub fn html(passages: &[String]) -> Vec<u8> {
    let menu: String = (0..40)
        .map(|n| format!("<li class=\"item\"><a href=\"/page/{n}\">Menu entry {n}</a></li>"))
        .collect();
    let script =
        "<script>window.settings = {\"a\": [1, 2, 3], \"text\": \"not content\"};</script>".repeat(20);
    let body: String = (1..)
        .zip(passages)
        .map(|(n, passage)| format!("<section class=\"part\"><h2>Part {n}</h2><p>{passage}</p></section>"))
        .collect();
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><title>A page</title><style>p {{ margin: 0 }}</style>{script}</head><body>\
         <header><nav><ul>{menu}</ul></nav></header><main><article><h1>A page</h1>{body}</article></main>\
         <footer><p>Imprint, privacy, and more links.</p></footer></body></html>"
    )
    .into_bytes()
}

/// One page a passage, in lines of about 90 characters.
fn pdf(passages: &[String]) -> Vec<u8> {
    let kids: String = (0..passages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", passages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_string(),
    ];
    for (page, passage) in passages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * page
        ));
        let mut lines = String::from("BT /F1 11 Tf 14 TL 60 730 Td");
        let mut line = String::new();
        for word in passage.split_whitespace() {
            if line.len() + word.len() > 90 {
                lines.push_str(&format!(" ({}) Tj T*", escaped(&std::mem::take(&mut line))));
            }
            line.push_str(word);
            line.push(' ');
        }
        lines.push_str(&format!(" ({}) Tj ET", escaped(&line)));
        objects.push(format!("<< /Length {} >>\nstream\n{lines}\nendstream", lines.len()));
    }
    let mut file = String::from("%PDF-1.4\n");
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n{places}trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

/// Text as a literal string of PDF, in ASCII.
fn escaped(text: &str) -> String {
    let ascii = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>();
    ascii.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}
