//! Tables of PDF files made here whose cells have several lines.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

mod samples;

use kb_rag_extract::{File, pdf};
use samples::pdf::{block, line, pdf as document};

/// The text of a page, with its lines parted by "|".
fn text(content: &str) -> String {
    let bytes = document(&[content]);
    let text = pdf::extract(&File { bytes: &bytes, ..File::default() }).unwrap();
    assert_eq!(text.pages[0].error, None);
    text.pages[0].content.replace("\n\n", "|").replace('\n', "|")
}

/// Lines of Courier, 10 points high: at x, from y downwards.
fn cell(x: f32, y: f32, lines: &[&str]) -> String {
    block(x, y, lines)
}

/// A horizontal and a vertical line.
fn across(y: f32) -> String {
    format!("50 {y} m 550 {y} l S ")
}

fn down(x: f32, from: f32, to: f32) -> String {
    format!("{x} {from} m {x} {to} l S ")
}

const PROBLEM: [&str; 2] = ["The pump runs dry because", "the tank is empty."];
const REMEDY: [&str; 3] = ["Fill the tank and press", "the button for three", "seconds."];
const ROW: &str =
    "E17 The pump runs dry because the tank is empty. Fill the tank and press the button for three seconds.";

fn rows(first: f32, second: f32) -> String {
    cell(55.0, first, &["E17"])
        + &cell(100.0, first, &PROBLEM)
        + &cell(330.0, first, &REMEDY)
        + &cell(55.0, second, &["E18"])
        + &cell(100.0, second, &["The pump is loud."])
        + &cell(330.0, second, &["Tighten the screws at the", "foot of the pump."])
}

#[test]
fn gaps_show_columns() {
    let head =
        cell(55.0, 720.0, &["Code"]) + &cell(100.0, 720.0, &["Problem"]) + &cell(330.0, 720.0, &["Remedy"]);
    for second in [664.0, 650.0] {
        let page = cell(50.0, 760.0, &["A line above the table."]) + &head + &rows(700.0, second);
        let expected = format!(
            "A line above the table.|Code Problem Remedy|{ROW}|E18 The pump is loud. Tighten the screws at the|foot of the pump."
        );
        assert_eq!(text(&page), expected);
    }
    // The first column has several lines too, and rows are apart.
    let page = cell(55.0, 700.0, &["Pump without", "a motor"])
        + &cell(160.0, 700.0, &["The pump is driven by", "hand and needs no"])
        + &cell(330.0, 700.0, &["12"])
        + &cell(55.0, 660.0, &["Tank"])
        + &cell(160.0, 660.0, &["A tank of steel."])
        + &cell(330.0, 660.0, &["3"]);
    assert_eq!(
        text(&page),
        "Pump without a motor The pump is driven by hand and needs no 12|Tank A tank of steel. 3"
    );
}

#[test]
fn lines_show_rows_and_columns() {
    let frame = [730.0, 712.0, 662.0, 632.0].map(across).concat();
    let columns = [50.0, 95.0, 325.0, 550.0].map(|x| down(x, 632.0, 730.0)).concat();
    // The code is in the middle of its row.
    let content = cell(55.0, 717.0, &["Code"])
        + &cell(100.0, 717.0, &["Problem"])
        + &cell(330.0, 717.0, &["Remedy"])
        + &cell(55.0, 686.0, &["E17"])
        + &cell(100.0, 698.0, &PROBLEM)
        + &cell(330.0, 698.0, &REMEDY)
        + &cell(55.0, 650.0, &["E18"])
        + &cell(100.0, 650.0, &["Leaks", "Drips"])
        + &cell(330.0, 650.0, &["Replace the", "Seal"]);
    let expected = format!("Before|Code Problem Remedy|{ROW}|E18 Leaks Drips Replace the Seal|After");
    let around = cell(50.0, 760.0, &["Before"]) + &cell(50.0, 600.0, &["After"]);
    assert_eq!(text(&(around.clone() + &content + &frame + &columns)), expected);
    // Lines as narrow areas, and as boxes around each cell.
    let areas = [730.0, 712.0, 662.0, 632.0].map(|y| format!("50 {y} 500 0.5 re f ")).concat()
        + &[50.0, 95.0, 325.0, 549.5].map(|x| format!("{x} 632 0.5 98 re f ")).concat();
    assert_eq!(text(&(around.clone() + &content + &areas)), expected);
    let boxes: String = [(712.0, 18.0), (662.0, 50.0), (632.0, 30.0)]
        .iter()
        .flat_map(|(y, height)| {
            [(50.0, 45.0), (95.0, 230.0), (325.0, 225.0)]
                .map(|(x, width)| format!("{x} {y} {width} {height} re S "))
        })
        .collect();
    assert_eq!(text(&(around + &content + &boxes)), expected);
}

