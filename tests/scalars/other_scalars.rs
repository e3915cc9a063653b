//! Scalars beside those that `system` has.

use crate::elements::every_element::Element;
use crate::singular::{Build, Check};
use num_dual::{Dual2SVec64, HyperDual64, HyperDualSVec64, HyperHyperDual64};

/// Machines that were built in these scalars.
pub struct OtherScalars(
    Vec<Element<Dual2SVec64<2>>>,
    Vec<Element<HyperDual64>>,
    Vec<Element<HyperDualSVec64<2, 3>>>,
    Vec<Element<HyperHyperDual64>>,
);

impl OtherScalars {
    pub fn of(build: &impl Build) -> Self {
        OtherScalars(build.build(), build.build(), build.build(), build.build())
    }

    pub fn agree(
        &self,
        check: &Check,
        number: usize,
        expected: &Result<Vec<Vec<f64>>, String>,
        values: &[f64],
    ) -> Result<(), String> {
        check.agree(&self.0[number].1, expected, values)?;
        check.agree(&self.1[number].1, expected, values)?;
        check.agree(&self.2[number].1, expected, values)?;
        check.agree(&self.3[number].1, expected, values)
    }
}
