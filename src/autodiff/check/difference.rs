//! Differences of a function, extrapolated to steps of zero.

use crate::InvalidInput;
use nalgebra::DVector;

/// Number of step sizes tried in a column.
const STEPS: usize = 9;
/// Ratio of successive step sizes.
const SHRINK: f64 = 4.0;
/// The first step, as a fraction of the scale of the variable.
const FIRST_STEP: f64 = 1.0 / 128.0;

/// Values of the function on either side of the point at one step.
pub(super) struct Sample {
    forward_step: f64,
    backward_step: f64,
    forward: DVector<f64>,
    backward: DVector<f64>,
}

/// The values at falling steps along a variable, whose `scale` is the change over which the function is smooth.
pub(super) fn sample_column<E: From<InvalidInput>>(
    f: &mut impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
    point: &mut [f64],
    (column, scale): (usize, f64),
    rows: usize,
) -> Result<Vec<Sample>, E> {
    let x = point[column];
    let mut samples = Vec::with_capacity(STEPS);
    for i in 0..STEPS {
        let h = scale * FIRST_STEP / SHRINK.powi(i as i32);
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

/// The values of the function, of which there are `rows`.
pub(super) fn finite_value<E: From<InvalidInput>>(
    f: &mut impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
    x: &[f64],
    rows: usize,
) -> Result<DVector<f64>, E> {
    let y = f(x)?;
    InvalidInput::check_size("value of the function", y.len(), rows)?;
    InvalidInput::check_finite("value of the function", y.as_slice())?;
    Ok(y)
}

/// A derivative by differences.
pub(crate) struct ExtrapolatedDerivative {
    pub value: f64,
    /// An estimate of its error.
    pub error: f64,
    /// The value of the function at the point.
    pub center: f64,
}

/// The derivatives of functions of one number at zero, of which one is the scale: for those that no scalar carries.
pub(crate) fn extrapolated_derivative<E: From<InvalidInput>>(
    mut f: impl FnMut(f64) -> Result<DVector<f64>, E>,
) -> Result<Vec<ExtrapolatedDerivative>, E> {
    let center = f(0.0)?;
    let rows = center.len();
    let samples = sample_column(&mut |x| f(x[0]), &mut [0.0], (0, 1.0), rows)?;
    let of_row = |row| {
        let Difference { value, error, .. } = Difference::of_entry(&samples, &center, row);
        ExtrapolatedDerivative {
            value,
            error,
            center: center[row],
        }
    };
    Ok((0..rows).map(of_row).collect())
}

/// The best finite difference of one entry.
pub(super) struct Difference {
    pub value: f64,
    pub error: f64,
    pub forward: f64,
    pub backward: f64,
    pub is_kink: bool,
}

impl Difference {
    pub fn of_entry(samples: &[Sample], center: &DVector<f64>, row: usize) -> Difference {
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
