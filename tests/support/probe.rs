//! Reads the derivatives out of every scalar type, for tests that must hold for all of them.

use dualbody::Scalar;
use num_dual::{
    Dual2_64, Dual2SVec64, Dual3_64, Dual64, DualSVec64, HyperDual64, HyperDualSVec64,
    HyperHyperDual64,
};

/// A scalar type whose derivatives along one variable can be read.
pub trait Probe: Scalar {
    /// A variable with value `x` and slope `dx` along the probed direction.
    fn along(x: f64, dx: f64) -> Self;
    /// First, second, … derivative along the probed direction, as far as the type carries them.
    fn derivatives(self) -> Vec<f64>;
}

impl Probe for f64 {
    fn along(x: f64, _: f64) -> Self {
        x
    }
    fn derivatives(self) -> Vec<f64> {
        vec![]
    }
}

impl Probe for Dual64 {
    fn along(x: f64, dx: f64) -> Self {
        Dual64::new(x, dx)
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.eps]
    }
}

impl<const N: usize> Probe for DualSVec64<N> {
    fn along(x: f64, dx: f64) -> Self {
        let mut d = DualSVec64::from_re(x).derivative(1);
        d.eps.0.as_mut().unwrap()[1] = dx;
        d
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.eps.0.map_or(0.0, |eps| eps[1])]
    }
}

impl Probe for Dual2_64 {
    fn along(x: f64, dx: f64) -> Self {
        Dual2_64::new(x, dx, 0.0)
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.v1, self.v2]
    }
}

impl Probe for Dual2SVec64<2> {
    fn along(x: f64, dx: f64) -> Self {
        let mut d = Dual2SVec64::from_re(x).derivative(1);
        d.v1.0.as_mut().unwrap()[1] = dx;
        d
    }
    fn derivatives(self) -> Vec<f64> {
        vec![
            self.v1.0.unwrap_or_default()[1],
            self.v2.0.unwrap_or_default()[(1, 1)],
        ]
    }
}

impl Probe for HyperDual64 {
    fn along(x: f64, dx: f64) -> Self {
        HyperDual64::new(x, dx, dx, 0.0)
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.eps1, self.eps1eps2]
    }
}

impl Probe for HyperDualSVec64<2, 3> {
    fn along(x: f64, dx: f64) -> Self {
        let mut d = HyperDualSVec64::from_re(x).derivative1(1).derivative2(2);
        d.eps1.0.as_mut().unwrap()[1] = dx;
        d.eps2.0.as_mut().unwrap()[2] = dx;
        d
    }
    fn derivatives(self) -> Vec<f64> {
        vec![
            self.eps1.0.unwrap_or_default()[1],
            self.eps1eps2.0.unwrap_or_default()[(1, 2)],
        ]
    }
}

impl Probe for Dual3_64 {
    fn along(x: f64, dx: f64) -> Self {
        Dual3_64::new(x, dx, 0.0, 0.0)
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.v1, self.v2, self.v3]
    }
}

impl Probe for HyperHyperDual64 {
    fn along(x: f64, dx: f64) -> Self {
        HyperHyperDual64::new(x, dx, dx, dx, 0.0, 0.0, 0.0, 0.0)
    }
    fn derivatives(self) -> Vec<f64> {
        vec![self.eps1, self.eps1eps2, self.eps1eps2eps3]
    }
}

/// Runs a generic test function for every supported scalar type.
#[macro_export]
macro_rules! for_every_scalar {
    ($function:ident) => {{
        use num_dual::*;
        $function::<f64>();
        $function::<Dual64>();
        $function::<DualSVec64<3>>();
        $function::<Dual2_64>();
        $function::<Dual2SVec64<2>>();
        $function::<HyperDual64>();
        $function::<HyperDualSVec64<2, 3>>();
        $function::<Dual3_64>();
        $function::<HyperHyperDual64>();
    }};
}

/// Asserts value (bit for bit) and derivatives (relative 1e-13 of the largest expected, or of 1).
#[track_caller]
pub fn assert_parts<T: Probe>(actual: T, value: f64, derivatives: [f64; 3]) {
    assert_eq!(
        actual.re().to_bits(),
        value.to_bits(),
        "value {} instead of {value} with {}",
        actual.re(),
        std::any::type_name::<T>()
    );
    let scale = derivatives.iter().fold(1.0f64, |m, d| m.max(d.abs()));
    for (order, (a, e)) in actual.derivatives().iter().zip(derivatives).enumerate() {
        assert!(
            (a - e).abs() <= 1e-13 * scale,
            "derivative of order {}: {a} instead of {e} with {}",
            order + 1,
            std::any::type_name::<T>()
        );
    }
}
