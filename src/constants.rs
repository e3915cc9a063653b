//! The macro `constants!`: casts, parameters and checks of an element from one list of its fields.
//!
//! A force element, an actuator, a sensor or a constraint is a struct with fields in the scalar `T`,
//! which are its constants, and fields without: names, indices, options.
//! [`constants!`](crate::constants!) writes what follows from the list of fields alone, inside the
//! `impl` block of the element's trait: `Cast` and `cast`, `visit_parameters`, `validate`, and `name` for a
//! force element or a constraint.
//!
//! ```
//! use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
//! use dualbody::math::SpatialForce;
//! use dualbody::tree::BodyIndex;
//! use dualbody::{Scalar, constants};
//! use nalgebra::Vector3;
//!
//! /// Drag in a current: −c (v − u) at the origin of a body.
//! #[derive(Debug, Clone)]
//! struct Current<T> {
//!     name: String,
//!     body: BodyIndex,
//!     viscosity: T,
//!     stream: Vector3<T>,
//! }
//!
//! impl<T: Scalar> ForceElement<T> for Current<T> {
//!     constants! { ForceElement for Current {
//!         name;
//!         body: in_tree;
//!         viscosity: not_negative("N s/m");
//!         stream: any("m/s");
//!     } }
//!
//!     fn add_forces(
//!         &self,
//!         context: &ForceContext<'_, T>,
//!         forces: &mut Forces<T>,
//!     ) -> Result<(), ForceError> {
//!         let v = context.body_velocity(self.body)?.linear;
//!         let force = SpatialForce::new(Vector3::zeros(), (self.stream - v) * self.viscosity);
//!         forces.add_on_body(self.body, &force)
//!     }
//! }
//!
//! let body = BodyIndex::WORLD;
//! let mut current = Current { name: "river".into(), body, viscosity: 2.0, stream: Vector3::x() };
//! let mut names = Vec::new();
//! current.visit_parameters(&mut |p| names.push(p.name.to_string()));
//! assert_eq!(names, ["river/viscosity", "river/stream/x", "river/stream/y", "river/stream/z"]);
//! ```
//!
//! # Syntax
//! ```text
//! constants! { HEAD [as CAST] [, named NAME] [, checked by METHOD] { FIELDS } }
//! ```
//!
//! | HEAD | where | generates |
//! |---|---|---|
//! | `ForceElement for Type` | in `impl<T: Scalar> ForceElement<T> for Type<T>` | `Cast`, `cast`, `name`, `visit_parameters`, `validate` |
//! | `Actuator for Type` | likewise | the same without `name` |
//! | `Sensor for Type` | likewise | the same without `name` |
//! | `TreeConstraint for Type` | likewise | the same with `name` |
//! | `ConstraintForceLaw for Type` | likewise | the same with `name` |
//! | `struct Type` | in `impl<T: Scalar> Type<T>` | public `cast`, `visit_parameters(prefix, visit)`, `validate()` |
//!
//! The scalar of the `impl` must be called `T`.
//!
//! - `as CAST` is the type in the scalar `U`, by default `Type<U>`.
//! - `named NAME` is a literal, for an element that has no field `name`.
//! - `checked by METHOD` is a method `fn(&self, &RigidBodyTree<T>) -> Result<(), Error>` (for `struct`:
//!   `fn(&self) -> Result<(), InvalidInput>`) with what else `validate` has to look at; it is called
//!   last.
//!
//! FIELDS names all fields of the struct, each with a semicolon. Parameters are listed in this order.
//!
//! | field | meaning |
//! |---|---|
//! | `f;` | not in the scalar: cloned |
//! | `f: in_tree;` | likewise, a [`TreeReference`]: the tree must have it |
//! | `f: any("m");` | a parameter `name/f` in the given unit, finite |
//! | `f: not_negative("N/m");` | likewise, ≥ 0 |
//! | `f: positive("s");` | likewise, > 0 |
//! | `f: between("1", 0.0, 1.0);` | likewise, within bounds |
//! | `f: extended("rad");` | a parameter that may be infinite, but not NaN |
//! | `f: unchecked("m");` | a parameter that METHOD alone checks; `unchecked("m", 0.0, 1.0)` is listed with bounds |
//! | `f: value;` | a [`Constant`] that is cast and must be finite, but is not a parameter |
//! | `f: nested;` | a struct with `cast`, `visit_parameters(prefix, visit)` and `validate()`; its parameters have the prefix of the element |
//! | `f: nested(A, …);` | likewise, with `visit_parameters(prefix, A, …, visit)`: the unit, say, if another field has it |
//! | `f: element;` | another element, in a box like [`AnyActuator`](crate::actuator::AnyActuator), with a name of its own |
//!
//! A parameter is a [`Constant`]: `T`, `Vector3<T>` (listed as `f/x`, `f/y`, `f/z`), `[T; N]`,
//! `Vec<T>` (`f/0`, `f/1`, …), `Vec<Vector3<T>>` (`f/0/x`, `f/0/y`, …), `Option<T>` (not listed when it is none), a
//! [`BodyPoint`]. `in_tree` may follow any of these and `nested`:
//! `point: any("m") in_tree;`; only an element, which has a tree to look at, can say so. A unit is any expression of `&'static str`, in which the cloned fields
//! are in scope: `stiffness: not_negative(motion.stiffness_unit());`.

