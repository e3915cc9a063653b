//! Comparison of a Jacobian with finite differences, for tests.

use super::drivers::jacobian;
use super::function::VectorFunction;
use crate::InvalidInput;
use nalgebra::{DMatrix, DVector};
use std::fmt;

/// Number of step sizes tried in a column.
const STEPS: usize = 9;
/// Ratio of successive step sizes.
const SHRINK: f64 = 4.0;
/// The first step, as a fraction of the scale of the variable.
const FIRST_STEP: f64 = 1.0 / 128.0;

/// Compares a Jacobian with central differences.
///
/// # Method
/// For every column the central difference `(f(x + h eⱼ) − f(x − h eⱼ))/2h` is taken at a falling
/// sequence of steps, extrapolated to `h → 0` by Neville's scheme, and for every entry the
/// extrapolation with the smallest error estimate is kept (Ridders 1982, *Advances in Engineering
/// Software* 4(2), 75–76; the estimate is the change between neighbours in the scheme, plus the
/// round-off of the difference). No step has to be chosen by hand, and each difference comes with
/// its own error.
///
/// An entry is at a *kink* when the one-sided differences do not approach each other as `h` falls:
/// there is no derivative there, and neither value is wrong. It is *unresolved* when the differences
/// are too noisy to judge. Everything else that is further from the difference than the tolerance
/// and the error of the difference allow is a *mistake*.
///
/// ```
/// use dualbody::autodiff::{JacobianChecker, Verdict};
/// use nalgebra::{dmatrix, dvector};
///
/// // f(x, y) = (x y, |y|), claimed with a sign error in ∂f₀/∂x.
/// let f = |x: &[f64]| Ok::<_, dualbody::InvalidInput>(dvector![x[0] * x[1], x[1].abs()]);
/// let claimed = dmatrix![-3.0, 2.0; 0.0, 1.0];
/// let check = JacobianChecker::default().check(f, &[2.0, 3.0], &claimed)?;
/// let worst = check.worst().expect("the Jacobian is not empty");
/// assert_eq!((worst.row, worst.column, worst.verdict), (0, 0, Verdict::Mistake));
/// assert!((worst.difference - 3.0).abs() < 1e-9);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone)]
pub struct JacobianChecker {
    relative_tolerance: f64,
    absolute_tolerance: f64,
    scales: Option<Vec<f64>>,
}

impl Default for JacobianChecker {
    /// Relative tolerance 1e-6, absolute tolerance 1e-8, scale of a variable `max(|x|, 1)`.
    fn default() -> Self {
        JacobianChecker {
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-8,
            scales: None,
        }
    }
}

impl JacobianChecker {
    /// Sets how far an entry `J` may be from the difference `D`, beside the error of `D` itself:
    /// `absolute + relative · max(|J|, |D|)`.
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.relative_tolerance = relative;
        self.absolute_tolerance = absolute;
        self
    }

    /// Sets, for every variable, the change over which the function is expected to be smooth.
    ///
    /// Steps start at 1/128 of it. Variables of very different magnitude (a stiffness of 10⁶ beside
    /// a penetration of 10⁻⁵) need it.
    pub fn scales(mut self, scales: impl Into<Vec<f64>>) -> Self {
        self.scales = Some(scales.into());
        self
    }

    /// Compares `claimed` (m×n) with differences of `f` (m values) at `x` (n entries).
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, a scale is not positive or a value of `f` or entry
    /// of `x` is not finite, and the first error of `f`.
    pub fn check<E: From<InvalidInput>>(
        &self,
        mut f: impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
        x: &[f64],
        claimed: &DMatrix<f64>,
    ) -> Result<JacobianCheck, E> {
        InvalidInput::check_finite("x", x)?;
        InvalidInput::check_size("columns of the Jacobian", claimed.ncols(), x.len())?;
        let scales = match &self.scales {
            Some(scales) => scales.clone(),
            None => x.iter().map(|x| x.abs().max(1.0)).collect(),
        };
        InvalidInput::check_size("scales", scales.len(), x.len())?;
        InvalidInput::check_range("scales", &scales, "a positive number", |s| {
            s > 0.0 && s.is_finite()
        })?;
        let center = finite_value(&mut f, x, claimed.nrows())?;
        let mut point = x.to_vec();
        let mut entries = Vec::with_capacity(claimed.len());
        for (column, scale) in scales.into_iter().enumerate() {
            let samples = sample_column(
                &mut f,
                &mut point,
                column,
                scale * FIRST_STEP,
                claimed.nrows(),
            )?;
            for row in 0..claimed.nrows() {
                let difference = Difference::of_entry(&samples, &center, row);
                entries.push(self.judge(row, column, claimed[(row, column)], &difference));
            }
        }
        Ok(JacobianCheck { entries })
    }

    fn judge(&self, row: usize, column: usize, claimed: f64, d: &Difference) -> EntryCheck {
        let tolerance = |size: f64| self.absolute_tolerance + self.relative_tolerance * size;
        let allowed = tolerance(claimed.abs().max(d.value.abs()));
        let jump = (d.forward - d.backward).abs();
        let deviation = (claimed - d.value).abs();
        let verdict = if !d.value.is_finite() {
            Verdict::Unresolved
        } else if d.is_kink && jump > 10.0 * tolerance(d.forward.abs().max(d.backward.abs())) {
            Verdict::Kink
        } else if deviation <= allowed + d.error && d.error <= 100.0 * allowed {
            Verdict::Agrees
        } else if deviation <= d.error {
            Verdict::Unresolved
        } else {
            Verdict::Mistake
        };
        EntryCheck {
            row,
            column,
            claimed,
            difference: d.value,
            difference_error: d.error,
            forward: d.forward,
            backward: d.backward,
            verdict,
            excess: deviation / allowed,
        }
    }
}

