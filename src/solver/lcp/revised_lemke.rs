//! Lemke's method in revised form: every basis is factored anew from the data.
//!
//! The path is that of [`lemke`](super::lemke). A dictionary carries the round-off of every pivot on to the next; here a
//! pivot solves three systems with the matrix of its basis: for the basic variables, for how they change with the entering
//! one, and for how they change with a vector `p > 0`, as if `q` were `q + ε p` with a small `ε`. Its entries repeat no pattern, so
//! they decide between rows that tie in `q` as the lexicographic rule would.
//!
//! The first variables may be free: they are basic from the start, and stay so.
//!
//! # Reference
//! Cottle, Pang & Stone 1992, *The Linear Complementarity Problem*, §4.4 (method) and 4.10 (factored bases).

use super::lemke::Ending;
use super::scaling::larger;
use crate::math::{Factorization, Lu};

/// A problem that is scaled, its basis, and what the last factor answered. Variables are numbered as in a
/// [`Dictionary`](super::dictionary::Dictionary).
#[derive(Debug, Clone)]
pub(super) struct RevisedLemke {
    size: usize,
    free: usize,
    /// Column by column.
    matrix: Vec<f64>,
    vector: Vec<f64>,
    cover: Vec<f64>,
    nudge: Vec<f64>,
    is_basic: Vec<bool>,
    /// Rows whose `w` is not basic, and the basic `z` and `z₀`.
    rows: Vec<usize>,
    columns: Vec<usize>,
    lu: Lu,
    given: Vec<f64>,
    solution: Vec<f64>,
    correction: Vec<f64>,
    constants: Vec<f64>,
    nudges: Vec<f64>,
    slopes: Vec<f64>,
}

/// Slopes smaller than this, relative to the largest or to 0.01, are round-off.
const NOISE: f64 = 1e-11;
/// Constants that are smaller, relative to the largest or to 1, may be zeros. The largest are forces between heavy bodies,
/// the smallest velocities of light ones.
const ZERO: f64 = 1e-16;
const REFINEMENTS: usize = 1;

