//! Notebooks, subtitles, and what is no text for people in text files.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, extract};

fn read(name: &str, content: &str) -> Result<Text, Failure> {
    extract(&File { bytes: content.as_bytes(), filename: Some(name), ..File::default() })
}

fn text(name: &str, content: &str) -> String {
    let mut text = read(name, content).unwrap();
    assert_eq!((text.pages.len(), &text.pages[0].error), (1, &None));
    text.pages.remove(0).content
}

/// Base64 of so many characters.
fn data(length: usize) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..length as u64)
        .map(|n| char::from(DIGITS[(n.wrapping_mul(2_654_435_761) >> 7) as usize % 64]))
        .collect()
}

#[test]
fn notebooks() {
    let image = data(5_000);
    let long = "row\\n".repeat(500);
    let notebook = format!(
        r##"{{"nbformat": 4, "metadata": {{"kernelspec": {{"language": "python", "name": "python3"}}}}, "cells": [
        {{"cell_type": "markdown", "source": ["# Pumps\n", "How they run."], "attachments": {{"a.png": {{"image/png": "{image}"}}}}}},
        {{"cell_type": "code", "execution_count": 1, "source": "print('```')\n", "outputs": [
            {{"output_type": "stream", "name": "stdout", "text": ["one\n", "\u001b[31mtwo\u001b[0m\n"]}},
            {{"output_type": "display_data", "data": {{"image/png": "{image}", "text/plain": ["<Figure size 640x480 with 1 Axes>"]}}}},
            {{"output_type": "execute_result", "data": {{"text/html": "<table>", "text/plain": "   a\n0  1"}}}}]}},
        {{"cell_type": "code", "source": ["1/0"], "outputs": [
            {{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\u001b[0;31m---"]}}]}},
        {{"cell_type": "code", "source": "log()", "outputs": [{{"output_type": "stream", "text": "{long}"}}]}},
        {{"cell_type": "code", "source": []}},
        {{"cell_type": "raw", "source": "as it is"}}]}}"##
    );
    let rows = "row\n".repeat(25);
    let expected = format!(
        "# Pumps\nHow they run.\n\n````python\nprint('```')\n````\n\n```\none\ntwo\n```\n\n```\n   a\n0  1\n```\n\n```python\n1/0\n```\n\n\
         ```\nZeroDivisionError: division by zero\n```\n\n```python\nlog()\n```\n\n```\n{rows}…\n```\n\nas it is"
    );
    assert_eq!(text("a.ipynb", &notebook), expected);
    let properties = read("a.ipynb", &notebook).unwrap().properties;
    assert_eq!(
        (properties.title.as_deref(), properties.markdown, properties.remark),
        (Some("Pumps"), true, None)
    );
    let old = r#"{"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Old"]}, {"cell_type": "code", "input": ["x = 1"], "outputs": []}]}]}"#;
    assert_eq!(text("b.ipynb", old), "## Old\n\n```\nx = 1\n```");
    for damaged in ["", "[1]", "{\"cells\": ["] {
        assert!(matches!(read("c.ipynb", damaged), Err(Failure::Damaged(_))), "{damaged}");
    }
}

#[test]
fn subtitles_of_the_web() {
    let vtt = "\u{feff}WEBVTT - A talk\nKind: captions\n\nNOTE not said\n00:00 is no time\n\nSTYLE\n::cue { color: red }\n\n\
        intro\n00:01.000 --> 00:04.000 align:start position:0%\n<v Ann Lee>The pump runs dry\nbecause\n\n\
        2\n00:00:04.000 --> 00:00:06.500\n<c.loud>the tank</c> is <00:00:05.000>empty &amp; cold.\n\n\
        00:01:07.000 --> 00:01:08.000\n<v Bob>Fill it.\n\n01:02:03.000 --> 01:02:04.000\nAfter a pause\n\n\
        01:03:00.000 --> 01:03:01.000\nthe next";
    let expected = "[00:00:01] Ann Lee: The pump runs dry because the tank is empty & cold.\n[00:01:07] Bob: Fill it.\n\
        [01:02:03] After a pause\n[01:03:00] the next";
    assert_eq!(text("talk.vtt", vtt), expected);
    assert_eq!(text("talk", "WEBVTT\n\n00:01.000 --> 00:02.000\nsaid"), "[00:00:01] said");
    // Captions that roll.
    let rolling = "WEBVTT\n\n00:01.000 --> 00:02.000\nso this\n\n00:02.000 --> 00:03.000\nso this\nis how\n\n\
        00:03.000 --> 00:04.000\nis how\nit rolls";
    assert_eq!(text("a.vtt", rolling), "[00:00:01] so this is how it rolls");
    assert_eq!(text("a.vtt", "WEBVTT\n"), "");
}

#[test]
fn subtitles_of_films() {
    let srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>First</i> one.\r\n\r\n2\r\n00:00:03,500 --> 00:00:04,000\r\n- Who?\r\n- Me & I < 3.\r\n\
        3\r\n00:00:05,000 --> 00:00:06,000\r\n2024\r\n";
    let expected = "[00:00:01] First one.\n[00:00:03] - Who? - Me & I < 3.\n[00:00:05] 2024";
    assert_eq!(text("film.srt", srt), expected);
    assert!(matches!(read("film.srt", "no subtitles"), Err(Failure::Damaged(_))));
}

#[test]
fn files_that_programs_write_for_programs() {
    for (name, content, kind) in [
        ("package-lock.json", "{\"lockfileVersion\": 3}", "a lock file"),
        ("web/Cargo.lock", "version = 4", "a lock file"),
        ("pnpm-lock.yaml", "lockfileVersion: 9", "a lock file"),
        ("go.sum", "example.org v1 h1:x", "a lock file"),
        ("js/app.min.js", "var a=1", "a minified script or style sheet"),
        ("site.min.css", "a{b:c}", "a minified script or style sheet"),
        ("app.js.map", "{\"version\":3}", "a source map"),
        (
            "bundle.js",
            &format!("/*! license */\n{}", "var a=function(b){return b+1};".repeat(200)),
            "a minified script or style sheet",
        ),
    ] {
        assert_eq!(read(name, content), Err(Failure::Unsupported(kind.into())), "{name}");
    }
    let script =
        "// Says what the program does.\nfunction add(first, second) {\n    return first + second;\n}\n"
            .repeat(60);
    let texts =
        format!("const texts = {{ a: \"{}\" }};", "a sentence that is long and has words ".repeat(100));
    let json = format!("[{}]", "{\"a\":1},".repeat(1_000));
    for (name, content) in [
        ("a.js", &script),
        ("texts.js", &texts),
        ("rows.json", &json),
        ("a.css", &"a { b: c }\n".repeat(400)),
    ] {
        assert_eq!(text(name, content), *content, "{name}");
    }
}

#[test]
fn data_in_texts_is_left_out() {
    let data = data(600);
    let remark = |name: &str, content: &str| read(name, content).unwrap().properties.remark;
    let markdown = format!("# A\n\n![img](data:image/png;base64,{data}) and\n\n{data}\n\nText.");
    assert_eq!(text("a.md", &markdown), "# A\n\n![img](data:image/png;base64,…) and\n\n…\n\nText.");
    assert_eq!(
        remark("a.md", &markdown).as_deref(),
        Some("1 data URI and 1 block of base64 (1200 characters) left out")
    );
    assert_eq!(remark("a.md", "# A\n\nText."), None);
    let page =
        format!("<h1>A</h1><p>Text of it.<img alt=x src=\"data:image/png;base64,{data}\"></p><p>{data}</p>");
    assert!(!text("a.html", &page).contains(&data[..100]));
    let notebook = format!(
        "{{\"cells\": [{{\"cell_type\": \"markdown\", \"source\": \"x ![a](data:image/png;base64,{data})\"}}]}}"
    );
    assert_eq!(text("a.ipynb", &notebook), "x ![a](data:image/png;base64,…)");
    assert_eq!(text("a.csv", &format!("1,{data}\n")), "1,…\n");
    // Of a program nothing is changed.
    for name in ["a.py", "a.js", "a.json"] {
        let code = format!("key = \"{data}\"\nprint(key)\n");
        assert_eq!(text(name, &code), code, "{name}");
        assert_eq!(remark(name, &code), None);
    }
}
