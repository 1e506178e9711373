//! The labels of numbered paragraphs in Word documents made here.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

mod samples;

use kb_rag_extract::{File, docx};
use samples::docx::{STYLES, p, table, with_parts};

/// A level of a form: its format, its text, and other properties.
fn level(at: u8, format: &str, text: &str, more: &str) -> String {
    format!(
        "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/>{more}<w:lvlText w:val=\"{text}\"/></w:lvl>"
    )
}

/// The numbering of a document: forms from 1 on, and lists (1, 2, …), each of a form and perhaps with changes.
fn numbering(forms: &[String], lists: &[(usize, &str)]) -> String {
    let forms = (1..).zip(forms).map(|(at, levels): (usize, &String)| {
        format!("<w:abstractNum w:abstractNumId=\"{at}\">{levels}</w:abstractNum>")
    });
    let lists = (1..).zip(lists).map(|(at, (form, more)): (usize, &(usize, &str))| {
        format!("<w:num w:numId=\"{at}\"><w:abstractNumId w:val=\"{form}\"/>{more}</w:num>")
    });
    let all: String = forms.collect::<String>() + &lists.collect::<String>();
    format!("<w:numbering XMLNS>{all}</w:numbering>")
}

fn item(list: u8, level: u8, text: &str) -> String {
    p(&format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>"), text)
}

fn styled(style: &str, text: &str) -> String {
    p(&format!("<w:pStyle w:val=\"{style}\"/>"), text)
}

/// The text of a document, with its paragraphs parted by " / ".
fn text(body: &[String], numbering: &str, styles: &str) -> String {
    let bytes = with_parts(&body.concat(), &[("styles.xml", styles), ("numbering.xml", numbering)]);
    let text = docx::extract(&File { bytes: &bytes, ..File::default() }).unwrap();
    text.pages[0].content.replace("\n\n", " / ")
}

#[test]
fn clauses() {
    let contract = [
        level(0, "upperRoman", "Article %1", ""),
        level(1, "decimal", "%1.%2", "<w:isLgl/>"),
        level(2, "lowerLetter", "(%3)", ""),
        level(3, "lowerRoman", "%4)", ""),
    ];
    let body = [
        item(1, 0, "Scope"),
        item(1, 1, "Services"),
        item(1, 2, "Hosting"),
        item(1, 2, "Support"),
        item(1, 3, "by telephone"),
        item(1, 1, "Place"),
        item(1, 0, "Fees"),
        item(1, 1, "Amount"),
        item(1, 2, "each month"),
    ];
    let expected = "Article I Scope / 1.1 Services / 1.1 (a) Hosting / 1.1 (b) Support / 1.1 (b) i) by telephone / 1.2 Place / \
        Article II Fees / 2.1 Amount / 2.1 (a) each month";
    assert_eq!(text(&body, &numbering(&[contract.concat()], &[(1, "")]), STYLES), expected);
}

#[test]
fn levels_show_those_above() {
    let form = level(0, "decimal", "%1.", "")
        + &level(1, "lowerLetter", "%1.%2", "")
        + &level(2, "decimal", "%2.%3", "");
    let body = [
        item(1, 1, "before any other"),
        item(1, 0, "Scope"),
        item(1, 1, "Hosting"),
        item(1, 1, "Support"),
        item(1, 2, "below"),
    ];
    // What a label does not show of those above stands before it.
    let expected = "1.a before any other / 1. Scope / 1.a Hosting / 1.b Support / 1 b.1 below";
    assert_eq!(text(&body, &numbering(&[form], &[(1, "")]), STYLES), expected);
}

#[test]
fn headings_have_their_own_label() {
    let style = |id: &str, name: &str, level: &str| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>\
             <w:pPr><w:numPr>{level}<w:numId w:val=\"1\"/></w:numPr></w:pPr></w:style>"
        )
    };
    let styles = format!(
        "<w:styles XMLNS>{}{}{}<w:style w:type=\"paragraph\" w:styleId=\"Plain\"><w:name w:val=\"plain\"/>\
         <w:basedOn w:val=\"H1\"/><w:pPr><w:outlineLvl w:val=\"9\"/><w:numPr><w:numId w:val=\"0\"/></w:numPr></w:pPr></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Own\"><w:name w:val=\"own\"/><w:basedOn w:val=\"H2\"/></w:style></w:styles>",
        style("H1", "heading 1", ""),
        // The level is that which names the style.
        style("H2", "heading 2", "<w:ilvl w:val=\"0\"/>"),
        style("Clause", "clause", "<w:ilvl w:val=\"2\"/>"),
    );
    let form = level(0, "decimal", "第%1条", "<w:pStyle w:val=\"H1\"/><w:suff w:val=\"nothing\"/>")
        + &level(1, "decimal", "%1.%2", "<w:pStyle w:val=\"H2\"/>")
        + &level(2, "lowerLetter", "(%3)", "");
    let body = [
        styled("H1", "目的"),
        styled("H2", "Services"),
        styled("Clause", "Hosting"),
        styled("Clause", "Support"),
        styled("Plain", "not numbered"),
        p("<w:pStyle w:val=\"H1\"/><w:numPr><w:numId w:val=\"0\"/></w:numPr>", "Annex"),
        styled("Own", "More"),
        styled("H1", "料金"),
    ];
    let expected = "# 第1条目的 / ## 1.1 Services / 1.1 (a) Hosting / 1.1 (b) Support / not numbered / # Annex / ## 1.2 More / # 第2条料金";
    assert_eq!(text(&body, &numbering(&[form], &[(1, "")]), &styles), expected);
}