use crate::force::{Attachment, BodyPoint};
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, FrameIndex, JointIndex, RigidBodyTree, TreeError};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::fmt;

/// The values that a constant may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    lower: f64,
    upper: f64,
    expected: &'static str,
}

impl Domain {
    /// Any finite number.
    pub const ANY: Domain = Domain::new(f64::NEG_INFINITY, f64::INFINITY, "a finite number");
    /// Finite and not negative.
    pub const NOT_NEGATIVE: Domain =
        Domain::new(0.0, f64::INFINITY, "a finite number, not negative");
    /// Finite and positive.
    pub const POSITIVE: Domain = Domain::new(f64::MIN_POSITIVE, f64::INFINITY, "a positive number");

    const fn new(lower: f64, upper: f64, expected: &'static str) -> Domain {
        Domain {
            lower,
            upper,
            expected,
        }
    }

    /// From `lower` to `upper`, both included.
    pub const fn between(lower: f64, upper: f64) -> Domain {
        Domain::new(lower, upper, "a number within the bounds")
    }

    /// The smallest value, `-f64::INFINITY` if there is none.
    pub const fn lower(self) -> f64 {
        self.lower
    }

    /// The largest value, `f64::INFINITY` if there is none.
    pub const fn upper(self) -> f64 {
        self.upper
    }

    /// Whether a number is finite and within the bounds.
    pub fn contains(self, x: f64) -> bool {
        x.is_finite() && (self.lower..=self.upper).contains(&x)
    }

    /// Checks that all entries of a quantity are in the domain.
    ///
    /// # Errors
    /// [`InvalidInput::NotFinite`] or [`InvalidInput::OutOfRange`] with the first that is not.
    pub fn check<T: Scalar>(
        self,
        quantity: &'static str,
        values: &[T],
    ) -> Result<(), InvalidInput> {
        if self == Domain::ANY {
            return InvalidInput::check_finite(quantity, values);
        }
        InvalidInput::check_range(quantity, values, self.expected, |x| self.contains(x))
    }
}

/// One constant of an element: a number, a vector, several numbers.
pub trait Constant<T: Scalar>: Sized {
    /// The same constant in another scalar.
    type Cast<U: Scalar>: Constant<U>;

    /// The same constant in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>;

    /// Calls `visit` with each number under `name`, or with `name/x` and so on where there are
    /// several.
    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    );

    /// Calls `check` with all numbers.
    ///
    /// # Errors
    /// Those of `check`.
    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput>;
}

