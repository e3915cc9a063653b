//! Unknowns whose every value is the inertia of a body that can exist.

use super::error::IdentificationError;
use super::fit::Fit;
use super::unknown::Unknown;
use crate::autodiff::jacobian_of;
use crate::math::SpatialInertia;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, SMatrix, Vector3};

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

/// Ten unknowns without bounds for the mass, the centre of mass and the rotational inertia of a body.
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
    /// about the centre of mass (kg m²), to first order.
    pub covariance: SMatrix<f64, 10, 10>,
}

impl LogCholesky {
    /// Number of unknowns.
    pub const COUNT: usize = 10;

    /// The inertia of ten values `α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃`.
    pub fn inertia<T: Scalar>(values: &[T; 10]) -> SpatialInertia<T> {
        let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = *values;
        let zero = T::zero();
        let u = Matrix3::new(
            d1.exp(),
            s12,
            s13, //
            zero,
            d2.exp(),
            s23, //
            zero,
            zero,
            d3.exp(),
        );
        let mass = (alpha + alpha).exp();
        let moments = u * u.transpose() * mass;
        SpatialInertia {
            mass,
            center_of_mass: Vector3::new(t1, t2, t3),
            rotational_inertia: Matrix3::from_diagonal_element(moments.trace()) - moments,
        }
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
    /// [`LogCholesky::inertia`].
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
        (PARAMETERS.iter().zip(values))
            .map(|((parameter, unit), value)| {
                let scale = if *unit == "m" { size } else { 1.0 };
                Unknown::new(format!("{name}/{parameter}"), *unit, value)?.scale(scale)
            })
            .collect()
    }

    /// The inertia that a fit has found in its unknowns from `first` on, with standard errors of mass, centre and
    /// inertia in place of those of the unknowns. `None` where the data do not determine all ten, or there
    /// are fewer.
    pub fn estimate(fit: &Fit, first: usize) -> Option<InertiaEstimate> {
        let estimates = fit.estimates.get(first..)?.first_chunk::<10>()?;
        let values: [f64; 10] = std::array::from_fn(|i| estimates[i].value);
        let mut covariance = SMatrix::<f64, 10, 10>::zeros();
        for i in 0..10 {
            for j in 0..10 {
                covariance[(i, j)] = fit.covariance(first + i, first + j)?;
            }
        }
        let (_, slopes) = jacobian_of(
            |x| {
                let inertia = Self::inertia(&std::array::from_fn(|i| x[i]));
                Ok::<_, InvalidInput>(members(&inertia).to_vec())
            },
            &values,
        )
        .ok()?;
        let slopes: SMatrix<f64, 10, 10> = slopes.fixed_view::<10, 10>(0, 0).into_owned();
        Some(InertiaEstimate {
            inertia: Self::inertia(&values),
            covariance: slopes * covariance * slopes.transpose(),
        })
    }
}

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
    /// Standard errors in the order of the covariance.
    pub fn standard_errors(&self) -> [f64; 10] {
        std::array::from_fn(|i| self.covariance[(i, i)].max(0.0).sqrt())
    }
}
