//! Compliance, dissipation and friction of surfaces.

use crate::parameter::Parameter;
use crate::{InvalidInput, Scalar};
use std::fmt;

/// How a surface gives way, dissipates and rubs.
///
/// Two surfaces in contact act like two springs in series, each with the dissipation of its own, and
/// a coefficient of friction that is their harmonic mean:
///
/// ```text
/// k = k₁ k₂/(k₁ + k₂)     d = (k₂ d₁ + k₁ d₂)/(k₁ + k₂)     μ = 2 μ₁ μ₂/(μ₁ + μ₂)
/// ```
///
/// (the rules of Drake's point contact). A rigid surface has infinite stiffness and leaves `k` and
/// `d` to the other one.
///
/// ```
/// use dualbody::contact::ContactMaterial;
///
/// let rubber = ContactMaterial::<f64>::new(2e4, 0.8, 0.9)?;
/// let steel = ContactMaterial::rigid(0.3)?;
/// let pair = rubber.combined(&steel);
/// assert_eq!((pair.stiffness, pair.dissipation), (2e4, 0.8));
/// assert!((pair.friction - 0.45).abs() < 1e-15);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct ContactMaterial<T> {
    /// Stiffness `k` of a contact point in N/m, infinite for a rigid surface.
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub stiffness: T,
    /// Dissipation `d` of Hunt and Crossley's law in s/m: the contact force vanishes when the
    /// surfaces part at the speed `1/d`.
    pub dissipation: T,
    /// Coefficient of friction μ, static and dynamic.
    pub friction: T,
}

impl<T: Scalar> ContactMaterial<T> {
    /// A compliant surface.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the stiffness is positive and finite and the others finite and not
    /// negative.
    pub fn new(stiffness: T, dissipation: T, friction: T) -> Result<Self, InvalidInput> {
        let material = ContactMaterial {
            stiffness,
            dissipation,
            friction,
        };
        InvalidInput::check_finite("stiffness", &[stiffness])?;
        material.validate()?;
        Ok(material)
    }

    /// A rigid surface: the other one gives way.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the friction is finite and not negative.
    pub fn rigid(friction: T) -> Result<Self, InvalidInput> {
        let material = ContactMaterial {
            stiffness: T::from(f64::INFINITY),
            dissipation: T::zero(),
            friction,
        };
        material.validate()?;
        Ok(material)
    }

    /// Whether the stiffness is infinite.
    pub fn is_rigid(&self) -> bool {
        self.stiffness.re() == f64::INFINITY
    }

    /// The properties of a contact between this surface and another; rigid when both are.
    pub fn combined(&self, other: &Self) -> Self {
        let friction = {
            let sum = self.friction + other.friction;
            if sum.re() == 0.0 {
                T::zero()
            } else {
                self.friction * other.friction * 2.0 / sum
            }
        };
        if other.is_rigid() {
            return ContactMaterial { friction, ..*self };
        }
        if self.is_rigid() {
            return ContactMaterial { friction, ..*other };
        }
        let sum = self.stiffness + other.stiffness;
        ContactMaterial {
            stiffness: self.stiffness * other.stiffness / sum,
            dissipation: (other.stiffness * self.dissipation + self.stiffness * other.dissipation)
                / sum,
            friction,
        }
    }

    /// Share `k₁/(k₁ + k₂)` of this surface's stiffness in the sum with another's: a contact point
    /// lies that far from the other surface towards this one, in units of the penetration, because
    /// the softer surface gives way more. One half when both are rigid.
    pub fn stiffness_share(&self, other: &Self) -> T {
        match (self.is_rigid(), other.is_rigid()) {
            (true, true) => T::from(0.5),
            (true, false) => T::one(),
            (false, true) => T::zero(),
            (false, false) => self.stiffness / (self.stiffness + other.stiffness),
        }
    }

    /// Checks the values, as the constructors do.
    ///
    /// # Errors
    /// [`InvalidInput`] with the first that does not make sense.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let words = "a finite number, not negative";
        InvalidInput::check_range("stiffness", &[self.stiffness], "positive", |k| k > 0.0)?;
        InvalidInput::check_range("dissipation", &[self.dissipation], words, not_negative)?;
        InvalidInput::check_range("friction", &[self.friction], words, not_negative)
    }

    /// The same material in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> ContactMaterial<U> {
        ContactMaterial {
            stiffness: U::from(self.stiffness.re()),
            dissipation: U::from(self.dissipation.re()),
            friction: U::from(self.friction.re()),
        }
    }

    /// Calls `visit` with `{prefix}/stiffness` and `{prefix}/dissipation`, unless the surface is
    /// rigid, and `{prefix}/friction`.
    pub fn visit_parameters(
        &mut self,
        prefix: impl fmt::Display,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let mut one = |name: fmt::Arguments, unit, lower, value| {
            visit(Parameter {
                name,
                unit,
                lower,
                upper: f64::INFINITY,
                value,
            });
        };
        if !self.is_rigid() {
            let stiffness = &mut self.stiffness;
            one(
                format_args!("{prefix}/stiffness"),
                "N/m",
                f64::MIN_POSITIVE,
                stiffness,
            );
            let dissipation = &mut self.dissipation;
            one(
                format_args!("{prefix}/dissipation"),
                "s/m",
                0.0,
                dissipation,
            );
        }
        one(
            format_args!("{prefix}/friction"),
            "1",
            0.0,
            &mut self.friction,
        );
    }
}
