//! Aligned columns: every cell padded to its column's widest, two spaces between, nothing drawn.
//!
//! Widths count characters, colours apart. The last column is not padded, so that lines do not end in spaces.

use super::style::{heading, muted};

/// Rows with a header.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these column titles.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|title| (*title).to_owned()).collect(), rows: Vec::new() }
    }

    /// A table without titles, for names and values.
    pub(crate) fn pairs() -> Self {
        Self::default()
    }

    /// Adds a row.
    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table as text, without a line break at the end.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().chain([&self.header]).map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.header]);
            cells.filter_map(|row| row.get(column)).map(|cell| visible_width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut lines = Vec::new();
        if !self.header.is_empty() {
            let titles: Vec<String> = self.header.iter().map(|title| heading(title)).collect();
            lines.push(join(&titles, &widths));
        }
        for row in &self.rows {
            lines.push(match (self.header.is_empty(), row.split_first()) {
                (true, Some((name, rest))) => {
                    let cells: Vec<String> =
                        std::iter::once(muted(name)).chain(rest.iter().cloned()).collect();
                    join(&cells, &widths)
                }
                _ => join(row, &widths),
            });
        }
        lines.join("\n")
    }
}

fn join(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    let last = cells.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    for (index, cell) in cells.iter().enumerate().take(last + 1) {
        line.push_str(cell);
        if index < last {
            let padding = widths.get(index).copied().unwrap_or(0).saturating_sub(visible_width(cell)) + 2;
            line.push_str(&" ".repeat(padding));
        }
    }
    line
}

fn visible_width(cell: &str) -> usize {
    anstream::adapter::strip_str(cell).map(|piece| piece.chars().count()).sum()
}
