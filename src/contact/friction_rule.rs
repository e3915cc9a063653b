//! Combination rules for the coefficients of friction of two surfaces.

use crate::Scalar;

/// The coefficient of friction of two surfaces from those of each, `μ₁` and `μ₂`.
///
/// A contact whose coefficient has been measured needs no rule:
/// [`ContactModelBuilder::set_pair_material`](super::ContactModelBuilder::set_pair_material).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub enum FrictionRule {
    /// `2 μ₁ μ₂/(μ₁ + μ₂)`, as in Drake.
    #[default]
    HarmonicMean,
    /// `(μ₁ + μ₂)/2`.
    ArithmeticMean,
    /// `√(μ₁ μ₂)`; where it is zero its derivative is taken as zero.
    GeometricMean,
    /// The smaller one; of equal ones, `μ₁`.
    Minimum,
    /// The larger one, as in MuJoCo; of equal ones, `μ₁`.
    Maximum,
    /// `μ₁ μ₂`.
    Product,
}

impl FrictionRule {
    /// The coefficient of the contact; not negative, as those of the surfaces are not.
    ///
    /// ```
    /// use dualbody::contact::FrictionRule;
    ///
    /// assert_eq!(FrictionRule::Maximum.combine(0.25, 1.0), 1.0);
    /// assert_eq!(FrictionRule::HarmonicMean.combine(0.25, 1.0), 0.4);
    /// assert_eq!(FrictionRule::GeometricMean.combine(0.25, 1.0), 0.5);
    /// ```
    pub fn combine<T: Scalar>(self, a: T, b: T) -> T {
        match self {
            FrictionRule::HarmonicMean => {
                let sum = a + b;
                if sum.re() == 0.0 {
                    T::zero()
                } else {
                    (a * b * 2.0).div_lifted(sum)
                }
            }
            FrictionRule::ArithmeticMean => (a + b) * 0.5,
            FrictionRule::GeometricMean => (a * b).sqrt_lifted(),
            FrictionRule::Minimum if b.re() < a.re() => b,
            FrictionRule::Maximum if b.re() > a.re() => b,
            FrictionRule::Minimum | FrictionRule::Maximum => a,
            FrictionRule::Product => a * b,
        }
    }
}
