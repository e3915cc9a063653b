//! Base parameters: the combinations of parameters that linear measurements determine.

use super::r_factor::RFactor;
use crate::InvalidInput;
use nalgebra::{DMatrix, DVector};
use std::fmt::Write;

/// A derivative that is smaller than this part of the largest in its row is round-off.
const ROUND_OFF: f64 = 4096.0 * f64::EPSILON;

/// The *base parameters* of a regressor: the fewest combinations of parameters on which what it
/// predicts depends.
///
/// # Mathematics
/// With columns scaled to norm 1, QR with column pivoting orders them so that
///
/// ```text
/// Y P = Q ⎡ R₁₁  R₁₂ ⎤      Y π = Y₁ (π₁ + K π₂),   K = R₁₁⁻¹ R₁₂
///         ⎣  0    0  ⎦
/// ```
///
/// where `R₁₁` holds the pivots that are above the tolerance times the first. The `Y₁` are independent
/// columns, each of which stands for one base parameter `β = π₁ + K π₂` (Gautier 1991, *Numerical
/// calculation of the base inertial parameters of robots*, J. Robotic Systems 8(4), 485–506; pivoting
/// and rank: Golub & Van Loan, *Matrix Computations*, 4th ed., §5.4). A column whose entries are
/// below 4096 ε of the largest of their rows is zero: its parameter has no effect.
///
/// The regressor should stack many states that move all coordinates; combinations are then those of
/// the mechanism, with fewer states those that the motion tells apart.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BaseParameters {
    /// Column of the regressor that stands for each base parameter, in ascending order.
    pub columns: Vec<usize>,
    /// `β = C π`, base parameters × parameters.
    pub combinations: DMatrix<f64>,
    /// Columns of parameters that have no effect.
    pub without_effect: Vec<usize>,
    names: Vec<String>,
}

impl BaseParameters {
    /// Of a regressor, measurements × parameters, whose columns have these names. A pivot below
    /// `tolerance` (1e-10 for a regressor that is computed in `f64`) times the largest is none.
    ///
    /// # Errors
    /// [`InvalidInput`] for an entry that is not finite, another number of names, or a tolerance that is
    /// not between 0 and 1.
    pub fn of(
        regressor: &DMatrix<f64>,
        names: impl IntoIterator<Item = impl Into<String>>,
        tolerance: f64,
    ) -> Result<Self, InvalidInput> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let (m, n) = regressor.shape();
        InvalidInput::check_size("names of the parameters", names.len(), n)?;
        InvalidInput::check_finite("regressor", regressor.as_slice())?;
        InvalidInput::check_range("rank tolerance", &[tolerance], "between 0 and 1", |t| {
            0.0 < t && t < 1.0
        })?;
        let largest: Vec<f64> = regressor.row_iter().map(|row| row.amax()).collect();
        let (mut effective, without_effect): (Vec<usize>, Vec<usize>) = (0..n).partition(|&j| {
            let column = regressor.column(j);
            (column.iter().zip(&largest)).any(|(y, largest)| y.abs() > ROUND_OFF * largest)
        });
        let scales: Vec<f64> = (effective.iter())
            .map(|&j| {
                let column = regressor.column(j);
                column.amax() * (column / column.amax()).norm()
            })
            .collect();
        InvalidInput::check_finite("norms of the columns of the regressor", &scales)?;
        let mut scaled = DMatrix::zeros(m, effective.len() + 1);
        for ((mut column, &j), scale) in scaled.column_iter_mut().zip(&effective).zip(&scales) {
            column.copy_from(&(regressor.column(j) / *scale));
        }
        let mut r_factor = RFactor::new(effective.len());
        r_factor.fold(scaled.as_mut_slice());
        let qr = r_factor.jacobian().col_piv_qr();
        let r = qr.r();
        let mut order = DMatrix::from_fn(1, effective.len(), |_, j| j);
        qr.p().permute_columns(&mut order);
        let rank = (0..r.nrows().min(r.ncols()))
            .take_while(|&k| r[(k, k)].abs() > tolerance * r[(0, 0)].abs())
            .count();
        let (independent, dependent) = order.as_slice().split_at(rank);
        let mut weights = r.view((0, rank), (rank, dependent.len())).into_owned();
        r.view((0, 0), (rank, rank))
            .solve_upper_triangular_mut(&mut weights);
        // In the order of the parameters.
        let mut rows: Vec<usize> = (0..rank).collect();
        rows.sort_by_key(|&i| independent[i]);
        let mut combinations = DMatrix::zeros(rank, n);
        for (row, &i) in rows.iter().enumerate() {
            let base = independent[i];
            combinations[(row, effective[base])] = 1.0;
            for (k, &j) in dependent.iter().enumerate() {
                if weights[(i, k)].abs() > tolerance {
                    combinations[(row, effective[j])] =
                        weights[(i, k)] * (scales[j] / scales[base]);
                }
            }
        }
        effective = rows.iter().map(|&i| effective[independent[i]]).collect();
        Ok(BaseParameters {
            columns: effective,
            combinations,
            without_effect,
            names,
        })
    }

    /// Number of base parameters, the rank of the regressor.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// What each base parameter is, like `"link2/mass + 0.3 link3/mass"`, with coefficients to four
    /// digits.
    pub fn names(&self) -> Vec<String> {
        (self.columns.iter().zip(self.combinations.row_iter()))
            .map(|(&base, row)| {
                let mut name = self.names[base].clone();
                for (j, &weight) in row.iter().enumerate() {
                    if weight == 0.0 || j == base {
                        continue;
                    }
                    let sign = if weight < 0.0 { '-' } else { '+' };
                    let _ = write!(name, " {sign} ");
                    if (weight.abs() - 1.0).abs() > 5e-5 {
                        let _ = write!(name, "{} ", four_digits(weight.abs()));
                    }
                    name.push_str(&self.names[j]);
                }
                name
            })
            .collect()
    }

    /// The columns of a regressor that belong to the base parameters: `Y π = Y₁ β`.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of columns.
    pub fn regressor(&self, regressor: &DMatrix<f64>) -> Result<DMatrix<f64>, InvalidInput> {
        let expected = self.names.len();
        InvalidInput::check_size("columns of the regressor", regressor.ncols(), expected)?;
        Ok(regressor.select_columns(&self.columns))
    }

    /// Values of the base parameters, `C π`.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of parameters.
    pub fn values(&self, parameters: &[f64]) -> Result<DVector<f64>, InvalidInput> {
        InvalidInput::check_size("parameters", parameters.len(), self.names.len())?;
        Ok(&self.combinations * DVector::from_column_slice(parameters))
    }
}

/// A positive number, without needless zeros.
fn four_digits(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if (1e-4..1e5).contains(&rounded) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}
