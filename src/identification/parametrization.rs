//! Parametrisations: model parameters as functions of unknowns.

use super::error::IdentificationError;
use super::log_cholesky::LogCholesky;
use super::unknown::Unknown;
use crate::math::SpatialInertia;
use crate::parameter::ParameterInfo;
use crate::{DefaultScalar, InvalidInput};
use nalgebra::{DMatrix, DVector};

/// How the parameters of a [`LinearExperiment`](super::LinearExperiment) follow from the unknowns of a
/// fit.
pub trait Parametrization: Sync {
    /// Writes the parameters of the given unknowns.
    ///
    /// # Errors
    /// [`InvalidInput`] when there is another number of either.
    fn parameters<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        parameters: &mut [T],
    ) -> Result<(), InvalidInput>;
}

/// The unknowns are the parameters.
impl Parametrization for () {
    fn parameters<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        parameters: &mut [T],
    ) -> Result<(), InvalidInput> {
        InvalidInput::check_size("unknowns", unknowns.len(), parameters.len())?;
        parameters.copy_from_slice(unknowns);
        Ok(())
    }
}

/// Bodies whose ten [standard parameters](crate::tree::RigidBodyTree::standard_parameters) are those of
/// a distribution of mass, by [`LogCholesky`]; all other parameters are unknowns themselves.
///
/// What the data do not determine stays where it starts, so that guesses from a drawing fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsistentInertias {
    /// First of the ten parameters of each body, ascending.
    starts: Vec<usize>,
}

impl ConsistentInertias {
    /// For the bodies whose ten parameters begin at these places, ascending.
    ///
    /// # Errors
    /// [`InvalidInput`] when two overlap.
    pub fn new(starts: impl Into<Vec<usize>>) -> Result<Self, InvalidInput> {
        let starts = starts.into();
        for (index, pair) in starts.windows(2).enumerate() {
            if pair[1] < pair[0].saturating_add(LogCholesky::COUNT) {
                return Err(InvalidInput::OutOfRange {
                    quantity: "first parameter of the body",
                    index: Some(index + 1),
                    value: pair[1] as f64,
                    expected: "behind the ten of the body before",
                });
            }
        }
        Ok(ConsistentInertias { starts })
    }

    /// The unknowns with these parameters as first guesses, in the same places; those of a body are
    /// called `body/NAME/alpha` and so on.
    ///
    /// # Errors
    /// [`IdentificationError::Invalid`] for inertias that [`LogCholesky::values`] refuses or fewer
    /// parameters, and as [`Unknown::from_parameter`].
    pub fn unknowns(&self, guesses: &[ParameterInfo]) -> Result<Vec<Unknown>, IdentificationError> {
        let mut unknowns: Vec<Unknown> = (guesses.iter())
            .map(Unknown::from_parameter)
            .collect::<Result<_, _>>()?;
        for &start in &self.starts {
            let ten = guesses.get(start..start.saturating_add(LogCholesky::COUNT));
            let ten = ten.ok_or(self.too_few(guesses.len()))?;
            let inertia =
                SpatialInertia::from_standard_parameters(&std::array::from_fn(|k| ten[k].value))?;
            let name = ten[0].name.strip_suffix("/mass").unwrap_or(&ten[0].name);
            let body = LogCholesky::unknowns(name, &inertia)?;
            unknowns.splice(start..start + LogCholesky::COUNT, body);
        }
        Ok(unknowns)
    }

    fn too_few(&self, count: usize) -> InvalidInput {
        InvalidInput::OutOfRange {
            quantity: "number of parameters",
            index: None,
            value: count as f64,
            expected: "ten for every body",
        }
    }
}

impl Parametrization for ConsistentInertias {
    fn parameters<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        parameters: &mut [T],
    ) -> Result<(), InvalidInput> {
        ().parameters(unknowns, parameters)?;
        for &start in &self.starts {
            let ten = start..start.saturating_add(LogCholesky::COUNT);
            let count = parameters.len();
            let parameters = parameters.get_mut(ten.clone()).ok_or(self.too_few(count))?;
            let inertia = LogCholesky::inertia(&std::array::from_fn(|k| unknowns[start + k]));
            parameters.copy_from_slice(&inertia.to_standard_parameters());
        }
        Ok(())
    }
}

/// Linear equations `A π = b` that parameters obey exactly: a total mass, equal motors, a centre on an
/// axis.
///
/// Gauss–Jordan elimination with complete pivoting solves them for one parameter each; the others
/// remain as unknowns: `π = B x + c`.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualityConstraints {
    remaining: Vec<usize>,
    /// `B`, parameters × unknowns.
    map: DMatrix<f64>,
    /// `c`.
    constant: DVector<f64>,
}

