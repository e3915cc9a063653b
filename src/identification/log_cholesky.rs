//! Log-Cholesky parametrisation of the inertia of a body: every value is physically consistent.

use super::error::IdentificationError;
use super::fit::{Fit, Status};
use super::gauss_newton::Bound;
use super::unknown::Unknown;
use crate::autodiff::jacobian_of;
use crate::math::SpatialInertia;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, SMatrix, Vector3};
use std::fmt;

/// Names and units of the ten parameters.
const PARAMETERS: [(&str, &str); 10] = [
    ("alpha", "1"),
    ("d1", "1"),
    ("d2", "1"),
    ("d3", "1"),
    ("s12", "m"),
    ("s23", "m"),
    ("s13", "m"),
    ("t1", "m"),
    ("t2", "m"),
    ("t3", "m"),
];

/// How many times smaller than the largest length of the guess one may become.
const THINNEST: f64 = 1e3;
/// How many times smaller than the largest length one is that vanishes, if the data do not determine it.
const THIN: f64 = 20.0;
/// Part of its standard error by which the step that is left may move what is determined.
const UNSETTLED: f64 = 0.5;
/// Change along a direction that is none, relative to that of its parts.
const ROUND_OFF: f64 = 1e-8;
/// How many times smaller than that of the guess a mass may become.
const LIGHTEST: f64 = 1e6;

/// Ten unknowns for the mass, the centre of mass and the rotational inertia of a body.
///
/// A distribution of mass has the second moments `Σ = ∫ ρ r rᵀ`, about its centre positive definite. With
/// an upper triangle `U` that has a positive diagonal
///
/// ```text
///             ⎡ e^d₁  s₁₂   s₁₃ ⎤
/// Σ = m U Uᵀ, U = ⎢       e^d₂  s₂₃ ⎥,  m = e^(2α),  centre = t,  I = tr(Σ) 1 − Σ
///             ⎣             e^d₃ ⎦
/// ```
///
/// every set of numbers is the inertia of one body of positive volume, and every such inertia belongs to
/// one set: moments that are negative or violate the triangle inequality cannot be reached (Rucker & Wensing
/// 2022, *Smooth parameterization of rigid-body inertia*, IEEE Robotics and Automation Letters 7(2),
/// 2771–2778; there the same triangle is bordered by the centre). The exponentials are lengths in metres.
///
/// ```
/// use dualbody::identification::LogCholesky;
/// use dualbody::math::SpatialInertia;
/// use nalgebra::Vector3;
///
/// let cad = SpatialInertia::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.1));
/// let values = LogCholesky::values(&cad)?;
/// let again: SpatialInertia<f64> = LogCholesky::inertia(&values);
/// assert!((again.rotational_inertia - cad.rotational_inertia).amax() < 1e-15);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LogCholesky;

/// An inertia that was fitted, with its uncertainty.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InertiaEstimate {
    /// The estimate.
    pub inertia: SpatialInertia<f64>,
    /// Covariance of mass (kg), centre of mass (m) and `xx, yy, zz, xy, xz, yz` of the rotational inertia
    /// about the centre of mass (kg m²), to first order; 0 of what is not determined.
    pub covariance: SMatrix<f64, 10, 10>,
    /// Which of these the data determine: at the boundary, what it does not hold.
    pub determined: [bool; 10],
    /// Whether the data pull the inertia out of what is possible: a length of [`LogCholesky`] vanishes. It then is at the
    /// [least](LogCholesky::unknowns) that it may be, or on the way there with nothing left to gain.
    pub is_at_boundary: bool,
}

impl LogCholesky {
    /// Number of unknowns.
    pub const COUNT: usize = 10;

    /// The inertia of ten values `α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃`.
    pub fn inertia<T: Scalar>(values: &[T; 10]) -> SpatialInertia<T> {
        let [alpha, .., t1, t2, t3] = *values;
        let u = Self::triangle(values);
        let mass = (alpha + alpha).exp();
        let moments = u * u.transpose() * mass;
        SpatialInertia {
            mass,
            center_of_mass: Vector3::new(t1, t2, t3),
            rotational_inertia: Matrix3::from_diagonal_element(moments.trace()) - moments,
        }
    }

    /// The triangle `U`.
    fn triangle<T: Scalar>(values: &[T; 10]) -> Matrix3<T> {
        let [_, d1, d2, d3, s12, s23, s13, ..] = *values;
        let zero = T::zero();
        Matrix3::new(
            d1.exp(),
            s12,
            s13, //
            zero,
            d2.exp(),
            s23, //
            zero,
            zero,
            d3.exp(),
        )
    }

