//! Files made to exhaust the program that reads them end within its limits, and the server goes on.

use std::io::Write;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::{Database, Session};
use postgres::Client;

/// More than any of these files needs, on a loaded machine.
const LONG: Duration = Duration::from_secs(90);

/// Reads a file. Its pages and the characters of its text, or the SQLSTATE.
fn read(client: &mut Client, file: &[u8], filename: &str) -> Result<(i64, i64), String> {
    let began = Instant::now();
    let sql = "SELECT count(*), coalesce(sum(length(content)), 0)::bigint FROM kb_extract($1, $2)";
    let result = client.query_one(sql, &[&file, &filename]);
    assert!(began.elapsed() < LONG, "{filename} took {:?}", began.elapsed());
    println!("{filename}: {} bytes, {:?}", file.len(), began.elapsed());
    match result {
        Ok(row) => Ok((row.get(0), row.get(1))),
        Err(error) => {
            let error = error.as_db_error().unwrap_or_else(|| panic!("{filename}: {error}")).clone();
            println!("{filename}: {} {} {:?}", error.code().code(), error.message(), error.detail());
            Err(error.code().code().to_string())
        }
    }
}

/// A Word document with this main part.
fn docx(document: &[u8]) -> Vec<u8> {
    let types = br#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let relations = br#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let parts: [(&str, &[u8]); 3] =
        [("[Content_Types].xml", types), ("_rels/.rels", relations), ("word/document.xml", document)];
    for (name, content) in parts {
        zip.start_file(name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn word(head: &str, body: &str) -> Vec<u8> {
    let space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    docx(
        format!(
            r#"<?xml version="1.0"?>{head}<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>"#
        )
        .as_bytes(),
    )
}

/// A PDF file of objects, the first of which is its catalog.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(format!("{:010} 00000 n \n", file.len()));
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!("xref\n0 {size}\n0000000000 65535 f \n{}", places.concat());
    file += &format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

fn stream(content: &str) -> String {
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// Pages with a line of text each.
fn pages(count: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_string(),
    ];
    for page in 0..count {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * page
        ));
        objects.push(stream(&format!("BT /F1 12 Tf 72 720 Td (This is page {page}.) Tj ET")));
    }
    pdf(&objects)
}

#[test]
fn bombs_end_within_the_limits() {
    let database = Database::create();
    let mut client = database.connect();
    let start = client.server_start();

    let lists = "<ul><li>deeper".repeat(40_000);
    assert!(read(&mut client, lists.as_bytes(), "lists.html").unwrap().1 > 0);
    let divisions = format!("<p>text{}", "<div>".repeat(500_000));
    read(&mut client, divisions.as_bytes(), "divisions.html").unwrap();
    let tables = "<table><tr><td>x".repeat(100_000);
    read(&mut client, tables.as_bytes(), "tables.html").unwrap();
    let attribute = format!("<p title=\"{}\">the text", "x".repeat(20_000_000));
    read(&mut client, attribute.as_bytes(), "attribute.html").unwrap();
    // HTML knows no entities of its own; what looks like one is text.
    let entities = format!(
        "<!DOCTYPE html [{}]><p>&e9;{}",
        "<!ENTITY e9 \"&e8;&e8;\">".repeat(1000),
        "&amp;".repeat(1_000_000)
    );
    read(&mut client, entities.as_bytes(), "entities.html").unwrap();

    let laughs = r#"<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]>"#;
    let result = read(&mut client, &word(laughs, "<w:p><w:r><w:t>&e; end</w:t></w:r></w:p>"), "laughs.docx");
    assert!(result.as_ref().map_or_else(|state| state == "22000", |(_, length)| *length < 100), "{result:?}");
    // 300 MB in 300 KB.
    let mut bomb = Vec::from(&br#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>"#[..]);
    bomb.resize(300 << 20, b' ');
    let bomb = docx(&bomb);
    assert!(bomb.len() < 1_000_000);
    assert_eq!(read(&mut client, &bomb, "bomb.docx"), Err("54000".to_string()));
    let deep = word("", &"<w:tbl><w:tr><w:tc>".repeat(200_000));
    assert!(matches!(read(&mut client, &deep, "deep.docx").unwrap_err().as_str(), "22000" | "54000"));

    let (count, length) = read(&mut client, &pages(10_000), "pages.pdf").unwrap();
    assert_eq!(count, 10_000);
    assert!(length > 10_000 * 15);
    let nested = format!("BT /F1 12 Tf 72 720 Td (Before) Tj ET {}", "q ".repeat(1_000_000));
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>".to_string();
    let parent = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_string();
    let catalog = "<< /Type /Catalog /Pages 2 0 R >>".to_string();
    let _ = read(&mut client, &pdf(&[catalog.clone(), parent.clone(), page, stream(&nested)]), "nested.pdf");
    // Page trees that contain themselves, or claim more pages than there are.
    let circle = "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>".to_string();
    let _ = read(&mut client, &pdf(&[catalog.clone(), circle]), "circle.pdf");
    let arrays = format!("<< /Type /Catalog /Pages {} >>", "[".repeat(1_000_000));
    let _ = read(&mut client, &pdf(&[arrays]), "arrays.pdf");
    // A form that draws itself.
    let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >> /Length 11 >>\nstream\n/F Do /F Do\nendstream".to_string();
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /XObject << /F 4 0 R >> >> >>".to_string();
    let _ = read(&mut client, &pdf(&[catalog, parent, page, form, stream("/F Do")]), "form.pdf");

    assert_eq!(client.server_start(), start, "the server has restarted");
    assert_eq!(read(&mut client, b"text", "text.txt"), Ok((1, 4)));
}

/// What a program may use is a setting.
#[test]
fn memory_and_time_are_limited() {
    let database = Database::create();
    let mut client = database.connect();
    let text = "some words ".repeat(5_000_000);
    client.run("SET kb_rag.extract_memory = '64MB'");
    assert_eq!(read(&mut client, text.as_bytes(), "long.txt"), Err("54000".to_string()));
    client.run("RESET kb_rag.extract_memory");
    assert!(read(&mut client, text.as_bytes(), "long.txt").is_ok());
    client.run("SET kb_rag.extract_timeout = '1ms'");
    assert_eq!(read(&mut client, text.as_bytes(), "long.txt"), Err("54000".to_string()));
}
