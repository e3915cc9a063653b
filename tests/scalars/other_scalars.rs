//! Scalars beside those that `system` has.

use crate::singular::Check;
use num_dual::{Dual2SVec64, HyperDual64, HyperDualSVec64, HyperHyperDual64};

pub fn agree(
    check: &Check,
    expected: &Result<Vec<Vec<f64>>, String>,
    values: &[f64],
) -> Result<(), String> {
    check.agree::<Dual2SVec64<2>>(expected, values)?;
    check.agree::<HyperDual64>(expected, values)?;
    check.agree::<HyperDualSVec64<2, 3>>(expected, values)?;
    check.agree::<HyperHyperDual64>(expected, values)
}