impl EqualityConstraints {
    /// Of the equations `A π = b` on the parameters that these unknowns are. Equations that follow from
    /// others do not count.
    ///
    /// Parameters with bounds are not eliminated, so that the bounds hold; they remain unknowns. For an equation
    /// that holds no others, as of masses only, make one of them an unknown without bounds.
    ///
    /// # Errors
    /// [`InvalidInput`] for sizes that do not fit, entries that are not finite, and equations that
    /// contradict each other or hold parameters with bounds only.
    pub fn new(unknowns: &[Unknown], a: &DMatrix<f64>, b: &[f64]) -> Result<Self, InvalidInput> {
        let (rows, n) = (b.len(), unknowns.len());
        InvalidInput::check_size("rows of A", a.nrows(), rows)?;
        InvalidInput::check_size("columns of A", a.ncols(), n)?;
        InvalidInput::check_finite("A", a.as_slice())?;
        InvalidInput::check_finite("b", b)?;
        let mut equations = a.clone().insert_column(n, 0.0);
        equations.set_column(n, &DVector::from_column_slice(b));
        // Relative to a change of every parameter by its scale.
        let scale = |j: usize| unknowns[j].slope(unknowns[j].initial());
        let size = |equations: &DMatrix<f64>, i: usize| {
            (0..n)
                .map(|j| (equations[(i, j)] * scale(j)).abs())
                .fold(0.0, f64::max)
        };
        let sizes: Vec<f64> = (0..rows).map(|i| size(&equations, i)).collect();
        let negligible = |i: usize| n as f64 * f64::EPSILON * sizes[i] * 16.0;
        let is_free = |j: usize| {
            unknowns[j].lower() == f64::NEG_INFINITY && unknowns[j].upper() == f64::INFINITY
        };
        let mut pivots: Vec<(usize, usize)> = Vec::new();
        loop {
            let open = (0..rows).filter(|&i| pivots.iter().all(|p| p.0 != i));
            let candidates = open.flat_map(|i| (0..n).filter(|&j| is_free(j)).map(move |j| (i, j)));
            let part =
                |(i, j): &(usize, usize)| (equations[(*i, *j)] * scale(*j)).abs() / sizes[*i];
            let best = candidates
                .filter(|&(i, j)| (equations[(i, j)] * scale(j)).abs() > negligible(i))
                .max_by(|x, y| part(x).total_cmp(&part(y)));
            let Some((row, column)) = best else { break };
            let pivot = equations.row(row) / equations[(row, column)];
            for i in (0..rows).filter(|&i| i != row) {
                let factor = equations[(i, column)];
                for j in 0..=n {
                    equations[(i, j)] -= factor * pivot[j];
                }
                equations[(i, column)] = 0.0;
            }
            equations.set_row(row, &pivot);
            pivots.push((row, column));
        }
        for i in (0..rows).filter(|&i| pivots.iter().all(|p| p.0 != i)) {
            let left = equations[(i, n)];
            let quantity = "what an equation leaves when the others are subtracted";
            let solvable = size(&equations, i) <= negligible(i);
            let expected = match solvable {
                true => "zero, so that they do not contradict each other",
                false => "an equation that holds an unknown without bounds",
            };
            InvalidInput::check_range(quantity, &[left], expected, |left| {
                solvable && left.abs() <= negligible(i).max(1e-12 * b[i].abs())
            })?;
        }
        let remaining: Vec<usize> = (0..n)
            .filter(|j| pivots.iter().all(|p| p.1 != *j))
            .collect();
        let mut map = DMatrix::zeros(n, remaining.len());
        let mut constant = DVector::zeros(n);
        for (k, &j) in remaining.iter().enumerate() {
            map[(j, k)] = 1.0;
            for &(row, column) in &pivots {
                map[(column, k)] = -equations[(row, j)];
            }
        }
        for (row, column) in pivots {
            constant[column] = equations[(row, n)];
        }
        Ok(EqualityConstraints {
            remaining,
            map,
            constant,
        })
    }

    /// The parameters that remain unknowns.
    pub fn remaining(&self) -> &[usize] {
        &self.remaining
    }

    /// `B`, the derivatives of all parameters with respect to the remaining ones:
    /// [`Fit::standard_errors_of`](super::Fit::standard_errors_of) takes it to the standard errors of
    /// all.
    pub fn derivatives(&self) -> &DMatrix<f64> {
        &self.map
    }
}

impl Parametrization for EqualityConstraints {
    fn parameters<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        parameters: &mut [T],
    ) -> Result<(), InvalidInput> {
        InvalidInput::check_size("unknowns", unknowns.len(), self.remaining.len())?;
        InvalidInput::check_size("parameters", parameters.len(), self.constant.len())?;
        for (parameter, (row, &constant)) in
            (parameters.iter_mut()).zip(self.map.row_iter().zip(&self.constant))
        {
            *parameter = (row.iter().zip(unknowns))
                .filter(|(weight, _)| **weight != 0.0)
                .fold(T::from(constant), |sum, (&weight, &x)| sum + x * weight);
        }
        Ok(())
    }
}
