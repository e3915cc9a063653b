//! The scalars between which machines are cast.

use crate::Scalar;
use crate::autodiff::{ChunkDual, HessianDual};
use num_dual::{Dual2_64, Dual3_64, Dual64, HyperDual64};
use std::any::Any;

/// A scalar that a machine can be cast to: `f64`, [`Dual64`], [`ChunkDual`], [`HessianDual`], [`HyperDual64`],
/// [`Dual2_64`] or [`Dual3_64`].
///
/// A machine holds elements of any type, each of which knows how to become an element in one of these scalars. In any
/// other [`Scalar`] a machine is built directly; a cast to it does not compile. Functions that cast a machine are
/// generic over `T: DefaultScalar`, all others over `T: Scalar`.
///
/// The word is Drake's; what this crate uses often is compiled with it for these scalars.
///
/// ```compile_fail,E0277
/// # use dualbody::prelude::*;
/// # let system = SystemBuilder::<f64>::new().build().unwrap();
/// system.cast::<num_dual::DualSVec64<3>>(); // a machine cannot be cast to it
/// ```
#[diagnostic::on_unimplemented(
    message = "a machine cannot be cast to `{Self}`",
    label = "not one of the default scalars",
    note = "a machine is cast to `f64`, `Dual64`, `ChunkDual`, `HessianDual`, `HyperDual64`, `Dual2_64` and `Dual3_64`; \
            a function that casts it to its own scalar needs `T: DefaultScalar`"
)]
pub trait DefaultScalar: Scalar {
    #[doc(hidden)]
    const NAME: ScalarName;
}

macro_rules! default_scalars {
    ($($name:ident: $scalar:ty),+ $(,)?) => {
        /// Which of the default scalars.
        #[doc(hidden)]
        #[derive(Debug, Clone, Copy)]
        pub enum ScalarName {
            $($name),+
        }

        $(impl DefaultScalar for $scalar {
            const NAME: ScalarName = ScalarName::$name;
        })+
    };
}

default_scalars! {
    Real: f64,
    Dual: Dual64,
    ChunkDual: ChunkDual,
    HessianDual: HessianDual,
    HyperDual: HyperDual64,
    Dual2: Dual2_64,
    Dual3: Dual3_64,
}

/// Whether a number is known to have no derivatives, so that what is made of such numbers alone can be computed in `f64`.
///
/// Of other scalars than `f64`, `Dual64` and `ChunkDual` nothing is known.
pub fn is_constant<T: Scalar>(x: &T) -> bool {
    if T::NDERIV == 0 {
        return true;
    }
    let x: &dyn Any = x;
    match (x.downcast_ref::<Dual64>(), x.downcast_ref::<ChunkDual>()) {
        (Some(x), _) => x.eps == 0.0,
        (_, Some(x)) => (x.eps.0.iter().flatten()).all(|derivative| *derivative == 0.0),
        _ => false,
    }
}

/// The expression with the scalar of a name as a type.
macro_rules! match_scalar {
    ($name:expr, $type:ident => $result:expr) => {{
        use $crate::default_scalar::ScalarName;
        macro_rules! with {
            ($scalar:ty) => {{
                type $type = $scalar;
                $result
            }};
        }
        match $name {
            ScalarName::Real => with!(f64),
            ScalarName::Dual => with!(num_dual::Dual64),
            ScalarName::ChunkDual => with!($crate::autodiff::ChunkDual),
            ScalarName::HessianDual => with!($crate::autodiff::HessianDual),
            ScalarName::HyperDual => with!(num_dual::HyperDual64),
            ScalarName::Dual2 => with!(num_dual::Dual2_64),
            ScalarName::Dual3 => with!(num_dual::Dual3_64),
        }
    }};
}

pub(crate) use match_scalar;
