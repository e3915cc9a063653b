//! One way to put elements together, for every family of them.
//!
//! The members of a set are none (`()`), several of one type (`Vec`), several of different types (a
//! tuple), the one in a `Box`, or the one of several types that an enum holds. A family says once what
//! a set does with each of its members:
//!
//! ```text
//! macro_rules! family_members {
//!     ($self:ident, $each:ident $members:tt) => {
//!         fn count(&$self) -> usize {
//!             let mut sum = 0;
//!             $each!($members, $self, |m| sum += Family::<T>::count(m));
//!             sum
//!         }
//!         …
//!     };
//! }
//! compose_sets!(Family, family_members);
//! compose_enum! { pub enum BuiltinFamily<T>: Family { Variant(Type<T>), … } }
//! ```
//!
//! where `Family<T>` is a trait with `type Cast<U: Scalar>: Family<U>` and
//! `fn cast<U: Scalar>(&self) -> Self::Cast<U>`, which the two macros write. [`compose_enum!`](crate::compose_enum!)
//! is for other crates too, so the module in which a family says this is public, and with it what the methods name.

use crate::InvalidInput;

/// Implements a family's trait for `()`, `Vec`, `Box` and tuples of up to eight.
macro_rules! compose_sets {
    ($family:ident, $members:ident) => {
        /// None.
        #[allow(unused_variables, unused_mut)]
        impl<T: Scalar> $family<T> for () {
            type Cast<U: Scalar> = ();
            fn cast<U: Scalar>(&self) {}
            $members!(self, each_of_none ());
        }

        /// Several of one type.
        impl<T: Scalar, M: $family<T>> $family<T> for Vec<M> {
            type Cast<U: Scalar> = Vec<M::Cast<U>>;
            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                self.iter().map(|m| m.cast()).collect()
            }
            $members!(self, each_of_list ());
        }

        /// The one in the box.
        impl<T: Scalar, M: $family<T>> $family<T> for Box<M> {
            type Cast<U: Scalar> = Box<M::Cast<U>>;
            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                Box::new((**self).cast())
            }
            $members!(self, each_of_box ());
        }

        compose_sets!($family, $members, A a);
        compose_sets!($family, $members, A a, B b);
        compose_sets!($family, $members, A a, B b, C c);
        compose_sets!($family, $members, A a, B b, C c, D d);
        compose_sets!($family, $members, A a, B b, C c, D d, E e);
        compose_sets!($family, $members, A a, B b, C c, D d, E e, F f);
        compose_sets!($family, $members, A a, B b, C c, D d, E e, F f, G g);
        compose_sets!($family, $members, A a, B b, C c, D d, E e, F f, G g, H h);
    };
    ($family:ident, $members:ident, $($type:ident $member:ident),+) => {
        /// Several of different types.
        impl<T: Scalar, $($type: $family<T>),+> $family<T> for ($($type,)+) {
            type Cast<U: Scalar> = ($($type::Cast<U>,)+);
            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                let ($($member,)+) = self;
                ($($member.cast(),)+)
            }
            $members!(self, each_of_tuple ($($member)+));
        }
    };
}

