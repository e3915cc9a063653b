//! LU factorisation of a sparse `f64` matrix with a symmetric pattern.
//!
//! The multifrontal method (Duff & Reid 1983, *ACM Transactions on Mathematical Software* 9(3), 302–325): each
//! front is a small dense matrix of the rows and columns that its elimination touches. What is left of it after
//! its own indices are eliminated is added to the front of the first of the others. Rows are exchanged among the
//! own indices of a front only.

use super::elimination::{Elimination, Lists};
use super::factorization::RightHandSide;
use super::lu::{Singular, dot, largest};
use nalgebra::SVector;
use num_traits::Zero;
use std::ops::Range;

/// Pivots that are eliminated before the columns to their right are updated.
const PANEL: usize = 4;

/// `A = L U` of a sparse matrix, in the order of its elimination.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseLu {
    /// The original index of every index in the order.
    order: Vec<usize>,
    fronts: Vec<Front>,
    /// The front that eliminates each index.
    front_of: Vec<usize>,
    /// Indices after the own ones of each front that its elimination touches, and where the next front has
    /// them.
    rows: Vec<usize>,
    targets: Vec<usize>,
    /// The same indices as runs.
    runs: Vec<Range<usize>>,
    /// The fronts, each column-major, own indices first: entries of L below the diagonal, of U above it.
    values: Vec<f64>,
    /// The row that was exchanged with that of each index, within its front.
    exchanges: Vec<usize>,
}

/// A front: own indices, then those of `rows`.
#[derive(Debug, Clone)]
struct Front {
    own: Range<usize>,
    /// In the list of rows, and in that of runs.
    rows: Range<usize>,
    runs: Range<usize>,
    /// The first of its values.
    start: usize,
    /// The front that takes what is left.
    next: usize,
}

impl Front {
    /// Number of rows and columns.
    fn size(&self) -> usize {
        self.own.len() + self.rows.len()
    }

    fn values(&self) -> Range<usize> {
        self.start..self.start + self.size() * self.size()
    }
}

