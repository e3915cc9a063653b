//! Unknowns: what is to be estimated, with scale and bounds.

use super::error::IdentificationError;
use super::prior::Prior;
use crate::parameter::{ParameterInfo, Parameters};
use crate::{InvalidInput, Scalar};

/// How the optimiser sees an unknown `p`: the coordinate `z` that it steps in.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Transform {
    /// `z = p / scale`.
    Linear {
        /// A typical change of the unknown, in its unit.
        scale: f64,
    },
    /// `z = ln p`, for positive unknowns of which only the order of magnitude may be known.
    ///
    /// A step in `z` is a relative change, and `p` cannot become negative.
    Logarithmic,
}

/// A quantity to be estimated: name, unit, bounds, first guess, and how it is scaled.
///
/// ```
/// use dualbody::identification::Unknown;
///
/// let stiffness = Unknown::new("stiffness", "N/m", 2e4)?.bounds(1e2, 1e6)?.logarithmic()?;
/// let offset = Unknown::new("offset", "m", 0.0)?.scale(1e-3)?;
/// assert_eq!(stiffness.lower(), 1e2);
/// # Ok::<(), dualbody::identification::IdentificationError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unknown {
    name: String,
    unit: String,
    initial: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    lower: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    upper: f64,
    transform: Transform,
    #[cfg_attr(feature = "serde", serde(default))]
    prior: Option<Prior>,
}

