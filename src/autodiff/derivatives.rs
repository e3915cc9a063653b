//! All parts of a dual number, for tests.

use crate::error::Short;
use nalgebra::SMatrix;
use num_dual::{
    Dual2_64, Dual2SVec64, Dual3_64, Dual64, DualSVec64, HyperDual64, HyperDualSVec64,
    HyperHyperDual64,
};
use std::fmt;

/// A number whose derivatives can be listed, whatever their order.
pub trait Derivatives {
    /// Calls `visit` with the value, then with every derivative part, those of lower order first.
    fn visit_parts(&self, visit: &mut dyn FnMut(f64));

    /// The value, then every derivative part.
    fn parts(&self) -> Vec<f64> {
        let mut parts = Vec::new();
        self.visit_parts(&mut |part| parts.push(part));
        parts
    }
}

/// Lists the fields, which are numbers.
macro_rules! number_parts {
    ($($type:ty { $($field:ident),+ })+) => {$(
        impl Derivatives for $type {
            fn visit_parts(&self, visit: &mut dyn FnMut(f64)) {
                $(visit(self.$field);)+
            }
        }
    )+};
}

/// Lists the value, and the fields, which are vectors and matrices; absent ones are zeros.
macro_rules! vector_parts {
    ($($type:ident<$($n:ident),+> { $($field:ident),+ })+) => {$(
        impl<$(const $n: usize),+> Derivatives for $type<$($n),+> {
            fn visit_parts(&self, visit: &mut dyn FnMut(f64)) {
                visit(self.re);
                $(self.$field.0.unwrap_or_else(SMatrix::<f64, _, _>::zeros).iter().for_each(|&part| visit(part));)+
            }
        }
    )+};
}

impl Derivatives for f64 {
    fn visit_parts(&self, visit: &mut dyn FnMut(f64)) {
        visit(*self);
    }
}

number_parts! {
    Dual64 { re, eps }
    Dual2_64 { re, v1, v2 }
    Dual3_64 { re, v1, v2, v3 }
    HyperDual64 { re, eps1, eps2, eps1eps2 }
    HyperHyperDual64 { re, eps1, eps2, eps3, eps1eps2, eps1eps3, eps2eps3, eps1eps2eps3 }
}

vector_parts! {
    DualSVec64<N> { eps }
    Dual2SVec64<N> { v1, v2 }
    HyperDualSVec64<M, N> { eps1, eps2, eps1eps2 }
}

/// Two numbers differ in their value or in a derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DerivativeMismatch {
    /// Which number.
    pub entry: usize,
    /// Which of its [parts](Derivatives::parts); 0 is the value.
    pub part: usize,
    /// The part that was found; NaN where there is no such entry.
    pub actual: f64,
    /// The part that was expected; NaN where there is no such entry.
    pub expected: f64,
}

impl std::error::Error for DerivativeMismatch {}

impl fmt::Display for DerivativeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}, ", self.entry)?;
        match self.part {
            0 => f.write_str("value")?,
            part => write!(f, "derivative part {part}")?,
        }
        write!(
            f,
            ": {} instead of {}",
            Short(self.actual),
            Short(self.expected)
        )
    }
}

/// Compares numbers with all their derivatives, which `==` and `approx` do not look at.
///
/// A part may differ from the expected one by `tolerance · max(1, |expected|)`. Slices, vectors and
/// matrices are compared entry by entry.
///
/// ```
/// use dualbody::autodiff::compare_derivatives;
/// use num_dual::Dual64;
///
/// let (x, y) = (Dual64::new(1.0, 2.0), Dual64::new(1.0, 3.0));
/// assert_eq!(x, y); // what they are worth as tests
/// let error = compare_derivatives(&[x], &[y], 1e-12).unwrap_err();
/// assert_eq!(error.to_string(), "entry 0, derivative part 1: 2 instead of 3");
/// ```
///
/// # Errors
/// [`DerivativeMismatch`] with the first part that differs, or is NaN on one side, and for an entry
/// that one side has not.
pub fn compare_derivatives<'a, T: Derivatives + 'a>(
    actual: impl IntoIterator<Item = &'a T>,
    expected: impl IntoIterator<Item = &'a T>,
    tolerance: f64,
) -> Result<(), DerivativeMismatch> {
    let (mut actual, mut expected) = (actual.into_iter(), expected.into_iter());
    for entry in 0.. {
        let (a, e) = (actual.next(), expected.next());
        if a.is_none() && e.is_none() {
            break;
        }
        let parts = |x: Option<&T>| x.map_or_else(Vec::new, Derivatives::parts);
        let (actual_parts, expected_parts) = (parts(a), parts(e));
        let count = actual_parts.len().max(expected_parts.len()).max(1);
        let nth = |parts: &[f64], part: usize| parts.get(part).copied().unwrap_or(f64::NAN);
        for part in 0..count {
            let (actual, expected) = (nth(&actual_parts, part), nth(&expected_parts, part));
            let allowed = tolerance * expected.abs().max(1.0);
            let near = expected.is_finite() && (actual - expected).abs() <= allowed;
            if actual != expected && !near {
                return Err(DerivativeMismatch {
                    entry,
                    part,
                    actual,
                    expected,
                });
            }
        }
    }
    Ok(())
}