#[test]
fn restarts() {
    let form = level(0, "decimal", "%1)", "")
        + &level(1, "lowerLetter", "%2)", "<w:lvlRestart w:val=\"0\"/>")
        + &level(2, "decimal", "[%3]", "<w:lvlRestart w:val=\"1\"/>");
    let again = "<w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"7\"/></w:lvlOverride>";
    let other =
        format!("<w:lvlOverride w:ilvl=\"0\">{}</w:lvlOverride>", level(0, "upperLetter", "§ %1", ""));
    let lists = numbering(&[form], &[(1, ""), (1, again), (1, &other)]);
    let body = [
        item(1, 0, "one"),
        item(1, 1, "a"),
        item(1, 2, "first"),
        item(1, 1, "b"),
        item(1, 2, "goes on below a level that is not its own"),
        item(1, 0, "two"),
        item(1, 1, "never again a"),
        item(1, 2, "first again"),
        item(2, 0, "seven"),
        item(2, 0, "eight"),
        item(3, 0, "in another form"),
    ];
    let expected = "1) one / 1)a) a / 1)a) [1] first / 1)b) b / 1)b) [2] goes on below a level that is not its own / 2) two / \
        2)c) never again a / 2)c) [1] first again / 7) seven\n8) eight / § I in another form";
    assert_eq!(text(&body, &lists, STYLES), expected);
}

#[test]
fn forms_of_styles() {
    let linked = "<w:numStyleLink w:val=\"Legal\"/>".to_owned();
    let form = "<w:styleLink w:val=\"Legal\"/>".to_owned() + &level(0, "ordinal", "%1 rule:", "");
    let styles = "<w:styles XMLNS><w:style w:type=\"numbering\" w:styleId=\"Legal\"><w:name w:val=\"Legal\"/><w:pPr><w:numPr>\
        <w:numId w:val=\"2\"/></w:numPr></w:pPr></w:style></w:styles>";
    let lists = numbering(&[linked, form], &[(1, ""), (2, "")]);
    let body = [item(1, 0, "one"), item(2, 0, "two")];
    assert_eq!(text(&body, &lists, styles), "1st rule: one / 2nd rule: two");
}

#[test]
fn formats() {
    let one = |format: &str, text: &str| {
        let lists = numbering(&[level(0, format, text, "")], &[(1, "")]);
        self::text(&[item(1, 0, "a"), item(1, 0, "b")], &lists, "<w:styles XMLNS></w:styles>")
    };
    for (format, label, expected) in [
        ("decimal", "%1.", "1. a\n2. b"),
        ("decimal", "%1)", "1) a\n2) b"),
        ("decimalZero", "%1", "01 a / 02 b"),
        ("cardinalText", "Part %1:", "Part One: a / Part Two: b"),
        ("chineseCounting", "第%1章", "第一章 a / 第二章 b"),
        ("ideographTraditional", "%1、", "甲、 a / 乙、 b"),
        ("upperLetter", "Exhibit %1", "Exhibit A a / Exhibit B b"),
        ("none", "", "a / b"),
        ("none", "Note:", "Note: a / Note: b"),
        ("decimal", "", "a / b"),
        ("decimal", "100 % of %1", "100 % of 1 a / 100 % of 2 b"),
        ("bullet", "\u{F0B7}", "- a\n- b"),
        ("decimal", "•", "- a\n- b"),
    ] {
        assert_eq!(one(format, label), expected, "{format} {label}");
    }
    // Word writes a format of its own beside one that older versions know.
    let custom = "<mc:AlternateContent><mc:Choice Requires=\"w14\"><w:numFmt w:val=\"custom\" w:format=\"001, 002, ...\"/>\
        </mc:Choice><mc:Fallback><w:numFmt w:val=\"decimal\"/></mc:Fallback></mc:AlternateContent>";
    let lists = numbering(&[level(0, "decimal", "R%1", custom)], &[(1, "")]);
    assert_eq!(text(&[item(1, 0, "a")], &lists, STYLES), "R001 a");
}

#[test]
fn what_counts() {
    let numbered = "<w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr>";
    let gone = |mark: &str| {
        format!(
            "<w:p><w:pPr>{numbered}<w:rPr>{mark}</w:rPr></w:pPr><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>"
        )
    };
    let body = [
        item(1, 0, "one"),
        gone("<w:del w:id=\"1\"/>"),
        gone("<w:vanish/>"),
        item(1, 0, "two"),
        // Word shows the number of a paragraph without text.
        item(1, 0, ""),
        item(1, 0, "four"),
        p(&format!("<w:pPrChange><w:pPr>{numbered}</w:pPr></w:pPrChange>"), "no longer numbered"),
        table(&[&[&item(1, 0, ""), "in a table"], &[&item(1, 0, "with text"), "x"]]),
    ];
    let lists = numbering(&[level(0, "decimal", "%1.", "")], &[(1, "")]);
    let expected = "1. one\n2. two\n4. four / no longer numbered / | 5. | in a table |\n| --- | --- |\n| 6. with text | x |";
    assert_eq!(text(&body, &lists, STYLES), expected);
}
