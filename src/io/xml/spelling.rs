//! What a misspelt name may have meant.

/// The name that `wanted` resembles most, if one does: fewer than a third of its letters (or one)
/// are missing, added, exchanged, or swapped with their neighbours.
pub(in crate::io) fn nearest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.chars().collect();
    let tolerated = (wanted.len() / 3).max(1);
    names
        .into_iter()
        .map(|name| (distance(&wanted, &name.chars().collect::<Vec<_>>()), name))
        .filter(|&(distance, _)| distance <= tolerated && distance < wanted.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
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