impl<T: Scalar> Constant<T> for T {
    type Cast<U: Scalar> = U;

    fn cast<U: Scalar>(&self) -> U {
        U::from(self.re())
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        visit(Parameter {
            name,
            unit,
            lower: domain.lower,
            upper: domain.upper,
            value: self,
        });
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        check(&[*self])
    }
}

/// Shows numbers as `name/label`.
fn visit_entries<'a, T: Scalar, L: fmt::Display>(
    entries: impl Iterator<Item = (L, &'a mut T)>,
    name: fmt::Arguments<'_>,
    unit: &'static str,
    domain: Domain,
    visit: &mut dyn FnMut(Parameter<'_, T>),
) {
    for (label, value) in entries {
        value.visit(format_args!("{name}/{label}"), unit, domain, visit);
    }
}

/// `name/x`, `name/y`, `name/z`.
impl<T: Scalar> Constant<T> for Vector3<T> {
    type Cast<U: Scalar> = Vector3<U>;

    fn cast<U: Scalar>(&self) -> Vector3<U> {
        self.map(|x| U::from(x.re()))
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let entries = ["x", "y", "z"].into_iter().zip(self.iter_mut());
        visit_entries(entries, name, unit, domain, visit);
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        check(self.as_slice())
    }
}

/// `name/0`, `name/1`, ….
impl<T: Scalar, const N: usize> Constant<T> for [T; N] {
    type Cast<U: Scalar> = [U; N];

    fn cast<U: Scalar>(&self) -> [U; N] {
        self.map(|x| U::from(x.re()))
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        visit_entries(self.iter_mut().enumerate(), name, unit, domain, visit);
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        check(self)
    }
}

/// `name/0`, `name/1`, ….
impl<T: Scalar> Constant<T> for Vec<T> {
    type Cast<U: Scalar> = Vec<U>;

    fn cast<U: Scalar>(&self) -> Vec<U> {
        self.iter().map(|x| U::from(x.re())).collect()
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        visit_entries(self.iter_mut().enumerate(), name, unit, domain, visit);
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        check(self)
    }
}

/// `name/0/x`, `name/0/y`, ….
impl<T: Scalar> Constant<T> for Vec<Vector3<T>> {
    type Cast<U: Scalar> = Vec<Vector3<U>>;

    fn cast<U: Scalar>(&self) -> Vec<Vector3<U>> {
        self.iter().map(Constant::cast).collect()
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        for (i, vector) in self.iter_mut().enumerate() {
            vector.visit(format_args!("{name}/{i}"), unit, domain, visit);
        }
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        let entries: Vec<T> = self.iter().flatten().copied().collect();
        check(&entries)
    }
}

/// Not listed when there is none.
impl<T: Scalar> Constant<T> for Option<T> {
    type Cast<U: Scalar> = Option<U>;

    fn cast<U: Scalar>(&self) -> Option<U> {
        self.map(|x| U::from(x.re()))
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        if let Some(value) = self {
            value.visit(name, unit, domain, visit);
        }
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        self.iter().try_for_each(|x| check(&[*x]))
    }
}

/// The position, `name/x`, `name/y`, `name/z`.
impl<T: Scalar> Constant<T> for BodyPoint<T> {
    type Cast<U: Scalar> = BodyPoint<U>;

    fn cast<U: Scalar>(&self) -> BodyPoint<U> {
        BodyPoint::new(self.body, Constant::cast(&self.position))
    }

    fn visit(
        &mut self,
        name: fmt::Arguments<'_>,
        unit: &'static str,
        domain: Domain,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        self.position.visit(name, unit, domain, visit);
    }

    fn check(&self, check: &dyn Fn(&[T]) -> Result<(), InvalidInput>) -> Result<(), InvalidInput> {
        check(self.position.as_slice())
    }
}

/// What an element is on: something that a tree must have.
pub trait TreeReference {
    /// Checks that the tree has it.
    ///
    /// # Errors
    /// [`TreeError`] when it does not.
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError>;
}

impl TreeReference for BodyIndex {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        tree.body(*self).map(|_| ())
    }
}

