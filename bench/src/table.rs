//! The result as people and as programs read it.

use anyhow::Context;
use serde_json::json;

/// One measured number.
#[derive(Debug)]
pub struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    budget: &'static str,
}

impl Row {
    /// A number with its unit and, where there is one, what it should not exceed.
    #[must_use]
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str, budget: &'static str) -> Self {
        Self { name: name.into(), value, unit, budget }
    }

    /// Whether the number is over its budget.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.budget.parse::<f64>().is_ok_and(|budget| self.value > budget)
    }
}

/// Prints the table, and writes the same as JSON into a file where one is named.
///
/// # Errors
/// When the file cannot be written.
pub fn report(rows: &[Row], file: Option<&str>) -> anyhow::Result<()> {
    print(rows);
    match file {
        Some(path) => std::fs::write(path, json(rows)?).with_context(|| format!("{path} cannot be written")),
        None => Ok(()),
    }
}

#[expect(clippy::print_stdout, reason = "the table is what these programs are for")]
fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    println!("{:<width$}  {:>12}  {:<8} budget", "what", "measured", "unit");
    for row in rows {
        let mark = if row.is_over() { " !" } else { "" };
        println!("{:<width$}  {:>12.2}  {:<8} {}{mark}", row.name, row.value, row.unit, row.budget);
    }
}

fn json(rows: &[Row]) -> anyhow::Result<String> {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let over = row.is_over();
            json!({"name": row.name, "value": row.value, "unit": row.unit, "budget": row.budget, "over": over})
        })
        .collect();
    Ok(serde_json::to_string_pretty(&rows)?)
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn what_is_over_its_budget_is_marked() {
        let over = |value, budget| Row::new("x", value, "", budget).is_over();
        assert_eq!(
            [over(7.0, "6"), over(6.0, "6"), over(1.0, "0"), over(0.0, "0"), over(9.0, ""), over(1.6, "1.5")],
            [true, false, true, false, false, true]
        );
    }
}