/// Compares the duals' Jacobian of `f` at `x` with central differences.
///
/// # Errors
/// As [`JacobianChecker::check`].
pub fn check_jacobian<F: VectorFunction>(
    checker: &JacobianChecker,
    f: &F,
    x: &[f64],
) -> Result<JacobianCheck, F::Error> {
    let (_, claimed) = jacobian(f, x)?;
    checker.check(|x| f.eval(x), x, &claimed)
}

/// What the comparison says of an entry, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The entry is the derivative, to the tolerance.
    Agrees,
    /// The differences are too noisy to tell.
    Unresolved,
    /// The one-sided derivatives differ: there is no derivative to compare with.
    Kink,
    /// The entry is not the derivative.
    Mistake,
}

/// The comparison of one entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EntryCheck {
    /// Row: which value of the function.
    pub row: usize,
    /// Column: which variable.
    pub column: usize,
    /// The entry of the Jacobian under test.
    pub claimed: f64,
    /// The extrapolated central difference.
    pub difference: f64,
    /// Estimated error of `difference`.
    pub difference_error: f64,
    /// One-sided difference towards larger values of the variable.
    pub forward: f64,
    /// One-sided difference towards smaller values of the variable.
    pub backward: f64,
    /// What this says of the entry.
    pub verdict: Verdict,
    /// Deviation as a multiple of the tolerance.
    pub excess: f64,
}

impl fmt::Display for EntryCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "∂f[{}]/∂x[{}]: claimed {:e}, central difference {:e} ± {:.1e} ({:.3e} times the \
             tolerance), forward {:e}, backward {:e}: {}",
            self.row,
            self.column,
            self.claimed,
            self.difference,
            self.difference_error,
            self.excess,
            self.forward,
            self.backward,
            match self.verdict {
                Verdict::Agrees => "agrees",
                Verdict::Unresolved => "the differences are too noisy to tell",
                Verdict::Kink => "the function has a kink here",
                Verdict::Mistake => "not the derivative",
            }
        )
    }
}

/// The comparison of all entries of a Jacobian.
#[derive(Debug, Clone, PartialEq)]
pub struct JacobianCheck {
    entries: Vec<EntryCheck>,
}

impl JacobianCheck {
    /// All entries, column by column.
    pub fn entries(&self) -> &[EntryCheck] {
        &self.entries
    }

    /// The entry with the worst verdict and, among those, the largest deviation; `None` for an
    /// empty Jacobian.
    pub fn worst(&self) -> Option<&EntryCheck> {
        self.entries
            .iter()
            .max_by(|a, b| (a.verdict.cmp(&b.verdict)).then(a.excess.total_cmp(&b.excess)))
    }

    /// Whether every entry agrees.
    pub fn agrees(&self) -> bool {
        self.entries.iter().all(|e| e.verdict == Verdict::Agrees)
    }

    /// Asserts that every entry agrees.
    ///
    /// # Panics
    /// Otherwise, with the worst entry and the number of entries of each kind. This is the
    /// assertion form for tests.
    #[track_caller]
    pub fn assert_agrees(&self) {
        assert!(self.agrees(), "{self}");
    }
}