impl RevisedLemke {
    pub fn new() -> Self {
        RevisedLemke {
            size: 0,
            free: 0,
            matrix: Vec::new(),
            vector: Vec::new(),
            cover: Vec::new(),
            nudge: Vec::new(),
            is_basic: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            lu: Lu::identity(0),
            given: Vec::new(),
            solution: Vec::new(),
            correction: Vec::new(),
            constants: Vec::new(),
            nudges: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// Takes over a problem of some size: `entry(i, j)` is that of `M`, `constant(i)` of `q`, and `cover(i)` and `nudge(i)` are
    /// positive.
    pub fn load(
        &mut self,
        (size, free): (usize, usize),
        entry: impl Fn(usize, usize) -> f64,
        constant: impl Fn(usize) -> f64,
        cover: impl Fn(usize) -> f64,
        nudge: impl Fn(usize) -> f64,
    ) {
        (self.size, self.free) = (size, free);
        self.matrix.clear();
        for j in 0..size {
            self.matrix.extend((0..size).map(|i| entry(i, j)));
        }
        let bounded = |i: usize, value: f64| if i < free { 0.0 } else { value };
        self.vector.clear();
        self.vector.extend((0..size).map(constant));
        self.cover.clear();
        self.cover.extend((0..size).map(|i| bounded(i, cover(i))));
        self.nudge.clear();
        self.nudge.extend((0..size).map(|i| bounded(i, nudge(i))));
        self.is_basic.clear();
        self.is_basic.resize(2 * size + 1, false);
        self.is_basic[free..size + free].fill(true);
    }

    /// Follows the path.
    pub fn solve(&mut self, limit: usize, pivots: &mut usize) -> Ending {
        let (n, z0) = (self.size, 2 * self.size);
        if !self.evaluate() {
            return Ending::PivotLimit;
        }
        let Some(first) = self.most_negative() else {
            return Ending::Complementary;
        };
        self.exchange(first, z0);
        *pivots += 1;
        let mut leaving = first;
        for _ in 1..limit {
            let entering = if leaving < n {
                leaving + n
            } else {
                leaving - n
            };
            if !self.evaluate() || !self.evaluate_slopes(entering) {
                return Ending::PivotLimit;
            }
            let Some(next) = self.blocking() else {
                return Ending::Ray;
            };
            leaving = next;
            self.exchange(leaving, entering);
            *pivots += 1;
            if leaving == z0 {
                return match self.evaluate() {
                    true => Ending::Complementary,
                    false => Ending::PivotLimit,
                };
            }
        }
        Ending::PivotLimit
    }

    /// The value of `zᵢ`, if it is basic.
    pub fn z(&self, i: usize) -> Option<f64> {
        let variable = self.size + i;
        self.is_basic[variable].then(|| self.constants[variable])
    }

    fn exchange(&mut self, leaving: usize, entering: usize) {
        self.is_basic[leaving] = false;
        self.is_basic[entering] = true;
    }

    /// Factors the basis, and evaluates constants and nudges; whether it has a factor.
    fn evaluate(&mut self) -> bool {
        let n = self.size;
        self.rows.clear();
        self.rows.extend((0..n).filter(|&i| !self.is_basic[i]));
        self.columns.clear();
        self.columns
            .extend((0..=n).filter(|&j| self.is_basic[n + j]));
        let (rows, columns) = (&self.rows, &self.columns);
        let (matrix, cover) = (&self.matrix, &self.cover);
        let factored = self.lu.factor_dense(rows.len(), |factors| {
            let entries = factors.chunks_exact_mut(rows.len().max(1));
            for (entries, &j) in entries.zip(columns) {
                let source = column(matrix, cover, j);
                for (entry, &i) in entries.iter_mut().zip(rows) {
                    *entry = source[i];
                }
            }
        });
        if factored.is_err() {
            return false;
        }
        let mut constants = std::mem::take(&mut self.constants);
        constants.clear();
        constants.extend_from_slice(&self.vector);
        let answered = self.answer(&mut constants);
        self.constants = constants;
        let mut nudges = std::mem::take(&mut self.nudges);
        nudges.clear();
        nudges.extend_from_slice(&self.nudge);
        let answered = answered && self.answer(&mut nudges);
        self.nudges = nudges;
        answered
    }

    /// Evaluates how basic variables change with one that enters.
    fn evaluate_slopes(&mut self, entering: usize) -> bool {
        let n = self.size;
        let mut slopes = std::mem::take(&mut self.slopes);
        slopes.clear();
        if entering < n {
            slopes.resize(n, 0.0);
            slopes[entering] = -1.0;
        } else {
            slopes.extend_from_slice(column(&self.matrix, &self.cover, entering - n));
        }
        let answered = self.answer(&mut slopes);
        self.slopes = slopes;
        answered
    }

    /// Puts in place of a right-hand side `r` the basic variables for which `M z + d z₀ + r = w`, all others being zero. Rows
    /// with terms of very unequal sizes hold to the round-off of their own after one step of refinement (Skeel 1980,
    /// *Mathematics of Computation* 35, 817–832).
    fn answer(&mut self, values: &mut Vec<f64>) -> bool {
        let n = self.size;
        self.given.clone_from(values);
        self.solution.clear();
        self.solution.resize(self.rows.len(), 0.0);
        for _ in 0..=REFINEMENTS {
            self.correction.clear();
            self.correction.extend(self.rows.iter().map(|&i| values[i]));
            if self.lu.solve_in_place(&mut self.correction).is_err() {
                return false;
            }
            values.copy_from_slice(&self.given);
            let corrected = self.solution.iter_mut().zip(&self.correction);
            for ((x, d), &j) in corrected.zip(&self.columns) {
                *x -= d;
                if *x != 0.0 {
                    let column = column(&self.matrix, &self.cover, j);
                    (values.iter_mut().zip(column)).for_each(|(w, m)| *w += m * *x);
                }
            }
        }
        values.resize(2 * n + 1, 0.0);
        let (w, z) = values.split_at_mut(n);
        for (&j, &x) in self.columns.iter().zip(&self.solution) {
            z[j] = x;
        }
        self.rows.iter().for_each(|&i| w[i] = 0.0);
        values.iter().all(|x| x.is_finite())
    }

    /// The `w` that needs the largest `z₀`, if any needs one.
    fn most_negative(&self) -> Option<usize> {
        let need = |values: &[f64], i: usize| -values[i] / self.cover[i];
        (self.free..self.size)
            .filter(|&i| self.constants[i] < 0.0)
            .max_by(|&i, &j| {
                let by = |values| need(values, i).total_cmp(&need(values, j));
                by(&self.constants).then(by(&self.nudges))
            })
    }

    /// The basic variable that first falls to zero when the entering one grows, `z₀` where it is one of several: a ratio test
    /// in two passes (Harris 1973, *Mathematical Programming* 5, 1–28).
    fn blocking(&self) -> Option<usize> {
        let (n, z0) = (self.size, 2 * self.size);
        let largest = |values: &[f64], least: f64| {
            let basic = values.iter().zip(&self.is_basic).filter(|(_, is)| **is);
            basic.fold(least, |most, (x, _)| larger(most, x.abs()))
        };
        let noise = NOISE * largest(&self.slopes, 0.01);
        let zero = ZERO * largest(&self.constants, 1.0);
        let falls = |&v: &usize| self.is_basic[v] && self.slopes[v] < -noise;
        let falling = || (self.free..n).chain(n + self.free..=z0).filter(falls);
        let constant = |v: usize| self.constants[v].max(0.0);
        let reach = falling()
            .map(|v| (constant(v) + zero) / -self.slopes[v])
            .fold(f64::INFINITY, f64::min);
        let ties = || falling().filter(|&v| constant(v) <= -self.slopes[v] * reach);
        let nudged = |v: usize| self.nudges[v] / -self.slopes[v];
        ties()
            .find(|&v| v == z0)
            .or_else(|| ties().min_by(|&u, &v| nudged(u).total_cmp(&nudged(v))))
    }
}

/// The column of `zⱼ`, or of `z₀` after the last.
fn column<'a>(matrix: &'a [f64], cover: &'a [f64], j: usize) -> &'a [f64] {
    let n = cover.len();
    if j < n {
        &matrix[j * n..(j + 1) * n]
    } else {
        cover
    }
}
