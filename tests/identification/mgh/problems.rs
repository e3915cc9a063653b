//! Residuals of the test problems.

use dualbody::Scalar;
use dualbody::identification::Experiment;

#[derive(Debug, Clone, Copy)]
pub enum Mgh {
    Rosenbrock,
    FreudensteinRoth,
    PowellBadlyScaled,
    BrownBadlyScaled,
    Beale,
    JennrichSampson,
    HelicalValley,
    Bard,
    Gaussian,
    Meyer,
    Gulf,
    Box3,
    PowellSingular,
    Wood,
    KowalikOsborne,
    BrownDennis,
    Osborne1,
    Biggs,
    Osborne2,
    Watson,
}

const BARD: [f64; 15] = [
    0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39,
];

const GAUSSIAN: [f64; 15] = [
    0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989, 0.3521, 0.2420, 0.1295, 0.0540,
    0.0175, 0.0044, 0.0009,
];

const MEYER: [f64; 16] = [
    34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0,
    5147.0, 4427.0, 3820.0, 3307.0, 2872.0,
];

const KOWALIK: [(f64, f64); 11] = [
    (0.1957, 4.0),
    (0.1947, 2.0),
    (0.1735, 1.0),
    (0.1600, 0.5),
    (0.0844, 0.25),
    (0.0627, 0.167),
    (0.0456, 0.125),
    (0.0342, 0.1),
    (0.0323, 0.0833),
    (0.0235, 0.0714),
    (0.0246, 0.0625),
];

const OSBORNE_1: [f64; 33] = [
    0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685,
    0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448,
    0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406,
];

const OSBORNE_2: [f64; 65] = [
    1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608,
    0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661,
    0.612, 0.558, 0.533, 0.495, 0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428,
    0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559,
    0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054,
];

