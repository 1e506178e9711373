//! Tables.

use dom_query::NodeRef;

use super::Writer;

/// The most columns of a table that is written as one.
const COLUMNS: usize = 64;
/// The longest text of a cell, in bytes. Longer texts are no data: the table arranges parts of the page.
const CELL: usize = 1500;

impl Writer<'_> {
    /// A table of data becomes one of Markdown, its first row the header. Others arrange parts of a page, which follow each
    /// other.
    pub(super) fn table(&mut self, node: &NodeRef) {
        self.flush();
        let Some(rows) = self.rows(node) else {
            self.children(node);
            self.flush();
            return;
        };
        for caption in node.children_it(false).filter(|child| child.has_name("caption")) {
            self.block(&caption);
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for (number, mut row) in rows.into_iter().enumerate() {
            if number == 0 {
                row.resize(columns, String::new());
            }
            lines.push(format!("| {} |", row.join(" | ")));
            if number == 0 {
                lines.push(format!("|{}", " --- |".repeat(columns)));
            }
        }
        self.lines(&lines.join("\n"));
    }

    /// The texts of the cells of a table of data. None for other tables.
    fn rows(&self, table: &NodeRef) -> Option<Vec<Vec<String>>> {
        if table.attr("role").is_some_and(|role| matches!(&*role, "presentation" | "none")) {
            return None;
        }
        let mut rows = Vec::new();
        // How many more rows the cell of a column reaches into.
        let mut spans = vec![0usize; COLUMNS];
        for row in rows_of(table).into_iter().filter(|row| !self.cut.has(row)) {
            let mut cells: Vec<String> = Vec::new();
            for cell in row.children_it(false).filter(|cell| cell.has_name("td") || cell.has_name("th")) {
                skip(&mut cells, &mut spans);
                let text = self.cell_text(&cell)?;
                let wide = span(&cell, "colspan");
                let high = span(&cell, "rowspan");
                if cells.len() + wide > COLUMNS {
                    return None;
                }
                for column in &mut spans[cells.len()..cells.len() + wide] {
                    *column = high - 1;
                }
                cells.push(text);
                cells.resize(cells.len() + wide - 1, String::new());
            }
            skip(&mut cells, &mut spans);
            if cells.iter().any(|cell| !cell.is_empty()) {
                while cells.last().is_some_and(String::is_empty) {
                    cells.pop();
                }
                rows.push(cells);
            }
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        (rows.len() > 1 && columns > 1).then_some(rows)
    }

    /// The text of a cell in one line. None if there is more than text in it.
    fn cell_text(&self, cell: &NodeRef) -> Option<String> {
        if self.cut.has(cell) {
            return Some(String::new());
        }
        for node in cell.descendants_it() {
            if ["table", "pre", "h1", "h2", "h3", "blockquote"].iter().any(|name| node.has_name(name)) {
                return None;
            }
        }
        let mut writer = Writer::new(self.cut, self.measures, self.whole);
        (writer.cell, writer.boxes) = (true, 1);
        writer.children(cell);
        writer.flush();
        let text = writer.out.split_whitespace().collect::<Vec<_>>().join(" ");
        (text.len() <= CELL).then(|| text.replace('|', "\\|"))
    }
}

/// Leaves cells empty that cells above reach into.
fn skip(cells: &mut Vec<String>, spans: &mut [usize]) {
    while let Some(rows) = spans.get_mut(cells.len()).filter(|rows| **rows > 0) {
        *rows -= 1;
        cells.push(String::new());
    }
}

fn span(cell: &NodeRef, name: &str) -> usize {
    cell.attr(name).and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, COLUMNS)
}

fn rows_of<'a>(table: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let mut rows = Vec::new();
    for child in table.children_it(false) {
        if child.has_name("tr") {
            rows.push(child);
        } else if ["thead", "tbody", "tfoot"].iter().any(|name| child.has_name(name)) {
            rows.extend(child.children_it(false).filter(|row| row.has_name("tr")));
        }
    }
    rows
}