    /// The ten values of an inertia.
    ///
    /// # Errors
    /// [`InvalidInput`] when it is not that of a body with positive mass and volume: plates, rods and
    /// points are at infinity.
    pub fn values(inertia: &SpatialInertia<f64>) -> Result<[f64; 10], InvalidInput> {
        inertia.validate(1e-12)?;
        InvalidInput::check_range("mass", &[inertia.mass], "positive", |m| m > 0.0)?;
        let trace = 0.5 * inertia.rotational_inertia.trace();
        let moments = Matrix3::from_diagonal_element(trace) - inertia.rotational_inertia;
        let p = moments / inertia.mass;
        let length = |square: f64| {
            InvalidInput::check_range(
                "square of a radius of gyration",
                &[square],
                "positive, as of a body with volume",
                |s| s > 1e-14 * p.trace(),
            )?;
            Ok::<f64, InvalidInput>(square.sqrt())
        };
        // From the last row up, so that the triangle is an upper one.
        let u33 = length(p[(2, 2)])?;
        let (s13, s23) = (p[(0, 2)] / u33, p[(1, 2)] / u33);
        let u22 = length(p[(1, 1)] - s23 * s23)?;
        let s12 = (p[(0, 1)] - s13 * s23) / u22;
        let u11 = length(p[(0, 0)] - s12 * s12 - s13 * s13)?;
        let alpha = 0.5 * inertia.mass.ln();
        let t = inertia.center_of_mass;
        let [d1, d2, d3] = [u11, u22, u33].map(f64::ln);
        Ok([alpha, d1, d2, d3, s12, s23, s13, t.x, t.y, t.z])
    }

    /// The unknowns `name/alpha`, `name/d1`, … with an inertia as first guess, in the order of
    /// [`LogCholesky::inertia`]. No length on the diagonal becomes smaller than a thousandth of the largest of the guess, and the
    /// mass not than a millionth of its own: with noise the best inertia is often a plate, a rod or a point, which are at
    /// infinity, and a fit ends at these bounds in place of them. It takes fewer steps with a
    /// [tolerance](super::LevenbergMarquardt::noise_tolerance) by the noise.
    ///
    /// # Errors
    /// [`IdentificationError::Invalid`] as [`LogCholesky::values`].
    pub fn unknowns(
        name: &str,
        guess: &SpatialInertia<f64>,
    ) -> Result<Vec<Unknown>, IdentificationError> {
        let values = Self::values(guess)?;
        // Lengths change by the size of the body.
        let size = values[1..4].iter().fold(f64::MIN, |a, d| a.max(*d)).exp();
        let thinnest = size.ln() - THINNEST.ln();
        (PARAMETERS.iter().zip(values).enumerate())
            .map(|(k, ((parameter, unit), value))| {
                let scale = if *unit == "m" { size } else { 1.0 };
                let lower = match k {
                    0 => value - LIGHTEST.ln() / 2.0,
                    1..=3 => value.min(thinnest),
                    _ => f64::NEG_INFINITY,
                };
                let unknown = Unknown::new(format!("{name}/{parameter}"), *unit, value)?;
                unknown.scale(scale)?.bounds(lower, f64::INFINITY)
            })
            .collect()
    }