impl SparseLu {
    /// Takes the pattern of a matrix with so many rows, in which the members of each clique are coupled.
    pub fn analyse(&mut self, size: usize, cliques: &Lists, elimination: &mut Elimination) {
        elimination.analyse(size, cliques);
        self.order.clear();
        self.front_of.clear();
        self.fronts.clear();
        self.rows.clear();
        self.targets.clear();
        self.runs.clear();
        for k in 0..elimination.fronts() {
            let first = self.order.len();
            self.order.extend(elimination.front(k));
            self.front_of.resize(self.order.len(), k);
            self.fronts.push(Front {
                own: first..self.order.len(),
                rows: 0..0,
                runs: 0..0,
                start: 0,
                next: usize::MAX,
            });
        }
        let mut start = 0;
        for k in 0..self.fronts.len() {
            let (first, first_run) = (self.rows.len(), self.runs.len());
            for range in elimination.below(k) {
                self.rows.extend(range.clone());
                match self.runs[first_run..].last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => self.runs.push(range),
                }
            }
            let next = self.rows.get(first).map(|&row| self.front_of[row]);
            let front = &mut self.fronts[k];
            front.rows = first..self.rows.len();
            front.runs = first_run..self.runs.len();
            front.next = next.unwrap_or(usize::MAX);
            front.start = start;
            start += front.size() * front.size();
        }
        for front in &self.fronts {
            for &row in &self.rows[front.rows.clone()] {
                self.targets.push(self.position(front.next, row));
            }
        }
        self.values.resize(start, 0.0);
        self.exchanges.resize(size, 0);
    }

    /// The original index of every index in the order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of values of all fronts.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Where an index of the order is in a front that touches it.
    fn position(&self, front: usize, index: usize) -> usize {
        let Front { own, rows, .. } = &self.fronts[front];
        match index.checked_sub(own.start) {
            Some(position) if position < own.len() => position,
            _ => own.len() + self.rows[rows.clone()].partition_point(|&row| row < index),
        }
    }

    /// Where the entry of a row and a column, by their indices in the order, is among the values.
    pub fn slot(&self, row: usize, column: usize) -> usize {
        let k = self.front_of[row.min(column)];
        let front = &self.fronts[k];
        front.start + self.position(k, row) + front.size() * self.position(k, column)
    }

    /// Where a clique, by its indices in the order, is among the values: the first value of a front, its number
    /// of rows, and, written to `positions`, the places of the members in it.
    pub fn place_clique(&self, clique: &[usize], positions: &mut Vec<usize>) -> (usize, usize) {
        let Some(&first) = clique.iter().min() else {
            return (0, 0);
        };
        let k = self.front_of[first];
        positions.extend(clique.iter().map(|&index| self.position(k, index)));
        (self.fronts[k].start, self.fronts[k].size())
    }

    /// Factors the matrix whose entries are the sums of those that `base` and `assemble` have in its slots.
    ///
    /// # Errors
    /// [`Singular`] with the original index of the column that has no usable pivot.
    pub fn factor(
        &mut self,
        base: &[f64],
        assemble: impl FnOnce(&mut [f64]),
    ) -> Result<(), Singular> {
        self.values.copy_from_slice(base);
        assemble(&mut self.values);
        for front in &self.fronts {
            let (before, after) = self.values.split_at_mut(front.values().end);
            let (values, own) = (&mut before[front.start..], front.own.clone());
            let exchanges = &mut self.exchanges[own.clone()];
            if let Err((p, pivot)) = eliminate(values, front.size(), exchanges) {
                return Err(Singular {
                    size: self.order.len(),
                    column: self.order[own.start + p],
                    pivot,
                });
            }
            if let Some(next) = self.fronts.get(front.next) {
                let targets = &self.targets[front.rows.clone()];
                let size = next.size();
                let to = &mut after[next.start - front.values().end..][..size * size];
                for (j, &column) in (own.len()..).zip(targets) {
                    let from = &values[j * front.size()..][own.len()..front.size()];
                    let to = &mut to[column * size..][..size];
                    for (&x, &row) in from.iter().zip(targets) {
                        to[row] += x;
                    }
                }
            }
        }
        Ok(())
    }

    /// The sign of the determinant: 1 or −1.
    pub fn determinant_sign(&self) -> f64 {
        let mut is_negative = false;
        for front in &self.fronts {
            for (p, &row) in self.exchanges[front.own.clone()].iter().enumerate() {
                let pivot = self.values[front.start + p * (front.size() + 1)];
                is_negative ^= (pivot < 0.0) != (row != p);
            }
        }
        if is_negative { -1.0 } else { 1.0 }
    }

    /// Number of fronts.
    pub fn fronts(&self) -> usize {
        self.fronts.len()
    }

    /// Marks the fronts that the elimination of an index goes through.
    pub fn mark_path(&self, index: usize, path: &mut [bool]) {
        let mut k = self.front_of[index];
        while k < path.len() && !path[k] {
            path[k] = true;
            k = self.fronts[k].next;
        }
    }

    /// Replaces `b`, in the order, by `A⁻¹ b`.
    pub fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) {
        self.solve_where(b, |_| true, |_| false);
    }

    /// As [`Self::solve_in_place`] at the indices of the fronts of a path, for a `b` that is zero at the others.
    pub fn solve_on_path<const N: usize>(&self, b: &mut [SVector<f64, N>], path: &[bool]) {
        self.solve_where(b, |k| path[k], SVector::is_zero);
    }

    #[inline(always)]
    fn solve_where<T: RightHandSide>(
        &self,
        b: &mut [T],
        is_wanted: impl Fn(usize) -> bool,
        is_zero: impl Fn(&T) -> bool,
    ) {
        for (k, front) in self.fronts.iter().enumerate() {
            let own = front.own.clone();
            let (x, others) = b[own.start..].split_at_mut(own.len());
            if !is_wanted(k) || x.iter().all(&is_zero) {
                continue;
            }
            for (p, &row) in self.exchanges[own.clone()].iter().enumerate() {
                x.swap(p, row);
            }
            let size = front.size();
            let values = &self.values[front.values()];
            for start in (0..own.len()).step_by(PANEL) {
                let end = own.len().min(start + PANEL);
                let column = |p: usize| &values[p * size..(p + 1) * size];
                for p in start..end {
                    let (x, rest) = x[p..end].split_at_mut(1);
                    subtract(rest, [&column(p)[p + 1..end]], [x[0]]);
                }
                let (done, rest) = x.split_at_mut(end);
                let done = &done[start..];
                let mut position = end;
                let runs = self.runs[front.runs.clone()].iter();
                let runs = runs.map(|run| run.start - own.end..run.end - own.end);
                let mut update = |y: &mut [T]| {
                    let rows = position..position + y.len();
                    position = rows.end;
                    let column = |k: usize| &column(start + k)[rows.clone()];
                    match *done {
                        [a] => subtract(y, [column(0)], [a]),
                        [a, b] => subtract(y, [column(0), column(1)], [a, b]),
                        [a, b, c] => subtract(y, [column(0), column(1), column(2)], [a, b, c]),
                        [a, b, c, d] => {
                            let columns = [column(0), column(1), column(2), column(3)];
                            subtract(y, columns, [a, b, c, d]);
                        }
                        _ => {}
                    }
                };
                update(rest);
                runs.for_each(|run| update(&mut others[run]));
            }
        }
        for (k, front) in self.fronts.iter().enumerate().rev() {
            if !is_wanted(k) {
                continue;
            }
            let (size, own) = (front.size(), front.own.clone());
            let values = &self.values[front.values()];
            let (x, others) = b[own.start..].split_at_mut(own.len());
            let rows = &self.rows[front.rows.clone()];
            let column = |k: usize| &values[(own.len() + k) * size..][..own.len()];
            let (fours, rest) = rows.as_chunks::<PANEL>();
            for (k, rows) in fours.iter().enumerate() {
                let columns = std::array::from_fn(|i| column(PANEL * k + i));
                subtract::<_, PANEL>(x, columns, rows.map(|row| others[row - own.end]));
            }
            for (k, row) in (PANEL * fours.len()..).zip(rest) {
                subtract(x, [column(k)], [others[row - own.end]]);
            }
            for (p, column) in values.chunks_exact(size).enumerate().take(x.len()).rev() {
                let (rest, x) = x[..=p].split_at_mut(p);
                x[0] /= column[p];
                subtract(rest, [&column[..p]], [x[0]]);
            }
        }
    }

    /// Replaces `b`, in the order, by `A⁻ᵀ b`.
    pub fn solve_transposed_in_place<T: RightHandSide>(&self, b: &mut [T]) {
        for front in &self.fronts {
            let (size, own) = (front.size(), front.own.clone());
            let rows = &self.rows[front.rows.clone()];
            let values = &self.values[front.values()];
            for (p, column) in values.chunks_exact(size).enumerate().take(own.len()) {
                let sum = dot(&b[own.start..own.start + p], column);
                b[own.start + p] = (b[own.start + p] - sum) / column[p];
            }
            for (column, &row) in values[own.len() * size..].chunks_exact(size).zip(rows) {
                let sum = dot(&b[own.clone()], column);
                b[row] -= sum;
            }
        }
        for front in self.fronts.iter().rev() {
            let (size, own) = (front.size(), front.own.clone());
            let rows = &self.rows[front.rows.clone()];
            let columns = self.values[front.values()].chunks_exact(size);
            for (p, column) in columns.enumerate().take(own.len()).rev() {
                let (inner, outer) = column.split_at(own.len());
                let mut sum = dot(&b[own.start + p + 1..own.end], &inner[p + 1..]);
                for (&row, &l) in rows.iter().zip(outer) {
                    sum += b[row] * l;
                }
                b[own.start + p] -= sum;
            }
            for (p, &row) in self.exchanges[own.clone()].iter().enumerate().rev() {
                b.swap(own.start + p, own.start + row);
            }
        }
    }
}

