//! Chunks of tables: where they are cut, and the header that belongs to each.

#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use common::{check, split};
use kb_rag_core::chunk::{Chunk, Strategy};
use proptest::prelude::*;

/// Text and context of each chunk.
fn cut(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<(&str, String)> {
    let chunks: Vec<Chunk> = split(text, size, overlap, strategy);
    let context = |chunk: &Chunk| chunk.context.as_deref().unwrap_or_default().to_string();
    chunks.iter().map(|chunk| (&text[chunk.bytes.clone()], context(chunk))).collect()
}

fn contexts(text: &str, size: usize, strategy: Strategy) -> Vec<String> {
    cut(text, size, 0, strategy).into_iter().map(|(_, context)| context).collect()
}

#[test]
fn rows_of_a_long_table_have_its_header() {
    let rows: String = (1..=30).map(|n| format!("| param_{n} | {n} |\n")).collect();
    let text = format!(
        "# Settings\n\nAll of them:\n\n| name | default |\n|---|---|\n{rows}\nThat was all.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    );
    for (chunk, context) in cut(&text, 120, 30, Strategy::Markdown) {
        let expected = if chunk.starts_with("| param") { "| name | default |" } else { "" };
        assert_eq!(context, expected, "{chunk}");
        assert!(
            !chunk.starts_with("| param") || chunk.lines().all(|l| !l.starts_with('|') || l.ends_with('|')),
            "{chunk}"
        );
    }
    // No other strategy knows tables.
    assert!(contexts(&text, 120, Strategy::Text).iter().all(String::is_empty));
}

#[test]
fn cells_that_reach_into_a_chunk_belong_to_it() {
    let text = "| region | country | sales |\n|---|---|---|\n| Europe | Spain | many |\n|  | France | some |\n|  |  | few |\n| Asia | Japan | none |\n|  | China | some |\n";
    let found = cut(text, 30, 0, Strategy::Markdown);
    let of = |row: &str| {
        found.iter().find(|(chunk, _)| chunk.starts_with(row)).map(|(_, context)| context.as_str())
    };
    let head = "| region | country | sales |";
    assert_eq!(of("| Europe"), Some(head));
    assert_eq!(of("|  | France"), Some(format!("{head}\n| Europe |").as_str()));
    assert_eq!(of("|  |  | few"), Some(format!("{head}\n| Europe | France |").as_str()));
    assert_eq!(of("| Asia"), Some(head));
    assert_eq!(of("|  | China"), Some(format!("{head}\n| Asia |").as_str()));
}

#[test]
fn a_row_of_one_cell_names_the_rows_below() {
    let text = "| part | price |\n|---|---|\n| Pumps | |\n| P1 | 10 |\n| P2 | 20 |\n| Valves |\n| V1 | 30 |\n| V2 | 40 |\n";
    let found = cut(text, 14, 0, Strategy::Markdown);
    let of = |row: &str| {
        found.iter().find(|(chunk, _)| chunk.starts_with(row)).map(|(_, context)| context.as_str())
    };
    assert_eq!(of("| P2"), Some("| part | price |\n| Pumps |"));
    assert_eq!(of("| V2"), Some("| part | price |\n| Valves |"));
}

#[test]
fn a_row_that_lacks_values_names_no_rows_below() {
    let of = |rows: &str, strategy: Strategy| {
        let (head, delimiter) = match strategy {
            Strategy::Csv => ("part,price\nG,\n", ","),
            _ => ("| part | price |\n|---|---|\n| G | |\n", "|"),
        };
        let rows: String = rows.split(' ').map(|row| row.replace('/', delimiter) + "\n").collect();
        contexts(&format!("{head}{rows}"), 25, strategy).pop().unwrap()
    };
    for rows in [
        "P1/1 P2/ P3/3 P4/4 P5/5",
        "1/1 2/ 3/3 4/4 5/5 6/6 7/7 8/8",
        "2026-01/7 2026-02/ 2026-03/3 2026-04/1",
    ] {
        assert_eq!(of(rows, Strategy::Csv), "part,price\nG", "{rows}");
        let rows = format!("|{}|", rows.replace(' ', "| |"));
        assert_eq!(of(&rows, Strategy::Markdown), "| part | price |\n| G |", "{rows}");
    }
    let rows = "|`a`/1| |`b`/| |`c`/3| |`d`/4| |`e`/5| |`f`/6|";
    assert_eq!(of(rows, Strategy::Markdown), "| part | price |\n| G |");
    assert_eq!(of("P1/1 Q/ P3/3 P4/4 P5/5", Strategy::Csv), "part,price\nQ");
}

#[test]
fn a_row_longer_than_a_chunk_keeps_the_cell_that_names_it() {
    let text = format!(
        "| code | meaning |\n|---|---|\n| E16 | short |\n| E17 | {}|\n| E18 | short |\n",
        "words of it ".repeat(20)
    );
    let found = cut(&text, 80, 0, Strategy::Markdown);
    let inside: Vec<_> =
        found.iter().filter(|(chunk, _)| chunk.starts_with("words") || chunk.starts_with("of")).collect();
    assert!(inside.len() > 1);
    for (chunk, context) in inside {
        assert_eq!(context, "| code | meaning |\n| E17 |", "{chunk}");
    }
}

#[test]
fn further_header_rows_are_recognized_above_numbers() {
    let rows: String = (1..=9).map(|n| format!("| Region {n} | {n} | {n}0 |\n")).collect();
    let of = |head: &str| contexts(&format!("{head}{rows}"), 60, Strategy::Markdown).pop().unwrap();
    assert_eq!(
        of("|  | 2023 |  |\n|---|---|---|\n| Area | Q1 | Q2 |\n"),
        "|  | 2023 |  |\n| Area | Q1 | Q2 |"
    );
    assert_eq!(
        of("| Area | Sales |  |\n|---|---|---|\n|  | 2022 | 2023 |\n|  | EUR | EUR |\n"),
        "| Area | Sales |  |\n|  | 2022 | 2023 |\n|  | EUR | EUR |"
    );
    // A first row of words is a row where no cell reaches over others, and one of numbers always is.
    assert_eq!(of("| Area | Q1 | Q2 |\n|---|---|---|\n| None | few | few |\n"), "| Area | Q1 | Q2 |");
    assert_eq!(of("| Area |  | Q2 |\n|---|---|---|\n| None | 1 | 2 |\n"), "| Area |  | Q2 |");
}

#[test]
fn a_row_of_values_is_no_further_header_row() {
    let rows: String = (1..=9).map(|n| format!("| Region {n} | {n} | {n}0 |\n")).collect();
    let of = |head: &str| contexts(&format!("{head}{rows}"), 60, Strategy::Markdown).pop().unwrap();
    // No value, above numbers.
    for missing in ["-", "–", "n/a", "NULL", "?", "tbd"] {
        let row = format!("| None of them | {missing} | {missing} |\n");
        assert_eq!(of(&format!("|  | Q1 | Q2 |\n|---|---|---|\n{row}")), "|  | Q1 | Q2 |", "{missing}");
    }
    // No cell reaches over an empty one at the end.
    assert_eq!(of("| Area | Q1 | Q2 |\n|---|---|---|\n| Berlin | on request |  |\n"), "| Area | Q1 | Q2 |");
    // Values that are missing below do not hide that a column has numbers.
    let head = "| Area | Length |  |\n|---|---|---|\n|  | mm | inch |\n| Sea | - | n/a |\n";
    assert_eq!(of(head), "| Area | Length |  |\n|  | mm | inch |");
}

#[test]
fn further_header_rows_of_words_fill_what_the_header_leaves_empty() {
    let rows: String = (b'a'..=b'k').map(|n| format!("| part {} | red | steel |\n", char::from(n))).collect();
    let of = |head: &str| contexts(&format!("{head}{rows}"), 60, Strategy::Markdown).pop().unwrap();
    let head = "| Name | Properties |  |\n|---|---|---|\n|  | Color | Material |\n";
    assert_eq!(of(head), "| Name | Properties |  |\n|  | Color | Material |");
    let head = "| Name | Properties |  |\n|---|---|---|\n|  | of the surface |  |\n|  | Color | Material |\n";
    assert_eq!(of(head), "| Name | Properties |  |\n|  | of the surface |  |\n|  | Color | Material |");
    // Groups, and a row with a value.
    for row in ["| pumps | red | |\n|  | green | brass |\n", "|  | red | 12 |\n"] {
        let head = format!("| Name | Color |  |\n|---|---|---|\n{row}");
        assert_eq!(of(&head), "| Name | Color |  |", "{row}");
    }
}

#[test]
fn a_header_row_that_names_nothing_is_no_context() {
    let of = |head: &str, row: &str| {
        let rows: String = (1..=9).map(|n| row.replace("N", &n.to_string())).collect();
        contexts(&format!("{head}{rows}"), 60, Strategy::Markdown).pop().unwrap()
    };
    // Markdown has no table without a header row.
    assert_eq!(of("|  |  |\n|---|---|\n", "| pump | in cellar |\n"), "");
    assert_eq!(of("| P0 | 7.50 |\n|---|---|\n", "| PN | N.00 |\n"), "");
    assert_eq!(of("| 1990 | 1.00 |\n|---|---|\n", "| 199N | N.00 |\n"), "");
    for head in ["| part | 1 | 2 |", "|  | 1 | 2 |", "| P0 | price | 2 |", "| P0 | 2022 | 2023 |"] {
        assert_eq!(of(&format!("{head}\n|---|---|---|\n"), "| PN | N0 | 10N |\n"), head);
    }
}

#[test]
fn lines_of_tables_may_end_with_carriage_returns() {
    for end in ["\r", "\r\n"] {
        let rows: String = (1..=20).map(|n| format!("| part_{n} | {n} |\n")).collect();
        let text = format!("| name | price |\n|---|---|\n{rows}\nAn end.\n").replace('\n', end);
        for (chunk, context) in cut(&text, 60, 0, Strategy::Markdown) {
            assert_eq!(context, if chunk.starts_with("| part") { "| name | price |" } else { "" }, "{chunk}");
        }
    }
}

#[test]
fn a_part_of_a_wide_row_has_the_header_of_its_columns() {
    let row = |first: &str, delimiter: &str, cell: &dyn Fn(usize) -> String| {
        [first.to_string()].into_iter().chain((1..300).map(cell)).collect::<Vec<_>>().join(delimiter)
    };
    let head = row("id", ",", &|n| format!("\"column, {n}\""));
    let rows: String = (1..=5).map(|k| row(&format!("R{k}"), ",", &|n| format!("v{k}_{n}")) + "\n").collect();
    let text = format!("{head}\n{rows}");
    let mut parts = 0;
    for (chunk, context) in cut(&text, 200, 0, Strategy::Csv) {
        let Some((row, column)) = chunk.strip_prefix('v').and_then(|c| c.split(',').next()?.split_once('_'))
        else {
            continue;
        };
        parts += 1;
        let (head, own) = context.split_once('\n').unwrap();
        assert_eq!(own, format!("R{row}"), "{chunk}");
        assert!(head.starts_with(&format!("id,\"column, {column}\"")), "{chunk}: {head}");
        assert!(head.len() <= 1000, "{head}");
    }
    assert!(parts > 20, "{parts}");
    // With a group in front.
    let head: String = (0..40).map(|n| format!("| column {n} ")).collect();
    let cells: String = (2..40).map(|n| format!("| cell {n} ")).collect();
    let text = format!("{head}|\n{}|\n| G | A {cells}|\n|  | B {cells}|\n", "|---".repeat(40));
    let found = cut(&text, 100, 0, Strategy::Markdown);
    let (_, context) = found.iter().rfind(|(chunk, _)| chunk.contains("cell 20 ")).unwrap();
    let (chunk, _) = found.iter().rfind(|(chunk, _)| chunk.contains("cell 20 ")).unwrap();
    let first = chunk.split('|').find(|cell| cell.contains("cell")).unwrap().trim().replace("cell", "column");
    assert!(context.starts_with(&format!("| column 0 | column 1 | {first} | ")), "{chunk}: {context}");
    assert!(context.ends_with("\n| G | B |"), "{context}");
}

#[test]
fn tables_of_quotations_and_lists_have_a_header() {
    let rows: String = (1..=9).map(|n| format!("> | name {n} | value {n} |\n")).collect();
    let text = format!("> | name | value |\n> |---|---|\n{rows}");
    assert_eq!(contexts(&text, 60, Strategy::Markdown).pop().unwrap(), "| name | value |");
    let text = text.replace("> ", "  ").replacen("  ", "- ", 1);
    assert_eq!(contexts(&text, 60, Strategy::Markdown).pop().unwrap(), "| name | value |");
}

#[test]
fn a_wide_header_ends_with_a_cell() {
    let cells: Vec<String> = (0..300).map(|n| format!("column_{n}")).collect();
    let row = "| 1 ".repeat(300);
    let text = format!("| {} |\n{}|\n{}|\n{row}|\n", cells.join(" | "), "|---".repeat(300), row);
    let context = contexts(&text, 2000, Strategy::Markdown).pop().unwrap();
    assert!(context.len() <= 1000 && context.len() > 900 && context.ends_with(" |"), "{context}");
}

#[test]
fn records_are_kept_whole_and_have_their_header() {
    let rows: String =
        (1..=20).map(|n| format!("{n},\"Pump {n}, large\r\nwith two lines\",{n}.50\r\n")).collect();
    let text = format!("\u{feff}id,description,price\r\n{rows}");
    let found = cut(&text, 150, 40, Strategy::Csv);
    assert!(found.len() > 5);
    for (number, (chunk, context)) in found.iter().enumerate() {
        assert_eq!(context, if number == 0 { "" } else { "id,description,price" }, "{chunk}");
        assert!(chunk.ends_with(".50"), "{chunk}");
        assert!(number == 0 || chunk.starts_with(|c: char| c.is_ascii_digit()), "{chunk}");
    }
}

#[test]
fn headers_of_records() {
    let of = |head: &str, row: &str| {
        contexts(&format!("{head}{}", row.repeat(20)), 60, Strategy::Csv).pop().unwrap()
    };
    for (head, row, expected) in [
        ("name;price\n", "Pump;1,50\n", "name;price"),
        ("name\tprice\n", "Pump\t1,50\n", "name\tprice"),
        ("name|price\n", "Pump|1,50\n", "name|price"),
        ("sep=;\nname;price\n", "Pump;1,50\n", "name;price"),
        ("sep=\"\nname,price\n", "Pump,1.50\n", "name,price"),
        ("Price list of 2026\n\nname,price\n", "Pump,1.50\n", "name,price"),
        ("region,2022,2023\n", "North,17,19\n", "region,2022,2023"),
        (",2022,\nregion,Q1,Q2\n", "North,17,19\n", ",2022,\nregion,Q1,Q2"),
        ("\"a \"\"name\"\"\",\"the\nprice\"\n", "Pump,1.50\n", "\"a \"\"name\"\"\",\"the\nprice\""),
        ("\"a \"\"b, c\nd\"\" name\",price\n", "Pump,1.50\n", "\"a \"\"b, c\nd\"\" name\",price"),
        // Spreadsheets fill titles up.
        ("Price list,,\nof the shop,,\n,,\nname,color,shape\n", "Pump,red,round\n", "name,color,shape"),
        ("Price list,,\nname,,price\n,mm,EUR\n", "Pump,3,1.50\n", "name,,price\n,mm,EUR"),
        ("Prices, all, 2026\nname,price\n", "Pump,1.50\n", "name,price"),
        // Rows with one field more or less, and a row with a delimiter too many.
        ("name,price\n", "Pump,1.50,\n", "name,price"),
        ("name,price,\n", "Pump,1.50\n", "name,price,"),
        ("name,price\nHose,red,1.50\n", "Pump,1.50\n", "name,price"),
        // The delimiter divides all records alike. Another character may divide some of them more often.
        ("name;text;price\n", "Pump;red, green, blue;1,50\n", "name;text;price"),
        ("name\tprice\n", "Pump, large, red\t1,50\n", "name\tprice"),
        // Dates name columns.
        ("name,2026-01-31,2026-02-28\n", "Pump,1,2\n", "name,2026-01-31,2026-02-28"),
        (
            "name;1/22/20;31.12.2026;01/2026;2026-Q3\n",
            "Pump;1;2;3;4\n",
            "name;1/22/20;31.12.2026;01/2026;2026-Q3",
        ),
        // Records that are repeated have the header between them.
        ("name,color\na,b\nname,color\n", "Pump,red\n", "name,color"),
        // Without a header.
        ("2026-11-27,start\n", "2026-11-28,stop\n", ""),
        ("Pump 1,red\n", "Pump 2,red\n", ""),
        (
            "Nov 1 host sshd[17]: Accepted password for root, from 10.0.0.1 port 22\n",
            "Nov 2 host sshd[4]: Accepted password for root, from 10.0.0.2 port 22\n",
            "",
        ),
        ("How do I return an item?,Send it back.\n", "Where is my order today?,In the mail.\n", ""),
        ("name,NULL\n", "Pump,red\n", ""),
        ("", "Pump,1.50\n", ""),
        ("", "Alien,1979\n", ""),
        ("", "Only one line of words\n", ""),
    ] {
        assert_eq!(of(head, row), expected, "{head}{row}");
    }
    // Groups, as spreadsheets write them.
    let text = format!("group,part,price\nPumps,P1,1\n{}", ",P2,2\n".repeat(20));
    assert_eq!(contexts(&text, 40, Strategy::Csv).pop().unwrap(), "group,part,price\nPumps");
}

#[test]
fn a_quote_that_nothing_closes_swallows_nothing() {
    let rows: String = (1..=40).map(|n| format!("{n},pipe of {n}\" length,x\n")).collect();
    let text = format!("id,what,more\n1,\"open,x\n{rows}");
    let found = cut(&text, 100, 0, Strategy::Csv);
    assert!(found.iter().skip(1).all(|(chunk, _)| chunk.ends_with(",x")), "{found:?}");
    let long = format!("id,what\n1,\"open\n{}", "2,never closed\n".repeat(10_000));
    let found = cut(&long, 100, 0, Strategy::Csv);
    assert!(found.iter().all(|(chunk, _)| chunk.ends_with("closed") || chunk.ends_with("open")), "{found:?}");
}

#[test]
fn rows_of_many_chunks_are_linear() {
    // Reading the row again for each chunk would take minutes.
    let n = 2_000_000;
    let head = "|a|b|\n|-|-|\n";
    for (text, strategy) in [
        (format!("{head}{}", "|".repeat(n)), Strategy::Markdown),
        (format!("{head}{}|\n", "|x".repeat(n / 2)), Strategy::Markdown),
        (format!("{head}{}|2|\n", "x ".repeat(n / 2)), Strategy::Markdown),
        (format!("a,b\n{},2\n", "x ".repeat(n / 2)), Strategy::Csv),
        (format!("a,b\n\"{}", "x,".repeat(n / 2)), Strategy::Csv),
        ("\"a,b\n".repeat(n / 5), Strategy::Csv),
        ("a,\"b\n".repeat(n / 5), Strategy::Csv),
        ("\n".repeat(n) + "a,b", Strategy::Csv),
    ] {
        let count = split(&text, 1000, 200, strategy).len();
        assert!(count <= text.len() / 200, "{count} chunks");
    }
}

const FIELDS: [&str; 12] = [
    "",
    "a",
    "12",
    "\"x, y\"",
    "\"two\nlines\"",
    "\"a \"\"b\"\"\"",
    "5\" pipe",
    "long words in it",
    " ",
    "2021",
    "漢字",
    "\"open",
];

proptest! {
    #[test]
    fn records_lose_nothing(
        rows in prop::collection::vec(prop::collection::vec(prop::sample::select(&FIELDS[..]), 1..6), 0..40),
        delimiter in prop::sample::select(&[",", ";", "\t", "|"][..]), end in prop::sample::select(&["\n", "\r\n", "\r", "\n\n"][..]),
        size in 1..80_usize, share in 0..100_usize,
    ) {
        let text: String = rows.iter().map(|row| row.join(delimiter) + end).collect();
        check(&text, size, size * share / 100, Strategy::Csv);
    }

    #[test]
    fn rows_lose_nothing(
        rows in prop::collection::vec(prop::collection::vec(prop::sample::select(&FIELDS[..]), 1..6), 0..40),
        size in 1..80_usize, share in 0..100_usize,
    ) {
        let rows: String = rows.iter().map(|row| format!("|{}|\n", row.join("|").replace('\n', " "))).collect();
        check(&format!("| a | b | c |\n|---|---|---|\n{rows}"), size, size * share / 100, Strategy::Markdown);
    }
}