impl Experiment for Mgh {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        match self {
            Mgh::Rosenbrock | Mgh::FreudensteinRoth | Mgh::PowellBadlyScaled => 2,
            Mgh::BrownBadlyScaled | Mgh::Beale | Mgh::HelicalValley => 3,
            Mgh::PowellSingular => 4,
            Mgh::Wood => 6,
            Mgh::JennrichSampson | Mgh::Box3 => 10,
            Mgh::KowalikOsborne => 11,
            Mgh::Biggs => 13,
            Mgh::Bard | Mgh::Gaussian => 15,
            Mgh::Meyer => 16,
            Mgh::BrownDennis => 20,
            Mgh::Watson => 31,
            Mgh::Osborne1 => 33,
            Mgh::Osborne2 => 65,
            Mgh::Gulf => 99,
        }
    }

    fn residuals<T: Scalar>(&self, x: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        let square = |a: T| a * a;
        match self {
            Mgh::Rosenbrock => {
                residuals[0] = (x[1] - x[0] * x[0]) * 10.0;
                residuals[1] = -x[0] + 1.0;
            }
            Mgh::FreudensteinRoth => {
                residuals[0] = x[0] - 13.0 + ((-x[1] + 5.0) * x[1] - 2.0) * x[1];
                residuals[1] = x[0] - 29.0 + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
            }
            Mgh::PowellBadlyScaled => {
                residuals[0] = x[0] * x[1] * 1e4 - 1.0;
                residuals[1] = (-x[0]).exp() + (-x[1]).exp() - 1.0001;
            }
            Mgh::BrownBadlyScaled => {
                residuals[0] = x[0] - 1e6;
                residuals[1] = x[1] - 2e-6;
                residuals[2] = x[0] * x[1] - 2.0;
            }
            Mgh::Beale => {
                let mut power = T::from(1.0);
                for (r, y) in residuals.iter_mut().zip([1.5, 2.25, 2.625]) {
                    power *= x[1];
                    *r = -x[0] * (-power + 1.0) + y;
                }
            }
            Mgh::JennrichSampson => {
                for (i, r) in (1..).zip(residuals) {
                    let i = f64::from(i);
                    *r = -((x[0] * i).exp() + (x[1] * i).exp()) + (2.0 + 2.0 * i);
                }
            }
            Mgh::HelicalValley => {
                let half = if x[0].re() < 0.0 { 0.5 } else { 0.0 };
                let theta = (x[1] / x[0]).atan() / T::from(std::f64::consts::TAU) + half;
                residuals[0] = (x[2] - theta * 10.0) * 10.0;
                residuals[1] = (square(x[0]) + square(x[1])).sqrt() * 10.0 - 10.0;
                residuals[2] = x[2];
            }
            Mgh::Bard => {
                for ((i, r), y) in (1..).zip(residuals).zip(BARD) {
                    let u = f64::from(i);
                    let v = 16.0 - u;
                    *r = -(x[0] + (x[1] * v + x[2] * u.min(v)).recip() * u) + y;
                }
            }
            Mgh::Gaussian => {
                for ((i, r), y) in (1..).zip(residuals).zip(GAUSSIAN) {
                    let t = (8.0 - f64::from(i)) / 2.0;
                    *r = x[0] * (x[1] * square(-x[2] + t) * -0.5).exp() - y;
                }
            }
            Mgh::Meyer => {
                for ((i, r), y) in (1..).zip(residuals).zip(MEYER) {
                    let t = 45.0 + 5.0 * f64::from(i);
                    *r = x[0] * (x[1] / (x[2] + t)).exp() - y;
                }
            }
            Mgh::Gulf => {
                for (i, r) in (1..).zip(residuals) {
                    let t = f64::from(i) / 100.0;
                    let d = -x[1] + (25.0 + (-50.0 * t.ln()).powf(2.0 / 3.0));
                    let distance = d * d.re().signum();
                    *r = (-(x[2] * distance.ln()).exp() / x[0]).exp() - t;
                }
            }
            Mgh::Box3 => {
                for (i, r) in (1..).zip(residuals) {
                    let t = 0.1 * f64::from(i);
                    let known = (-t).exp() - (-10.0 * t).exp();
                    *r = (x[0] * -t).exp() - (x[1] * -t).exp() - x[2] * known;
                }
            }
            Mgh::PowellSingular => {
                residuals[0] = x[0] + x[1] * 10.0;
                residuals[1] = (x[2] - x[3]) * 5f64.sqrt();
                residuals[2] = square(x[1] - x[2] * 2.0);
                residuals[3] = square(x[0] - x[3]) * 10f64.sqrt();
            }
            Mgh::Wood => {
                residuals[0] = (x[1] - square(x[0])) * 10.0;
                residuals[1] = -x[0] + 1.0;
                residuals[2] = (x[3] - square(x[2])) * 90f64.sqrt();
                residuals[3] = -x[2] + 1.0;
                residuals[4] = (x[1] + x[3] - 2.0) * 10f64.sqrt();
                residuals[5] = (x[1] - x[3]) / T::from(10f64.sqrt());
            }
            Mgh::KowalikOsborne => {
                for (r, (y, u)) in residuals.iter_mut().zip(KOWALIK) {
                    *r = -x[0] * (x[1] * u + u * u) / (x[2] * u + x[3] + u * u) + y;
                }
            }
            Mgh::BrownDennis => {
                for (i, r) in (1..).zip(residuals) {
                    let t = f64::from(i) / 5.0;
                    *r =
                        square(x[0] + x[1] * t - t.exp()) + square(x[2] + x[3] * t.sin() - t.cos());
                }
            }
            Mgh::Osborne1 => {
                for ((i, r), y) in (0..).zip(residuals).zip(OSBORNE_1) {
                    let t = -10.0 * f64::from(i);
                    *r = -(x[0] + x[1] * (x[3] * t).exp() + x[2] * (x[4] * t).exp()) + y;
                }
            }
            Mgh::Biggs => {
                for (i, r) in (1..).zip(residuals) {
                    let t = -0.1 * f64::from(i);
                    let y = t.exp() - 5.0 * (10.0 * t).exp() + 3.0 * (4.0 * t).exp();
                    *r = x[2] * (x[0] * t).exp() - x[3] * (x[1] * t).exp()
                        + x[5] * (x[4] * t).exp()
                        - y;
                }
            }
            Mgh::Osborne2 => {
                for ((i, r), y) in (0..).zip(residuals).zip(OSBORNE_2) {
                    let t = f64::from(i) / 10.0;
                    let bell = |k: usize| x[1 + k] * (-square(-x[8 + k] + t) * x[5 + k]).exp();
                    *r = -(x[0] * (x[4] * -t).exp() + bell(0) + bell(1) + bell(2)) + y;
                }
            }
            Mgh::Watson => {
                let (last, rows) = residuals.split_at_mut(29);
                for (i, r) in (1..).zip(last) {
                    let t = f64::from(i) / 29.0;
                    let (mut value, mut slope) = (T::from(0.0), T::from(0.0));
                    for &c in x.iter().rev() {
                        slope = slope * t + value;
                        value = value * t + c;
                    }
                    *r = slope - square(value) - 1.0;
                }
                rows[0] = x[0];
                rows[1] = x[1] - square(x[0]) - 1.0;
            }
        }
        Ok(())
    }
}
