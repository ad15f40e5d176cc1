//! Tables where the platform has none: aligned in letters of one width, or a list for each row.

use openclaw_types::{RichText, Style};
use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

use super::page::Page;

/// The narrowest column.
const NARROWEST: usize = 3;

/// A table while it is read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    pub(super) head: Vec<RichText>,
    pub(super) rows: Vec<Vec<RichText>>,
}

/// Writes a table in letters of one width.
pub(super) fn write_code(table: &Table, page: &mut Page) {
    let flat = |row: &Vec<RichText>| row.iter().map(without_spans).collect::<Vec<String>>();
    let head = flat(&table.head);
    let rows: Vec<Vec<String>> = table.rows.iter().map(flat).collect();
    let columns = rows.iter().map(Vec::len).chain([head.len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().chain([&head]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0).max(NARROWEST)
        })
        .collect();
    let alignment = |column: usize| table.alignments.get(column).copied().unwrap_or(Alignment::None);
    let line = |row: &[String]| {
        let cells = widths.iter().enumerate().map(|(column, width)| {
            padded(row.get(column).map_or("", String::as_str), *width, alignment(column))
        });
        format!("| {} |", cells.collect::<Vec<String>>().join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut lines = vec![line(&head), format!("| {} |", rule.join(" | "))];
    lines.extend(rows.iter().map(|row| line(row)));
    page.push_styled(&lines.join("\n"), Style::CodeBlock { language: None });
}

/// Writes a list for each row: its first cell as the title, and each other one with the name of its column.
pub(super) fn write_bullets(table: &Table, page: &mut Page) {
    let titled = table.head.len() > 1;
    let mut first = true;
    for row in table.rows.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())) {
        if !first {
            page.space("\n\n");
        }
        first = false;
        let mut begun = false;
        if let Some(title) = row.first().filter(|title| titled && !title.is_empty()) {
            page.open(Style::Bold);
            page.push_rich(title);
            page.close();
            begun = true;
        }
        for (column, cell) in row.iter().enumerate().skip(usize::from(titled)) {
            if cell.is_empty() {
                continue;
            }
            if begun {
                page.space("\n");
            }
            begun = true;
            page.push("• ");
            match table.head.get(column) {
                Some(name) if !name.is_empty() => {
                    page.push_rich(name);
                    page.push(": ");
                }
                _ if titled => page.push(&format!("Column {column}: ")),
                _ => {}
            }
            page.push_rich(cell);
        }
    }
    if first {
        // A table without rows is its head.
        for (column, name) in table.head.iter().filter(|name| !name.is_empty()).enumerate() {
            if column > 0 {
                page.space("\n");
            }
            page.push("• ");
            page.push_rich(name);
        }
    }
}

/// Words without spans. Where a link leads would be lost, so it is written out.
fn without_spans(cell: &RichText) -> String {
    let mut text = cell.text().to_owned();
    for link in cell.links().iter().rev() {
        if cell.text()[link.start..link.end] != link.address {
            text.insert_str(link.end, &format!(" ({})", link.address));
        }
    }
    text
}

fn padded(text: &str, width: usize, alignment: Alignment) -> String {
    let missing = width.saturating_sub(text.width());
    let before = match alignment {
        Alignment::Right => missing,
        Alignment::Center => missing / 2,
        Alignment::Left | Alignment::None => 0,
    };
    format!("{}{text}{}", " ".repeat(before), " ".repeat(missing - before))
}
