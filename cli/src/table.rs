//! Tables for people.

use std::fmt;

/// Columns that are aligned: the first to the left, others to the right unless they hold words.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these titles.
    pub fn new<S: Into<String>>(titles: impl IntoIterator<Item = S>) -> Self {
        let mut table = Table::default();
        table.row(titles);
        table
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether there are titles only.
    pub fn is_empty(&self) -> bool {
        self.rows.len() <= 1
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                cells(column)
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let is_number = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
        let right: Vec<bool> = (0..columns)
            .map(|column| column > 0 && cells(column).skip(1).all(is_number))
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let fill = " ".repeat(widths[column] - cell.chars().count());
                let gap = if column == 0 { "" } else { "  " };
                line += gap;
                line += &match right[column] {
                    true => fill + cell,
                    false => cell.clone() + &fill,
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with six significant digits.
pub fn figure(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.5e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let decimals = (5 - size.log10().floor() as i32).max(0) as usize;
    without_zeros(&format!("{x:.decimals$}")).to_owned()
}

fn without_zeros(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_six_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.25, "-0.25"),
            (123_456.7, "123457"),
            (1.0 / 3.0, "0.333333"),
            (2e-9, "2e-9"),
            (1e8, "1e8"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(figure(x), text);
        }
    }

    #[test]
    fn columns_of_numbers_end_together() {
        let mut table = Table::new(["name", "x"]);
        table.row(["a", "1"]);
        table.row(["bcdef", "-20"]);
        assert_eq!(table.to_string(), "name     x\na        1\nbcdef  -20\n");
    }
}
