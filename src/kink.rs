//! Kinks of elements: where their derivatives jump.

use crate::Scalar;

/// How far a force element, an actuator or a sensor is from a state at which its force or its output
/// is not smooth.
///
/// On the kink itself, at a distance of zero, derivatives of its [order](Self::order) and above are those of one side: that
/// on which the stop, the limit or the contact does not act. An element that cannot act, as a limit of a force that is
/// always zero, has no kinks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementKink<'a, T = f64> {
    /// The name of the element.
    pub element: &'a str,
    /// What changes there, in words: `"upper stop"`.
    pub change: &'static str,
    /// How far the quantity is from where that happens, in `unit`; never negative. Its derivatives say what brings it there,
    /// also on the kink.
    pub distance: T,
    /// The SI unit of the quantity.
    pub unit: &'static str,
    /// The lowest order of derivatives that jumps: 0 if the force or the output itself does.
    pub order: usize,
}

impl<T: Scalar> ElementKink<'_, T> {
    /// Whether the element is on the kink, and its first derivatives are those of one side. Drag at rest has first
    /// derivatives of both sides: only its second ones jump.
    pub fn is_one_sided(&self) -> bool {
        self.distance.re() == 0.0 && self.order <= 1
    }
}

/// The size of a distance with a sign; at zero with the derivative of `x`.
pub(crate) fn unsigned<T: Scalar>(x: T) -> T {
    if x.re() < 0.0 { -x } else { x }
}

/// `x` where it is positive, else zero; at zero with the derivative of zero.
pub(crate) fn positive_part<T: Scalar>(x: T) -> T {
    if x.re() > 0.0 { x } else { T::zero() }
}

/// `x` within `[−limit, limit]`; at a bound with the derivative of `x`, and for zero between bounds of zero
/// without one.
pub(crate) fn limited<T: Scalar>(x: T, limit: Option<T>) -> T {
    match limit {
        Some(limit) if limit.re() == 0.0 && x.re() == 0.0 => T::zero(),
        Some(limit) if x.re() > limit.re() => limit,
        Some(limit) if x.re() < -limit.re() => -limit,
        _ => x,
    }
}

/// `x` within `[lower, upper]`; at a bound with the derivative of `x`, and where the bounds are one with that of the
/// lower.
pub(crate) fn within<T: Scalar>(x: T, [lower, upper]: [T; 2]) -> T {
    if x.re() < lower.re() || lower.re() == upper.re() {
        lower
    } else if x.re() > upper.re() {
        upper
    } else {
        x
    }
}