#[test]
fn keys_show_that_columns_are_no_running_text() {
    let keys = ["E17", "E18", "E19", "E20", "E21", "E22"];
    let problem = ["The pump runs dry because the", "tank is empty or it is closed."];
    let remedy =
        ["Fill the tank and press the", "button for three seconds, and", "wait until the light is out."];
    let page: String = keys
        .iter()
        .enumerate()
        .map(|(at, key)| {
            let y = 700.0 - 44.0 * at as f32;
            cell(55.0, y, &[key]) + &cell(100.0, y, &problem) + &cell(330.0, y, &remedy)
        })
        .collect();
    let row = |key: &str| format!("{key} {} {}", problem.join(" "), remedy.join(" "));
    assert_eq!(text(&page), keys.map(row).join("|"));
}

#[test]
fn lines_between_rows_alone() {
    // Cells of four lines and more are no columns of a page.
    let question = [
        "Why does the pump run dry when",
        "the tank is full and the valve",
        "is open, and what is to be done",
        "about that?",
    ];
    let answer = [
        "The filter is blocked. Take it",
        "out, wash it in warm water and",
        "put it back. Then press the",
        "button for three seconds.",
    ];
    let rules = [715.0, 655.0, 595.0, 535.0].map(across).concat();
    let page = [700.0, 640.0, 580.0].map(|y| cell(55.0, y, &question) + &cell(310.0, y, &answer)).concat();
    let row = format!("{} {}", question.join(" "), answer.join(" "));
    assert_eq!(text(&(page.clone() + &rules)), [row.as_str(); 3].join("|"));
    // Two lines across the page are those of its header and footer.
    let page = cell(55.0, 700.0, &question) + &cell(310.0, 700.0, &answer);
    let lines = [715.0, 535.0].map(across).concat();
    assert_eq!(text(&(page + &lines)), format!("{}|{}", question.join("|"), answer.join("|")));
}

#[test]
fn cells_that_touch_are_parted_by_lines() {
    let frame =
        [710.0, 680.0].map(across).concat() + &[50.0, 200.5, 550.0].map(|x| down(x, 680.0, 710.0)).concat();
    // Drawn in one go, with a narrow gap between the cells.
    let content = "BT /F2 10 Tf 52 698 Td (The first cell is longer) Tj ET BT /F2 10 Tf 203 698 Td (and the other) Tj ET "
        .to_owned()
        + &cell(52.0, 686.0, &["as it goes on"])
        + &cell(203.0, 686.0, &["has two lines."]);
    assert_eq!(
        text(&(content + &frame)),
        "The first cell is longer as it goes on and the other has two lines."
    );
}

#[test]
fn divided_words_in_cells() {
    let page = cell(55.0, 700.0, &["E17"])
        + &cell(100.0, 700.0, &["The example is an exam-", "ple of a word."])
        + &cell(330.0, 700.0, &["None is needed."]);
    assert_eq!(text(&page), "E17 The example is an example|of a word. None is needed.");
}

#[test]
fn what_is_read_line_by_line() {
    // Numbers are rows of their own.
    let numbers = cell(55.0, 700.0, &["Income", "of which taxes", "other income", "Sum"])
        + &cell(250.0, 700.0, &["120", "20", "100", "240"])
        + &cell(400.0, 700.0, &["130", "30", "100", "260"]);
    assert_eq!(text(&numbers), "Income 120 130|of which taxes 20 30|other income 100 100|Sum 240 260");
    let frame = [715.0, 650.0].map(across).concat()
        + &[50.0, 240.0, 390.0, 550.0].map(|x| down(x, 650.0, 715.0)).concat();
    assert_eq!(
        text(&(numbers + &frame)),
        "Income 120 130|of which taxes 20 30|other income 100 100|Sum 240 260"
    );
    // A group is named in its first row.
    let groups = cell(55.0, 700.0, &["Pumps"])
        + &cell(150.0, 700.0, &["P-1", "P-2", "P-3"])
        + &cell(300.0, 700.0, &["12 kg", "14 kg", "16 kg"]);
    assert_eq!(text(&groups), "Pumps P-1 12 kg|P-2 14 kg|P-3 16 kg");
    // Addresses, and a list with bullets.
    let addresses = cell(55.0, 700.0, &["ACME Ltd", "Main Street 1", "12345 Town"])
        + &cell(300.0, 700.0, &["Customer Inc", "Side Road 22", "54321 City"]);
    assert_eq!(text(&addresses), "ACME Ltd Customer Inc|Main Street 1 Side Road 22|12345 Town 54321 City");
    let list = line("F2", 10.0, 50.0, 700.0, "*")
        + &cell(80.0, 700.0, &["an item that has two lines", "of text."])
        + &line("F2", 10.0, 50.0, 676.0, "*")
        + &cell(80.0, 676.0, &["another item."]);
    assert_eq!(text(&list), "* an item that has two lines|of text.|* another item.");
    // A table of contents with entries of two lines.
    let contents = cell(50.0, 700.0, &["2"])
        + &cell(
            80.0,
            700.0,
            &[
                "Getting it and installing it . . . . . .",
                "2.1 What is the difference between it",
                "and other ones . . . . . . . . . . . .",
            ],
        )
        + &cell(500.0, 700.0, &["5"])
        + &cell(500.0, 676.0, &["6"]);
    let expected = "2 Getting it and installing it . . . . . . 5|2.1 What is the difference between it|and other ones . . . . . . . . . . . . 6";
    assert_eq!(text(&contents), expected);
}