/// Eliminates the first indices of a front, as many as there are exchanges; or the one without a usable pivot,
/// and the best candidate for it.
fn eliminate(values: &mut [f64], size: usize, exchanges: &mut [usize]) -> Result<(), (usize, f64)> {
    let own = exchanges.len();
    for start in (0..own).step_by(PANEL) {
        let end = own.min(start + PANEL);
        for p in start..end {
            let (left, right) = values.split_at_mut((p + 1) * size);
            let (left, column) = left.split_at_mut(p * size);
            let (row, pivot) = largest(&column[p..own]);
            if pivot == 0.0 || !pivot.is_finite() {
                return Err((p, pivot));
            }
            exchanges[p] = p + row;
            let panel = &mut right[..(end - p - 1) * size];
            if row != 0 {
                let all = left.chunks_exact_mut(size).chain([&mut *column]);
                for column in all.chain(panel.chunks_exact_mut(size)) {
                    column.swap(p, p + row);
                }
            }
            let reciprocal = 1.0 / pivot;
            column[p + 1..].iter_mut().for_each(|l| *l *= reciprocal);
            for target in panel.chunks_exact_mut(size) {
                clear([&*column], target, p);
            }
        }
        let (panel, rest) = values.split_at_mut(end * size);
        let column = |k: usize| &panel[(start + k) * size..][..size];
        for target in rest.chunks_exact_mut(size) {
            for (p, &row) in (start..end).zip(&exchanges[start..end]) {
                target.swap(p, row);
            }
            match end - start {
                1 => clear([column(0)], target, start),
                2 => clear([column(0), column(1)], target, start),
                3 => clear([column(0), column(1), column(2)], target, start),
                _ => {
                    let columns = [column(0), column(1), column(2), column(3)];
                    clear(columns, target, start);
                }
            }
        }
    }
    Ok(())
}