/// Declares an enum of elements of a family, which is one of them itself.
///
/// A `Vec` of it holds elements of this crate and others by the order in which they come at run time. The
/// family is `Actuator`, `ForceElement`, `Sensor` or `ConstraintSet`; the scalar must be called `T`, and each
/// variant holds one element, whose [cast](crate::actuator::Actuator::cast) is the same type in another scalar. The
/// enum is made `From` each of them.
///
/// ```
/// use dualbody::actuator::{Actuator, TorqueSource};
/// use dualbody::contact::ContactModel;
/// use dualbody::force::{ForceContext, ForceError, Forces};
/// use dualbody::prelude::*;
/// use dualbody::tree::{BodyIndex, JointIndex, JointKind};
/// use dualbody::{compose_enum, constants};
/// use std::fmt;
///
/// /// A brake on the first coordinate: −u c v.
/// #[derive(Debug, Clone)]
/// struct Brake<T> {
///     strength: T,
/// }
///
/// impl<T: Scalar> Actuator<T> for Brake<T> {
///     constants! { Actuator for Brake, named "brake" { strength: not_negative("N m s/rad"); } }
///     fn num_inputs(&self) -> usize {
///         1
///     }
///     fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
///         visit(format_args!("brake/pedal"));
///     }
///     fn add_forces(
///         &self,
///         context: &ForceContext<'_, T>,
///         input: &[T],
///         _: &[T],
///         forces: &mut Forces<T>,
///     ) -> Result<(), ForceError> {
///         forces.add_generalized(0, -input[0] * self.strength * context.v()[0])
///     }
/// }
///
/// compose_enum! {
///     /// What drives a wheel.
///     #[derive(Debug, Clone)]
///     enum Drive<T>: Actuator {
///         /// It speeds the wheel up.
///         Motor(TorqueSource<T>),
///         /// It slows the wheel down.
///         Brake(Brake<T>),
///     }
/// }
///
/// fn main() -> dualbody::Result<()> {
///     let mut builder = RigidBodyTreeBuilder::new();
///     let wheel = builder.add_body("wheel", SpatialInertia::solid_sphere(1.0, 0.5))?; // 0.1 kg m²
///     let axle = JointKind::Continuous { axis: Vector3::z() };
///     builder.add_joint("axle", axle, BodyIndex::WORLD, RigidTransform::identity(), wheel)?;
///     let tree = builder.finish()?;
///     let motor = TorqueSource::new("motor", &tree, JointIndex::new(0), 1.0, None)?;
///     let drives: Vec<Drive<f64>> = vec![Brake { strength: 0.1 }.into(), motor.into()];
///
///     let system = RigidBodySystem::new(tree, ContactModel::none())?.with_actuators(drives)?;
///     let mut system = TimeSteppingRigidBodySystem::compliant(system, 0.1)?;
///     system.set_parameter("brake/strength", 0.2)?;
///     let (mut workspace, start) = (system.workspace()?, system.initial_state());
///     let step = system.step(&mut workspace, &start, &[0.5, 3.0])?;
///     // I (v⁺ − 0) = δt (τ − u c v⁺)
///     assert!((step.state().v[0] - 0.3 / 0.11).abs() < 1e-9);
///     Ok(())
/// }
/// ```
#[macro_export]
macro_rules! compose_enum {
    (
        $(#[$doc:meta])* $visible:vis enum $name:ident<T>: $family:ident {
            $($(#[$text:meta])* $variant:ident($type:ty)),+ $(,)?
        }
    ) => {
        $(#[$doc])*
        $visible enum $name<T> {
            $($(#[$text])* $variant($type),)+
        }

        $(impl<T> ::std::convert::From<$type> for $name<T> {
            fn from(element: $type) -> Self {
                $name::$variant(element)
            }
        })+

        // The names in the methods of a family are its own, whatever those of the caller are.
        const _: () = {
            type ComposedEnum<T> = $name<T>;
            const _: () = {
                $crate::compose_enum!(@$family $($variant)+);
            };
        };
    };
    (@Actuator $($variant:ident)+) => {
        use $crate::actuator::composition::*;
        $crate::compose_enum!(@members Actuator actuator_members $($variant)+);
    };
    (@ForceElement $($variant:ident)+) => {
        use $crate::force::composition::*;
        $crate::compose_enum!(@members ForceElement force_members $($variant)+);
    };
    (@Sensor $($variant:ident)+) => {
        use $crate::sensor::composition::*;
        $crate::compose_enum!(@members Sensor sensor_members $($variant)+);
    };
    (@ConstraintSet $($variant:ident)+) => {
        use $crate::constraint::composition::*;
        $crate::compose_enum!(@members ConstraintSet constraint_members $($variant)+);
    };
    (@members $family:ident $members:ident $($variant:ident)+) => {
        impl<T: Scalar> $family<T> for ComposedEnum<T> {
            type Cast<U: Scalar> = ComposedEnum<U>;
            fn cast<U: Scalar>(&self) -> ComposedEnum<U> {
                match self {
                    $(ComposedEnum::$variant(m) => ComposedEnum::$variant($family::<T>::cast::<U>(m)),)+
                }
            }
            $crate::$members!(self, each_of_enum (ComposedEnum $($variant)+));
        }
    };
}

macro_rules! each_of_none {
    ((), $self:ident, |$m:ident| $do:expr) => {
        let () = $self;
    };
}

macro_rules! each_of_list {
    ((), $self:ident, |$m:ident| $do:expr) => {
        for $m in $self {
            $do;
        }
    };
}

macro_rules! each_of_box {
    ((), $self:ident, |$m:ident| $do:expr) => {{
        let $m = Unboxed::unboxed($self);
        $do;
    }};
}

macro_rules! each_of_tuple {
    (($($member:ident)+), $self:ident, |$m:ident| $do:expr) => {{
        let ($($member,)+) = $self;
        $({
            let $m = $member;
            $do;
        })+
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_of_enum {
    (($name:ident $($variant:ident)+), $self:ident, |$m:ident| $do:expr) => {
        match $self {
            $($name::$variant($m) => { $do; })+
        }
    };
}

/// What is in a box, borrowed as the box is.
pub(crate) trait Unboxed {
    type Content;
    fn unboxed(self) -> Self::Content;
}

impl<'a, M> Unboxed for &'a Box<M> {
    type Content = &'a M;
    fn unboxed(self) -> &'a M {
        self
    }
}

impl<'a, M> Unboxed for &'a mut Box<M> {
    type Content = &'a mut M;
    fn unboxed(self) -> &'a mut M {
        self
    }
}

/// The first `count` of the values; these then go on after them.
///
/// # Errors
/// [`InvalidInput::Dimension`] when there are fewer.
pub fn take<'a, T>(
    values: &mut &'a [T],
    count: usize,
    quantity: &'static str,
) -> Result<&'a [T], InvalidInput> {
    InvalidInput::check_size(quantity, values.len().min(count), count)?;
    let (first, rest) = values.split_at(count);
    *values = rest;
    Ok(first)
}

/// As [`take`], of values that are written.
pub fn take_mut<'a, T>(
    values: &mut &'a mut [T],
    count: usize,
    quantity: &'static str,
) -> Result<&'a mut [T], InvalidInput> {
    InvalidInput::check_size(quantity, values.len().min(count), count)?;
    let (first, rest) = std::mem::take(values).split_at_mut(count);
    *values = rest;
    Ok(first)
}

pub use crate::{compose_enum, each_of_enum};
/// That of the standard library, whatever a caller calls so.
pub use std::result::Result;
pub(crate) use {compose_sets, each_of_box, each_of_list, each_of_none, each_of_tuple};