impl TreeReference for FrameIndex {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        tree.frame(*self).map(|_| ())
    }
}

impl TreeReference for JointIndex {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        tree.joint(*self).map(|_| ())
    }
}

impl TreeReference for Attachment {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        self.body(tree).map(|_| ())
    }
}

impl<S> TreeReference for BodyPoint<S> {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        self.body.check_in(tree)
    }
}

impl<R: TreeReference, const N: usize> TreeReference for [R; N] {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        self.iter().try_for_each(|r| r.check_in(tree))
    }
}

impl<R: TreeReference> TreeReference for Vec<R> {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        self.iter().try_for_each(|r| r.check_in(tree))
    }
}

/// Writes what follows from the fields of an element: casts, parameters, checks.
///
/// The [module](mod@crate::constants) documents its syntax.
#[macro_export]
macro_rules! constants {
    // The heads.
    (struct $type:ident $(, checked by $check:ident)? { $($fields:tt)* }) => {
        $crate::constants!(@no_tree { $($fields)* });

        /// The same in another scalar; only real parts are carried over.
        pub fn cast<U: $crate::Scalar>(&self) -> $type<U> {
            $crate::constants!(@cast self $type { $($fields)* })
        }

        /// Calls `visit` with every constant that can be differentiated, as `prefix/constant`.
        #[allow(unused_variables)]
        pub fn visit_parameters(
            &mut self,
            prefix: impl ::std::fmt::Display,
            visit: &mut dyn FnMut($crate::parameter::Parameter<'_, T>),
        ) {
            $crate::constants!(@visit self (&prefix) visit { $($fields)* });
        }

        /// Checks the constants.
        ///
        /// # Errors
        /// [`InvalidInput`]($crate::InvalidInput) with the first that makes no sense.
        pub fn validate(&self) -> ::std::result::Result<(), $crate::InvalidInput> {
            $crate::constants!(@check self { $($fields)* });
            $(self.$check()?;)?
            Ok(())
        }
    };
    (ForceElement for $type:ident $(as $cast:ty)? $(, named $name:literal)? $(, checked by $check:ident)? { $($fields:tt)* }) => {
        fn name(&self) -> &str {
            $crate::constants!(@name self $($name)?)
        }
        $crate::constants!(@element (force ForceError)
            $type ($($cast)?) ($($name)?) ($($check)?) { $($fields)* });
    };
    (Actuator for $type:ident $(as $cast:ty)? $(, named $name:literal)? $(, checked by $check:ident)? { $($fields:tt)* }) => {
        $crate::constants!(@element (force ForceError)
            $type ($($cast)?) ($($name)?) ($($check)?) { $($fields)* });
    };
    (Sensor for $type:ident $(as $cast:ty)? $(, named $name:literal)? $(, checked by $check:ident)? { $($fields:tt)* }) => {
        $crate::constants!(@element (sensor SensorError)
            $type ($($cast)?) ($($name)?) ($($check)?) { $($fields)* });
    };
    (TreeConstraint for $type:ident $(as $cast:ty)? $(, named $name:literal)? $(, checked by $check:ident)? { $($fields:tt)* }) => {
        fn name(&self) -> &str {
            $crate::constants!(@name self $($name)?)
        }
        $crate::constants!(@element (constraint ConstraintError)
            $type ($($cast)?) ($($name)?) ($($check)?) { $($fields)* });
    };

    (ConstraintForceLaw for $type:ident $(as $cast:ty)? $(, named $name:literal)? $(, checked by $check:ident)? { $($fields:tt)* }) => {
        fn name(&self) -> &str {
            $crate::constants!(@name self $($name)?)
        }
        $crate::constants!(@element (constraint ConstraintError)
            $type ($($cast)?) ($($name)?) ($($check)?) { $($fields)* });
    };

    // Their methods.
    (@element ($module:ident $error:ident) $type:ident $cast:tt $name:tt ($($check:ident)?) $fields:tt) => {
        $crate::constants!(@cast_method $type $cast $fields);
        $crate::constants!(@visit_method $name $fields);

        #[allow(unused_variables)]
        fn validate(
            &self,
            tree: &$crate::tree::RigidBodyTree<T>,
        ) -> ::std::result::Result<(), $crate::$module::$error> {
            let constants = || -> ::std::result::Result<(), $crate::InvalidInput> {
                $crate::constants!(@check self $fields);
                Ok(())
            };
            let name = $crate::constants!(@named self $name);
            constants().map_err($crate::$module::$error::invalid(name))?;
            $crate::constants!(@check_tree self tree $fields);
            $(self.$check(tree)?;)?
            Ok(())
        }
    };
    (@cast_method $type:ident () $fields:tt) => {
        $crate::constants!(@cast_method $type ($type<U>) $fields);
    };
    (@cast_method $type:ident ($cast:ty) $fields:tt) => {
        type Cast<U: $crate::DefaultScalar> = $cast;

        fn cast<U: $crate::DefaultScalar>(&self) -> Self::Cast<U> {
            $crate::constants!(@cast self $type $fields)
        }
    };
    (@visit_method $name:tt $fields:tt) => {
        #[allow(unused_variables)]
        fn visit_parameters(
            &mut self,
            visit: &mut dyn FnMut($crate::parameter::Parameter<'_, T>),
        ) {
            $crate::constants!(@visit self ($crate::constants!(@named self $name)) visit $fields);
        }
    };
    (@named $self:ident ($($name:expr)?)) => { $crate::constants!(@name $self $($name)?) };
    (@name $self:ident) => { $self.name.as_str() };
    (@name $self:ident $name:expr) => { $name };

    // Where nothing is checked against a tree.
    (@no_tree { $($field:ident $(: $kind:ident $(($($unit:tt)*))? $($in_tree:ident)?)?;)* }) => {
        $($crate::constants!(@no_tree_field $field $(, $kind)? $($(, $in_tree)?)?);)*
    };
    (@no_tree_field $field:ident, $($kind:ident,)? in_tree) => {
        ::std::compile_error!(::std::concat!(
            "`", ::std::stringify!($field), "` cannot be looked up in a tree here"
        ));
    };
    (@no_tree_field $field:ident $(, $kind:ident)?) => {};

    // One field after another.
    (@cast $self:ident $type:ident { $($field:ident $(: $kind:ident $(($($unit:tt)*))? $($in_tree:ident)?)?;)* }) => {
        $type { $($field: $crate::constants!(@cast_field $self.$field $(, $kind)?)),* }
    };
    (@visit $self:ident ($name:expr) $visit:ident { $($field:ident $(: $kind:ident $(($($unit:tt)*))? $($in_tree:ident)?)?;)* }) => {
        $($crate::constants!(@bind_field $self $field $(, $kind)?);)*
        $($crate::constants!(@visit_field $self $field, $name, $visit $(, $kind $(($($unit)*))?)?);)*
    };
    (@check $self:ident { $($field:ident $(: $kind:ident $(($($unit:tt)*))? $($in_tree:ident)?)?;)* }) => {
        $($crate::constants!(@check_field $self $field $(, $kind $(($($unit)*))?)?);)*
    };
    (@check_tree $self:ident $tree:ident { $($field:ident $(: $kind:ident $(($($unit:tt)*))? $($in_tree:ident)?)?;)* }) => {
        $($crate::constants!(@check_tree_field $self.$field, $tree $(, $kind)? $($(, $in_tree)?)?);)*
    };

    (@cast_field $field:expr) => { ::std::clone::Clone::clone(&$field) };
    (@cast_field $field:expr, in_tree) => { ::std::clone::Clone::clone(&$field) };
    (@cast_field $field:expr, nested) => { $field.cast() };
    (@cast_field $field:expr, element) => { $field.cast() };
    (@cast_field $field:expr, $kind:ident) => {
        $crate::constants::Constant::<T>::cast::<U>(&$field)
    };

    // Units may be expressions in the fields that are not in the scalar.
    (@bind_field $self:ident $field:ident) => { let $field = &$self.$field; };
    (@bind_field $self:ident $field:ident, in_tree) => { let $field = &$self.$field; };
    (@bind_field $self:ident $field:ident, $kind:ident) => {};

    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident) => {};
    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident, in_tree) => {};
    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident, value) => {};
    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident, nested $(($($argument:expr),+))?) => {
        $self.$field.visit_parameters($name, $($($argument,)+)? $visit)
    };
    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident, element) => {
        $self.$field.visit_parameters($visit)
    };
    (@visit_field $self:ident $field:ident, $name:expr, $visit:ident,
        $kind:ident($unit:expr $(, $lower:expr, $upper:expr)?)) => {
        $crate::constants::Constant::<T>::visit(
            &mut $self.$field,
            ::std::format_args!("{}/{}", $name, ::std::stringify!($field)),
            $unit,
            $crate::constants!(@domain $kind $($lower, $upper)?),
            $visit,
        )
    };

    (@check_field $self:ident $field:ident) => {};
    (@check_field $self:ident $field:ident, in_tree) => {};
    (@check_field $self:ident $field:ident, element) => {};
    (@check_field $self:ident $field:ident, nested $(($($argument:expr),+))?) => { $self.$field.validate()? };
    (@check_field $self:ident $field:ident, unchecked($($unit:tt)*)) => {};
    (@check_field $self:ident $field:ident, value) => {
        $crate::constants!(@check_field $self $field, any(""))
    };
    (@check_field $self:ident $field:ident, extended($unit:expr)) => {
        $crate::constants::Constant::<T>::check(&$self.$field, &|values| {
            let (quantity, expected) = (::std::stringify!($field), "a number, finite or not");
            $crate::InvalidInput::check_range(quantity, values, expected, |x| !x.is_nan())
        })?
    };
    (@check_field $self:ident $field:ident, $kind:ident($unit:expr $(, $lower:expr, $upper:expr)?)) => {
        $crate::constants::Constant::<T>::check(&$self.$field, &|values| {
            let domain = $crate::constants!(@domain $kind $($lower, $upper)?);
            domain.check(::std::stringify!($field), values)
        })?
    };

    (@check_tree_field $field:expr, $tree:ident, in_tree) => {
        $crate::constants::TreeReference::check_in(&$field, $tree)?
    };
    (@check_tree_field $field:expr, $tree:ident, $kind:ident, in_tree) => {
        $crate::constants::TreeReference::check_in(&$field, $tree)?
    };
    (@check_tree_field $field:expr, $tree:ident, element) => { $field.validate($tree)? };
    (@check_tree_field $field:expr, $tree:ident $(, $kind:ident)?) => {};

    (@domain any) => { $crate::constants::Domain::ANY };
    (@domain unchecked) => { $crate::constants::Domain::ANY };
    (@domain extended) => { $crate::constants::Domain::ANY };
    (@domain not_negative) => { $crate::constants::Domain::NOT_NEGATIVE };
    (@domain positive) => { $crate::constants::Domain::POSITIVE };
    (@domain unchecked $lower:expr, $upper:expr) => {
        $crate::constants!(@domain between $lower, $upper)
    };
    (@domain between $lower:expr, $upper:expr) => {
        $crate::constants::Domain::between($lower, $upper)
    };
}