    /// The inertia that a fit has found in its unknowns from `first` on, with standard errors of mass, centre and
    /// inertia in place of those of the unknowns. `None` where the fit has no standard errors, the data leave open which of
    /// several inertias it is in the inside of what is possible, or there are fewer than ten unknowns.
    ///
    /// At the [boundary](InertiaEstimate::is_at_boundary) of what is possible, the lengths that vanish are held, and the
    /// standard errors of the others are those along the boundary.
    pub fn estimate(fit: &Fit, first: usize) -> Option<InertiaEstimate> {
        let estimates = fit.estimates.get(first..)?.first_chunk::<10>()?;
        let values: [f64; 10] = std::array::from_fn(|i| estimates[i].value);
        let all = fit.covariance.as_ref()?;
        let (_, slopes) = jacobian_of(
            |x| {
                let inertia = Self::inertia(&std::array::from_fn(|i| x[i]));
                Ok::<_, InvalidInput>(members(&inertia).to_vec())
            },
            &values,
        )
        .ok()?;
        let slopes: SMatrix<f64, 10, 10> = slopes.fixed_view::<10, 10>(0, 0).into_owned();
        // Unknowns that are held have no variance.
        let covariance = SMatrix::<f64, 10, 10>::from_fn(|i, j| {
            match [i, j].map(|k| is_held(&estimates[k].status)) {
                [false, false] => all[(first + i, first + j)],
                _ => 0.0,
            }
        });
        let mut covariance = slopes * covariance * slopes.transpose();
        let open = |i: usize| {
            let error = covariance[(i, i)].max(0.0).sqrt();
            let along = |change: &dyn Fn(usize) -> f64| {
                (0..10)
                    .map(|k| slopes[(i, k)] * change(first + k))
                    .sum::<f64>()
                    .abs()
            };
            let steps = along(&|k| fit.unsettled.get(k).copied().unwrap_or(0.0));
            // The last direction is that of the unsettled step.
            let null = fit.determinability.undetermined.iter();
            let count = null.len() - usize::from(!fit.unsettled.is_empty());
            let is_free = null.take(count).any(|direction| {
                let of = |k: usize| {
                    let mut changes = direction.changes.iter();
                    changes
                        .find(|(j, _)| *j == k)
                        .map_or(0.0, |(_, change)| *change)
                };
                let size: f64 = (0..10)
                    .map(|k| (slopes[(i, k)] * of(first + k)).abs())
                    .sum();
                along(&of) > ROUND_OFF * size
            });
            error == 0.0 || is_free || steps > UNSETTLED * error
        };
        let determined: [bool; 10] = std::array::from_fn(|i| !open(i));
        let is_thin = {
            let lengths = Self::triangle(&values).singular_values();
            lengths.min() * THIN < lengths.max()
        };
        let is_whole = determined.iter().all(|is_determined| *is_determined);
        let is_at_boundary = (1..4).any(|k| match estimates[k].status {
            Status::AtBound(Bound::Lower) => true,
            Status::Undetermined => is_thin,
            _ => is_thin && !is_whole,
        });
        if !is_whole && !is_at_boundary {
            return None;
        }
        for i in (0..10).filter(|&i| !determined[i]) {
            covariance.row_mut(i).fill(0.0);
            covariance.column_mut(i).fill(0.0);
        }
        Some(InertiaEstimate {
            inertia: Self::inertia(&values),
            covariance,
            determined,
            is_at_boundary,
        })
    }
}

/// Whether an unknown does not move with the data.
fn is_held(status: &Status) -> bool {
    matches!(status, Status::AtBound(_) | Status::Fixed)
}

/// Names and units of what an estimate has.
const MEMBERS: [(&str, &str); 10] = [
    ("mass", "kg"),
    ("centre x", "m"),
    ("centre y", "m"),
    ("centre z", "m"),
    ("xx", "kg m²"),
    ("yy", "kg m²"),
    ("zz", "kg m²"),
    ("xy", "kg m²"),
    ("xz", "kg m²"),
    ("yz", "kg m²"),
];

/// Mass, centre and `xx, yy, zz, xy, xz, yz` of an inertia.
fn members<T: Scalar>(inertia: &SpatialInertia<T>) -> [T; 10] {
    let (c, i) = (&inertia.center_of_mass, &inertia.rotational_inertia);
    [
        inertia.mass,
        c.x,
        c.y,
        c.z,
        i[(0, 0)],
        i[(1, 1)],
        i[(2, 2)],
        i[(0, 1)],
        i[(0, 2)],
        i[(1, 2)],
    ]
}

impl InertiaEstimate {
    /// Standard errors in the order of the covariance; `None` of what is not [determined](Self::determined).
    pub fn standard_errors(&self) -> [Option<f64>; 10] {
        std::array::from_fn(|i| {
            (self.determined[i]).then(|| self.covariance[(i, i)].max(0.0).sqrt())
        })
    }
}

impl fmt::Display for InertiaEstimate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_at_boundary {
            writeln!(f, "at the boundary of possible inertias")?;
        }
        let errors = self.standard_errors();
        let named = MEMBERS.iter().zip(members(&self.inertia)).zip(errors);
        for (((name, unit), value), error) in named {
            match error {
                Some(error) => writeln!(f, "{name:>8} {value:13.6e} ± {error:.2e} {unit}")?,
                None => writeln!(f, "{name:>8} {value:13.6e} {unit}, held by the boundary")?,
            }
        }
        Ok(())
    }
}
