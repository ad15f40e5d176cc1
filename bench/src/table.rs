//! The result as people and as programs read it.

use serde_json::json;

/// One measured number.
pub(crate) struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    budget: &'static str,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str, budget: &'static str) -> Self {
        Self { name: name.into(), value, unit, budget }
    }
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
pub(crate) fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    println!("{:<width$}  {:>12}  {:<8} budget", "what", "measured", "unit");
    for row in rows {
        println!("{:<width$}  {:>12.2}  {:<8} {}", row.name, row.value, row.unit, row.budget);
    }
}

pub(crate) fn json(rows: &[Row]) -> anyhow::Result<String> {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| json!({"name": row.name, "value": row.value, "unit": row.unit, "budget": row.budget}))
        .collect();
    Ok(serde_json::to_string_pretty(&rows)?)
}
