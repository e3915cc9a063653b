//! Correlations of estimates on a page: of many unknowns the strongest pairs, and blocks that belong together.

use super::page::escaped;
use crate::identification::Fit;
use std::fmt::{self, Write};

/// So many unknowns fit into one table.
const WHOLE: usize = 12;
/// Pairs that are listed at most.
const PAIRS: usize = 20;
/// A correlation that is worth a line.
const STRONG: f64 = 0.5;
/// A correlation that puts two unknowns into one block.
const LINKED: f64 = 0.8;

/// Writes the correlations of a fit, if two or more are known.
pub(super) fn write_correlations(page: &mut String, fit: &Fit) -> fmt::Result {
    let known: Vec<usize> = (0..fit.estimates.len())
        .filter(|&i| fit.correlation(i, i).is_some())
        .collect();
    if known.len() < 2 {
        return Ok(());
    }
    writeln!(page, "<h2>Correlations</h2>")?;
    if known.len() <= WHOLE {
        return write_table(page, fit, &known);
    }
    write_pairs(page, fit, &known)?;
    for block in blocks(fit, &known) {
        writeln!(page, "<p>{} that belong together:</p>", block.len())?;
        write_table(page, fit, &block)?;
    }
    let all = known.len();
    writeln!(
        page,
        "<details><summary>All correlations of {all} unknowns</summary>"
    )?;
    write_table(page, fit, &known)?;
    writeln!(page, "</details>")
}

fn of(fit: &Fit, i: usize, j: usize) -> f64 {
    fit.correlation(i, j).unwrap_or_default()
}

fn name(fit: &Fit, i: usize) -> String {
    escaped(fit.unknowns[i].name())
}

/// The strongest pairs, the strongest first.
fn write_pairs(page: &mut String, fit: &Fit, known: &[usize]) -> fmt::Result {
    let of_row = |k: usize| known[..k].iter().map(move |&j| (known[k], j));
    let mut pairs: Vec<_> = (0..known.len()).flat_map(of_row).collect();
    let strength = |&(i, j): &(usize, usize)| of(fit, i, j).abs();
    pairs.retain(|pair| strength(pair) >= STRONG);
    pairs.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    if pairs.is_empty() {
        return writeln!(page, "<p>No two unknowns have one of {STRONG} or more.</p>");
    }
    let count = pairs.len();
    if count > PAIRS {
        writeln!(
            page,
            "<p>The strongest {PAIRS} of {count} pairs of {STRONG} or more:</p>"
        )?;
    }
    writeln!(
        page,
        "<table>\n<tr><th>unknown</th><th>and</th><th>correlation</th></tr>"
    )?;
    for &(i, j) in pairs.iter().take(PAIRS) {
        let cell = cell(of(fit, i, j));
        writeln!(
            page,
            "<tr><th>{}</th><td>{}</td>{cell}</tr>",
            name(fit, i),
            name(fit, j)
        )?;
    }
    writeln!(page, "</table>")
}

/// Unknowns that strong correlations connect, three or more of them and not more than fit into a table.
fn blocks(fit: &Fit, known: &[usize]) -> Vec<Vec<usize>> {
    let mut blocks = Vec::<Vec<usize>>::new();
    for &i in known {
        let linked = |block: &Vec<usize>| block.iter().any(|&j| of(fit, i, j).abs() >= LINKED);
        let (joined, apart): (Vec<_>, Vec<_>) = blocks.into_iter().partition(linked);
        blocks = apart;
        let mut joined: Vec<usize> = joined.into_iter().flatten().collect();
        joined.push(i);
        blocks.push(joined);
    }
    blocks.retain(|block| (3..=WHOLE).contains(&block.len()));
    blocks
}

/// The lower triangle of the correlations of some unknowns.
fn write_table(page: &mut String, fit: &Fit, members: &[usize]) -> fmt::Result {
    write!(page, "<div class=\"wide\"><table><tr><td></td>")?;
    for &j in members {
        write!(page, "<th>{}</th>", name(fit, j))?;
    }
    for (k, &i) in members.iter().enumerate() {
        write!(page, "</tr>\n<tr><th>{}</th>", name(fit, i))?;
        for &j in &members[..=k] {
            page.push_str(&cell(of(fit, i, j)));
        }
    }
    writeln!(page, "</tr></table></div>")
}

fn cell(correlation: f64) -> String {
    let hue = if correlation < 0.0 {
        "213,94,0"
    } else {
        "0,114,178"
    };
    let strength = 0.75 * correlation.abs();
    format!("<td style=\"background:rgba({hue},{strength:.2})\">{correlation:.2}</td>")
}