impl Unknown {
    /// An unknown without bounds, in a linear coordinate scaled by its first guess (1 if that is 0).
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] when `initial` is not finite.
    pub fn new(
        name: impl Into<String>,
        unit: impl Into<String>,
        initial: f64,
    ) -> Result<Self, IdentificationError> {
        let unknown = Unknown {
            name: name.into(),
            unit: unit.into(),
            initial,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            transform: Transform::Linear {
                scale: if initial == 0.0 { 1.0 } else { initial.abs() },
            },
            prior: None,
        };
        unknown.valid("initial value", initial, "a finite number", f64::is_finite)?;
        Ok(unknown)
    }

    /// The parameter of a model that has this name, or whose name ends so, with full name, unit, bounds and value.
    ///
    /// ```
    /// use dualbody::identification::Unknown;
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e5, 0.5, 0.3)?;
    /// let system = SystemBuilder::new().floor("floor", rubber).compliant(1e-3)?;
    /// let friction = Unknown::of(&system, "floor/friction")?;
    /// assert_eq!((friction.name(), friction.initial()), ("geometry/floor/friction", 0.3));
    /// let misspelt = Unknown::of(&system, "floor/frictoin").unwrap_err();
    /// assert!(misspelt.to_string().contains("is it \"geometry/floor/friction\"?"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`IdentificationError::Parameter`] for a name that no parameter has, or several; as [`Unknown::from_parameter`].
    pub fn of<T: Scalar>(
        model: &impl Parameters<T>,
        name: &str,
    ) -> Result<Self, IdentificationError> {
        let index = model.parameter_index(name)?;
        Unknown::from_parameter(&model.parameters()[index])
    }

    /// A parameter from the list of a model's [`parameters`](Parameters::parameters), with its name, unit, bounds and value.
    ///
    /// # Errors
    /// As [`Unknown::new`] and [`Unknown::bounds`].
    pub fn from_parameter(parameter: &ParameterInfo) -> Result<Self, IdentificationError> {
        Unknown::new(&*parameter.name, parameter.unit, parameter.value)?
            .bounds(parameter.lower, parameter.upper)
    }

    /// Keeps the unknown in `[lower, upper]`; either may be infinite. Equal bounds fix it.
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] unless the first guess lies between the bounds, and, for a logarithmic unknown, `lower ≥ 0`.
    pub fn bounds(mut self, lower: f64, upper: f64) -> Result<Self, IdentificationError> {
        let initial = self.initial;
        self.valid("lower bound", lower, "at most the initial value", |lower| {
            lower <= initial
        })?;
        self.valid(
            "upper bound",
            upper,
            "at least the initial value",
            |upper| upper >= initial,
        )?;
        if self.transform == Transform::Logarithmic {
            self.valid("lower bound", lower, "not negative", |lower| lower >= 0.0)?;
        }
        (self.lower, self.upper) = (lower, upper);
        Ok(self)
    }

    /// Sets a typical change of the unknown, in its unit; the optimiser's coordinate is `p / scale`.
    ///
    /// The steps of the optimiser do not depend on it; tolerances on the step do.
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] unless `scale` is positive and finite, and for a logarithmic
    /// unknown, whose scale is its value.
    pub fn scale(mut self, scale: f64) -> Result<Self, IdentificationError> {
        self.valid("scale", scale, "a positive number", |scale| {
            scale > 0.0 && scale.is_finite()
        })?;
        let linear = self.transform != Transform::Logarithmic;
        self.valid("scale", scale, "none, the unknown is logarithmic", |_| {
            linear
        })?;
        self.transform = Transform::Linear { scale };
        Ok(self)
    }

    /// Estimates the logarithm; the lower bound becomes 0 if it was −∞.
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] unless the first guess is positive and the lower bound not
    /// negative.
    pub fn logarithmic(mut self) -> Result<Self, IdentificationError> {
        self.valid("initial value", self.initial, "positive", |p| p > 0.0)?;
        if self.lower == f64::NEG_INFINITY {
            self.lower = 0.0;
        }
        self.valid("lower bound", self.lower, "not negative", |p| p >= 0.0)?;
        if let Some(prior) = self.prior {
            self.valid("mean of the prior", prior.mean, "positive", |p| p > 0.0)?;
        }
        self.transform = Transform::Logarithmic;
        Ok(self)
    }

    /// Says what is known of the unknown before: it is normally distributed about `mean`, with a standard deviation in its
    /// unit. Of a logarithmic unknown the logarithm is, about that of `mean`, and the deviation is that of the logarithm:
    /// 0.1 for some 10 %.
    ///
    /// A prior counts beside the data as what it says, whatever their noise is: where the variance of the noise is
    /// [estimated](super::Noise::Estimated), it is estimated from the data alone, and priors are not scaled by it. What a fit
    /// owes to priors, [`Status::HeldByPrior`](super::Status::HeldByPrior) and
    /// [`Estimate::data_share`](super::Estimate::data_share) say.
    ///
    /// ```
    /// use dualbody::identification::Unknown;
    ///
    /// // A mass from a drawing, to 5 %.
    /// let mass = Unknown::new("mass", "kg", 2.0)?.logarithmic()?.with_prior(2.0, 0.05)?;
    /// assert_eq!(mass.prior().map(|prior| prior.deviation), Some(0.05));
    /// # Ok::<(), dualbody::identification::IdentificationError>(())
    /// ```
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] unless the mean is finite, and positive for a logarithmic unknown, and the deviation
    /// positive and finite.
    pub fn with_prior(mut self, mean: f64, deviation: f64) -> Result<Self, IdentificationError> {
        let linear = self.transform != Transform::Logarithmic;
        let expected = match linear {
            true => "a finite number",
            false => "positive and finite",
        };
        self.valid("mean of the prior", mean, expected, |mean| {
            mean.is_finite() && (linear || mean > 0.0)
        })?;
        let expected = "a positive number";
        self.valid("deviation of the prior", deviation, expected, |s| {
            s > 0.0 && s.is_finite()
        })?;
        self.prior = Some(Prior { mean, deviation });
        Ok(self)
    }

    /// What is known of it before, if anything.
    pub fn prior(&self) -> Option<Prior> {
        self.prior
    }

    /// Name, as reports print it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Unit, as reports print it.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// First guess.
    pub fn initial(&self) -> f64 {
        self.initial
    }

    /// Smallest value allowed.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// Largest value allowed.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// How the optimiser sees it.
    pub fn transform(&self) -> Transform {
        self.transform
    }

    /// Checks that `value` lies within the bounds and is finite.
    pub(super) fn check_value(&self, value: f64) -> Result<(), IdentificationError> {
        self.valid("value", value, "a finite number within the bounds", |p| {
            p.is_finite() && self.lower <= p && p <= self.upper && self.coordinate(p).is_finite()
        })
    }

    /// The coordinate `z` of the value `p`; monotonically increasing.
    pub(super) fn coordinate(&self, p: f64) -> f64 {
        match self.transform {
            Transform::Linear { scale } => p / scale,
            Transform::Logarithmic => p.ln(),
        }
    }

    /// The value `p` of the coordinate `z`, within the bounds; a bound itself at its coordinate.
    pub(super) fn value(&self, z: f64) -> f64 {
        for bound in [self.lower, self.upper] {
            if z == self.coordinate(bound) {
                return bound;
            }
        }
        let p = match self.transform {
            Transform::Linear { scale } => z * scale,
            Transform::Logarithmic => z.exp(),
        };
        p.clamp(self.lower, self.upper)
    }

    /// `dp/dz` at the value `p`.
    pub(super) fn slope(&self, p: f64) -> f64 {
        match self.transform {
            Transform::Linear { scale } => scale,
            Transform::Logarithmic => p,
        }
    }

    /// A standard deviation of the prior, as one of the coordinate.
    pub(super) fn coordinate_deviation(&self, deviation: f64) -> f64 {
        match self.transform {
            Transform::Linear { scale } => deviation / scale,
            Transform::Logarithmic => deviation,
        }
    }

    /// Size of the coordinate at the value `p`: a step as large changes the value by itself.
    pub(super) fn magnitude(&self, p: f64) -> f64 {
        match self.transform {
            Transform::Linear { scale } => p.abs() / scale,
            Transform::Logarithmic => 1.0,
        }
    }

    /// The same unknown held at a value.
    pub(super) fn fixed_at(&self, value: f64) -> Self {
        Unknown {
            initial: value,
            lower: value,
            upper: value,
            ..self.clone()
        }
    }

    /// Whether the bounds leave one value only.
    pub(super) fn is_fixed(&self) -> bool {
        self.lower == self.upper
    }

    fn valid(
        &self,
        quantity: &'static str,
        value: f64,
        expected: &'static str,
        valid: impl Fn(f64) -> bool,
    ) -> Result<(), IdentificationError> {
        InvalidInput::check_range(quantity, &[value], expected, valid).map_err(|source| {
            IdentificationError::Unknown {
                name: self.name.clone(),
                source,
            }
        })
    }
}