impl fmt::Display for JacobianCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let count = |verdict| self.entries.iter().filter(|e| e.verdict == verdict).count();
        write!(
            f,
            "{} of {} entries of the Jacobian agree with central differences ({} mistakes, {} at \
             a kink, {} unresolved)",
            count(Verdict::Agrees),
            self.entries.len(),
            count(Verdict::Mistake),
            count(Verdict::Kink),
            count(Verdict::Unresolved),
        )?;
        match self.worst() {
            Some(worst) => write!(f, "; worst: {worst}"),
            None => Ok(()),
        }
    }
}

/// Values of the function on either side of the point at one step.
struct Sample {
    forward_step: f64,
    backward_step: f64,
    forward: DVector<f64>,
    backward: DVector<f64>,
}

fn sample_column<E: From<InvalidInput>>(
    f: &mut impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
    point: &mut [f64],
    column: usize,
    first_step: f64,
    rows: usize,
) -> Result<Vec<Sample>, E> {
    let x = point[column];
    let mut samples = Vec::with_capacity(STEPS);
    for i in 0..STEPS {
        let h = first_step / SHRINK.powi(i as i32);
        point[column] = x + h;
        let (forward, forward_step) = (finite_value(f, point, rows)?, point[column] - x);
        point[column] = x - h;
        let (backward, backward_step) = (finite_value(f, point, rows)?, x - point[column]);
        if forward_step > 0.0 && backward_step > 0.0 {
            samples.push(Sample {
                forward_step,
                backward_step,
                forward,
                backward,
            });
        }
    }
    point[column] = x;
    Ok(samples)
}

fn finite_value<E: From<InvalidInput>>(
    f: &mut impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
    x: &[f64],
    rows: usize,
) -> Result<DVector<f64>, E> {
    let y = f(x)?;
    InvalidInput::check_size("value of the function", y.len(), rows)?;
    InvalidInput::check_finite("value of the function", y.as_slice())?;
    Ok(y)
}

/// The best finite difference of one entry.
struct Difference {
    value: f64,
    error: f64,
    forward: f64,
    backward: f64,
    is_kink: bool,
}

impl Difference {
    fn of_entry(samples: &[Sample], center: &DVector<f64>, row: usize) -> Difference {
        let f0 = center[row];
        let mut best = Difference {
            value: f64::NAN,
            error: f64::INFINITY,
            forward: f64::NAN,
            backward: f64::NAN,
            is_kink: false,
        };
        let mut previous: Vec<f64> = Vec::new();
        for sample in samples {
            let (plus, minus) = (sample.forward[row], sample.backward[row]);
            let width = sample.forward_step + sample.backward_step;
            let magnitude = f0.abs().max(plus.abs()).max(minus.abs());
            let roundoff = 4.0 * f64::EPSILON * magnitude / width;
            let mut current = vec![(plus - minus) / width];
            for (order, &coarser) in previous.iter().enumerate() {
                let finer = current[order];
                let factor = SHRINK.powi(2 * (order as i32 + 1)) - 1.0;
                let extrapolated = finer + (finer - coarser) / factor;
                let error = (extrapolated - finer)
                    .abs()
                    .max((extrapolated - coarser).abs())
                    + roundoff;
                if error < best.error {
                    best.value = extrapolated;
                    best.error = error;
                }
                current.push(extrapolated);
            }
            previous = current;
        }
        best.compare_sides(samples, f0, row);
        best
    }

    /// Looks at the one-sided differences `D⁺` and `D⁻`.
    ///
    /// As `h` falls, `h |D⁺ − D⁻|` falls like `h²` where the function is smooth, like `h` at a kink,
    /// and not at all once it is noise. The two finest steps measure the noise.
    fn compare_sides(&mut self, samples: &[Sample], f0: f64, row: usize) {
        let sides = |sample: &Sample| {
            let forward = (sample.forward[row] - f0) / sample.forward_step;
            let backward = (f0 - sample.backward[row]) / sample.backward_step;
            (forward, backward)
        };
        let [clear @ .., _, fine, finest] = samples else {
            return;
        };
        let opening = |sample: &Sample| {
            let (forward, backward) = sides(sample);
            (forward - backward).abs() * sample.forward_step
        };
        let noise = opening(fine).max(opening(finest));
        let [.., coarse, medium, last] = clear else {
            return;
        };
        (self.forward, self.backward) = sides(last);
        let openings = [coarse, medium, last].map(opening);
        self.is_kink = openings[2] > 8.0 * noise
            && openings
                .windows(2)
                .all(|pair| (0.7..1.45).contains(&(pair[0] / (SHRINK * pair[1]))));
    }
}
