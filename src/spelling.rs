//! Suggestions for misspelt names, by edit distance.

use crate::error::Brief;
use std::fmt;

/// The most names that are proposed for one.
pub(crate) const MOST: usize = 3;

/// The name that `wanted` resembles most, if one does: fewer than a third of its letters (or one)
/// are missing, added, exchanged, or swapped with their neighbours.
#[cfg(feature = "urdf")]
pub(crate) fn nearest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let wanted = letters(wanted);
    let tolerated = (wanted.len() / 3).max(1);
    names
        .into_iter()
        .filter_map(|name| Some((distance_within(tolerated, &wanted, &letters(name))?, name)))
        .filter(|&(distance, _)| distance < wanted.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The paths that a name may stand for: that of the name itself, or else those that end with `/name`.
pub(crate) fn paths_of<'n>(paths: &'n [String], name: &str) -> Vec<(usize, &'n String)> {
    if let Some(found) = paths.iter().enumerate().find(|(_, path)| *path == name) {
        return vec![found];
    }
    let ends_so = |path: &str| {
        let rest = path.strip_suffix(name);
        rest.is_some_and(|rest| !name.is_empty() && rest.ends_with('/'))
    };
    let ending = paths.iter().enumerate().filter(|(_, path)| ends_so(path));
    ending.collect()
}

/// Up to three paths that take the fewest edits to become `wanted`, the nearest first: as a whole or by an end of the
/// path, with the members of a pair `a|b` in either order. At most a third of the letters of `wanted` change.
pub(crate) fn nearest_paths<'n>(
    paths: impl IntoIterator<Item = &'n str>,
    wanted: &str,
) -> Vec<String> {
    let orders: Vec<Vec<char>> = std::iter::once(letters(wanted))
        .chain(other_order(wanted).as_deref().map(letters))
        .collect();
    let mut near: Vec<(usize, &str)> = (paths.into_iter())
        .filter_map(|path| {
            let distances = orders
                .iter()
                .filter_map(|wanted| path_distance(path, wanted));
            Some((distances.min()?, path))
        })
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    let nearest = near.into_iter().take(MOST);
    nearest.map(|(_, path)| path.to_owned()).collect()
}

/// The end of a sentence that proposes names: `, is it "a", "b" or "c"?`, or nothing if there are none.
pub(crate) struct Proposal<'a>(pub &'a [String]);

impl fmt::Display for Proposal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((last, before)) = self.0.split_last() else {
            return Ok(());
        };
        f.write_str(", is it ")?;
        for (k, name) in before.iter().enumerate() {
            let separator = if k + 1 < before.len() { ", " } else { " or " };
            write!(f, "{:?}{separator}", Brief(name))?;
        }
        write!(f, "{:?}?", Brief(last))
    }
}

fn letters(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// The edits between `wanted` and the nearest end of a path, if they are few.
fn path_distance(path: &str, wanted: &[char]) -> Option<usize> {
    let path = letters(path);
    let starts = path.iter().enumerate().filter(|(_, c)| **c == '/');
    (std::iter::once(0).chain(starts.map(|(slash, _)| slash + 1)))
        .filter_map(|start| distance_within(wanted.len() / 3, &path[start..], wanted))
        .min()
}

/// The name of a parameter of a pair, `path/a|b/parameter`, with the members in the other order.
pub(crate) fn other_order(name: &str) -> Option<String> {
    let (left, right) = name.split_once('|')?;
    let (path, a) = left.split_at(left.rfind('/').map_or(0, |slash| slash + 1));
    let (b, parameter) = right.split_at(right.find('/').unwrap_or(right.len()));
    Some(format!("{path}{b}|{a}{parameter}"))
}

/// The number of edits between two words, if it is at most `tolerated`.
fn distance_within(tolerated: usize, a: &[char], b: &[char]) -> Option<usize> {
    // So many letters are missing at least.
    if a.len().abs_diff(b.len()) > tolerated {
        return None;
    }
    Some(distance(a, b)).filter(|&distance| distance <= tolerated)
}

/// The number of edits between two words (optimal string alignment: Damerau 1964, *Communications
/// of the ACM* 7(3), 171–176).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![]];
    for (i, x) in a.iter().enumerate() {
        let [before, last, _] = &rows;
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        rows[2] = row;
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}
