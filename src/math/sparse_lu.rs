//! Multifrontal LU factorisation of a sparse `f64` matrix with a symmetric pattern.
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

/// Pivots that are eliminated before the columns to their right are updated: those of a free body.
const PANEL: usize = 6;
/// Columns of the factors that a solution goes through at a time.
const COLUMNS: usize = 4;

/// `A = L U` of a sparse matrix, in the order of its elimination.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseLu {
    /// The original index of every index in the order.
    order: Vec<usize>,
    fronts: Vec<Front>,
    /// The front that eliminates each index.
    front_of: Vec<usize>,
    /// Indices after the own ones of each front that its elimination touches; the same as runs; and where the next
    /// front has the first of each run, and the others after it.
    rows: Vec<usize>,
    runs: Vec<Range<usize>>,
    targets: Vec<usize>,
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
            for run in &self.runs[front.runs.clone()] {
                self.targets.push(self.position(front.next, run.start));
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
    pub fn position(&self, front: usize, index: usize) -> usize {
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

    /// The front that eliminates an index of the order; of the first one of a clique, it touches all members.
    pub fn front_of(&self, index: usize) -> usize {
        self.front_of[index]
    }

    /// The first value of a front, and its number of rows.
    pub fn place(&self, front: usize) -> (usize, usize) {
        (self.fronts.get(front)).map_or((0, 0), |front| (front.start, front.size()))
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
                let size = next.size();
                let to = &mut after[next.start - front.values().end..][..size * size];
                let runs = front.runs.clone();
                let runs = self.runs[runs.clone()].iter().zip(&self.targets[runs]);
                let mut column = own.len();
                for (run, &target) in runs.clone() {
                    for to in to[target * size..].chunks_exact_mut(size).take(run.len()) {
                        let mut from = &values[column * front.size()..][own.len()..front.size()];
                        for (run, &target) in runs.clone() {
                            let (rows, rest) = from.split_at(run.len());
                            let sums = to[target..][..rows.len()].iter_mut();
                            sums.zip(rows).for_each(|(y, x)| *y += x);
                            from = rest;
                        }
                        column += 1;
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
        self.reduce(b, |_| true, |_| false);
        self.substitute(b, |_| true);
    }

    /// As [`Self::solve_in_place`] at the indices of the fronts of a path, for a `b` that is zero at the others.
    pub fn solve_on_path<const N: usize>(&self, b: &mut [SVector<f64, N>], path: &[bool]) {
        self.reduce(b, |k| path[k], SVector::is_zero);
        self.substitute(b, |k| path[k]);
    }

    /// Adds the entries at the indices of other fronts to what [`Self::solve_on_path`] gives.
    pub fn solve_off_path(&self, b: &mut [f64], path: &[bool]) {
        self.substitute(b, |k| !path[k]);
    }

    /// Replaces `b` by `L⁻¹ b`.
    #[inline(always)]
    fn reduce<T: RightHandSide>(
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
                if row != p {
                    x.swap(p, row);
                }
            }
            let size = front.size();
            let values = &self.values[front.values()];
            for start in (0..own.len()).step_by(COLUMNS) {
                let end = own.len().min(start + COLUMNS);
                let column = |p: usize| &values[p * size..(p + 1) * size];
                for p in start..end {
                    let (x, rest) = x[p..end].split_at_mut(1);
                    subtract(rest, [&column(p)[p + 1..end]], [&x[0]]);
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
                    subtract_few(y, done.len(), column, |k| &done[k]);
                };
                update(rest);
                runs.for_each(|run| update(&mut others[run]));
            }
        }
    }

    /// Replaces `b` by `U⁻¹ b`.
    #[inline(always)]
    fn substitute<T: RightHandSide>(&self, b: &mut [T], is_wanted: impl Fn(usize) -> bool) {
        for (k, front) in self.fronts.iter().enumerate().rev() {
            if !is_wanted(k) {
                continue;
            }
            let (size, own) = (front.size(), front.own.clone());
            let values = &self.values[front.values()];
            let (x, others) = b[own.start..].split_at_mut(own.len());
            let rows = &self.rows[front.rows.clone()];
            let column = |k: usize| &values[(own.len() + k) * size..][..own.len()];
            for (k, rows) in rows.chunks(COLUMNS).enumerate() {
                let column = |i| column(COLUMNS * k + i);
                subtract_few(x, rows.len(), column, |i| &others[rows[i] - own.end]);
            }
            for (p, column) in values.chunks_exact(size).enumerate().take(x.len()).rev() {
                let (rest, x) = x[..=p].split_at_mut(p);
                x[0] /= column[p];
                subtract(rest, [&column[..p]], [&x[0]]);
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
                let u = target[p];
                let below = target[p + 1..].iter_mut().zip(&column[p + 1..]);
                below.for_each(|(y, l)| *y -= u * l);
            }
        }
        let (panel, rest) = values.split_at_mut(end * size);
        for (p, &row) in (start..end).zip(&exchanges[start..end]) {
            if row != p {
                let targets = rest.chunks_exact_mut(size);
                targets.for_each(|target| target.swap(p, row));
            }
        }
        let panel = &panel[start * size..];
        match end - start {
            1 => clear::<1>(panel, start, rest),
            2 => clear::<2>(panel, start, rest),
            3 => clear::<3>(panel, start, rest),
            4 => clear::<4>(panel, start, rest),
            5 => clear::<5>(panel, start, rest),
            _ => clear::<PANEL>(panel, start, rest),
        }
    }
    Ok(())
}

/// Eliminates with the `W` columns of a panel, whose pivots are in a row from `first` on, in the columns to their
/// right: two at a time, so that the panel is read half as often.
fn clear<const W: usize>(panel: &[f64], first: usize, rest: &mut [f64]) {
    let size = panel.len() / W;
    let below: [&[f64]; W] = std::array::from_fn(|k| &panel[k * size..][first + W..size]);
    for columns in rest.chunks_mut(2 * size) {
        let (one, other) = columns.split_at_mut(size);
        let (pivots, y) = one[first..].split_at_mut(W);
        let u = clear_pivots(panel, first, pivots);
        if other.is_empty() {
            subtract(y, below, u.each_ref());
            continue;
        }
        let (pivots, z) = other[first..].split_at_mut(W);
        let w = clear_pivots(panel, first, pivots);
        if [u, w] != [[0.0; W]; 2] {
            subtract_from_two([y, z], below, [u, w]);
        }
    }
}

/// Replaces entries of a column in the rows of the pivots by those of U.
#[inline(always)]
fn clear_pivots<const W: usize>(panel: &[f64], first: usize, pivots: &mut [f64]) -> [f64; W] {
    let size = panel.len() / W;
    let mut u = [0.0; W];
    for k in 0..W {
        u[k] = pivots[k];
        for i in 0..k {
            u[k] -= panel[i * size + first + k] * u[i];
        }
        pivots[k] = u[k];
    }
    u
}

/// `y ← y − Σ uₖ cₖ` and `z ← z − Σ wₖ cₖ`.
#[inline(always)]
fn subtract_from_two<const W: usize>(
    [y, z]: [&mut [f64]; 2],
    columns: [&[f64]; W],
    [u, w]: [[f64; W]; 2],
) {
    let n = y.len();
    let (z, columns) = (&mut z[..n], columns.map(|column| &column[..n]));
    for i in 0..n {
        let mut sums = [u[0] * columns[0][i], w[0] * columns[0][i]];
        for k in 1..W {
            sums[0] += u[k] * columns[k][i];
            sums[1] += w[k] * columns[k][i];
        }
        y[i] -= sums[0];
        z[i] -= sums[1];
    }
}

/// `y ← y − Σ xₖ cₖ`, of so many, at most as many as a solution goes through at a time.
#[inline(always)]
fn subtract_few<'a, T: RightHandSide + 'a>(
    y: &mut [T],
    count: usize,
    column: impl Fn(usize) -> &'a [f64],
    x: impl Fn(usize) -> &'a T,
) {
    match count {
        0 => {}
        1 => subtract(y, [0].map(column), [0].map(x)),
        2 => subtract(y, [0, 1].map(column), [0, 1].map(x)),
        3 => subtract(y, [0, 1, 2].map(column), [0, 1, 2].map(x)),
        _ => subtract(y, [0, 1, 2, 3].map(column), [0, 1, 2, 3].map(x)),
    }
}

/// `y ← y − Σ xₖ cₖ`.
#[inline(always)]
fn subtract<T: RightHandSide, const W: usize>(y: &mut [T], columns: [&[f64]; W], x: [&T; W]) {
    let n = y.len();
    let columns = columns.map(|column| &column[..n]);
    for i in 0..n {
        let mut sum = *x[0] * columns[0][i];
        for k in 1..W {
            sum += *x[k] * columns[k][i];
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