/// Eliminates with `W` pivots in a row, from `first` on, in a column to their right.
#[inline(always)]
fn clear<const W: usize>(columns: [&[f64]; W], target: &mut [f64], first: usize) {
    let (pivots, rest) = target[first..].split_at_mut(W);
    let mut u = [0.0; W];
    for k in 0..W {
        u[k] = pivots[k];
        for i in 0..k {
            u[k] -= columns[i][first + k] * u[i];
        }
        pivots[k] = u[k];
    }
    if u != [0.0; W] {
        subtract(rest, columns.map(|column| &column[first + W..]), u);
    }
}

/// `y ← y − Σ xₖ cₖ`.
#[inline(always)]
fn subtract<T: RightHandSide, const W: usize>(y: &mut [T], columns: [&[f64]; W], x: [T; W]) {
    let n = y.len();
    let columns = columns.map(|column| &column[..n]);
    for i in 0..n {
        let mut sum = x[0] * columns[0][i];
        for k in 1..W {
            sum += x[k] * columns[k][i];
        }
        y[i] -= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Factorization, Lu};
    use nalgebra::DMatrix;

    /// Numbers in [−½, ½).
    fn random(seed: &mut u64) -> f64 {
        *seed = (seed.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    /// A matrix that couples the members of the cliques, dense and factored by fronts.
    fn factored(size: usize, cliques: &[Vec<usize>], seed: &mut u64) -> (DMatrix<f64>, SparseLu) {
        let mut dense = DMatrix::zeros(size, size);
        let mut lists = Lists::default();
        for clique in cliques {
            lists.push_list(clique.iter().copied());
            for &i in clique {
                clique.iter().for_each(|&j| dense[(i, j)] = random(seed));
            }
        }
        (0..size).for_each(|i| dense[(i, i)] += random(seed));
        let mut lu = SparseLu::default();
        lu.analyse(size, &lists, &mut Elimination::default());
        let mut base = vec![0.0; lu.len()];
        let order = lu.order().to_vec();
        for (k, &i) in order.iter().enumerate() {
            for (l, &j) in order.iter().enumerate() {
                if dense[(i, j)] != 0.0 {
                    base[lu.slot(k, l)] += dense[(i, j)];
                }
            }
        }
        lu.factor(&base, |_| ()).unwrap();
        (dense, lu)
    }

    #[test]
    fn fronts_solve_what_the_dense_factors_solve() {
        let seed = &mut 1;
        for round in 0..200 {
            let size = 1 + round % 23;
            let index = |seed: &mut u64| ((random(seed) + 0.5) * size as f64) as usize;
            let cliques: Vec<Vec<usize>> = (0..round % 17)
                .map(|k| {
                    let mut clique: Vec<usize> = (0..1 + k % 6).map(|_| index(seed)).collect();
                    clique.sort_unstable();
                    clique.dedup();
                    clique
                })
                .collect();
            let (dense, lu) = factored(size, &cliques, seed);
            let mut reference = Lu::identity(size);
            reference.factor(&dense).unwrap();
            assert_eq!(lu.determinant_sign(), dense.determinant().signum());
            let b: Vec<f64> = (0..size).map(|_| random(seed)).collect();
            let ordered: Vec<f64> = lu.order().iter().map(|&i| b[i]).collect();
            for transposed in [false, true] {
                let (mut x, mut expected) = (ordered.clone(), b.clone());
                if transposed {
                    lu.solve_transposed_in_place(&mut x);
                    reference.solve_transposed_in_place(&mut expected).unwrap();
                } else {
                    lu.solve_in_place(&mut x);
                    reference.solve_in_place(&mut expected).unwrap();
                }
                let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                for (x, &i) in x.iter().zip(lu.order()) {
                    let error = (x - expected[i]).abs();
                    assert!(error < 1e-6 * scale * scale, "{x} {}", expected[i]);
                }
            }
        }
    }

    #[test]
    fn a_tree_has_no_fill_in() {
        // A trunk of six with four branches of three, as of a robot with legs.
        let trunk = 0..6;
        let branches = (0..4).map(|leg| 6 + 3 * leg..9 + 3 * leg);
        let cliques: Vec<Vec<usize>> = branches.map(|b| trunk.clone().chain(b).collect()).collect();
        let (_, lu) = factored(18, &cliques, &mut 7);
        // Of fronts of nine, of which one takes the trunk with it.
        assert!(lu.len() <= 4 * 9 * 9, "{}", lu.len());
    }
}
