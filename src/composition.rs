//! One way to put elements together, for every family of them.
//!
//! The members of a set are none (`()`), several of one type (`Vec`), several of different types (a
//! tuple), the one in a `Box`, or the one of several types that an enum holds. A family says once what
//! a set does with each of its members:
//!
//! ```text
//! macro_rules! members {
//!     ($self:ident, $each:ident $members:tt) => {
//!         fn count(&$self) -> usize {
//!             let mut sum = 0;
//!             $each!($members, $self, |m| sum += Family::<T>::count(m));
//!             sum
//!         }
//!         …
//!     };
//! }
//! compose_sets!(Family, members);
//! compose_enum!(Family, members, /// Any of these. BuiltinFamily { Variant(Type<T>), … });
//! ```
//!
//! where `Family<T>` is a trait with `type Cast<U: Scalar>: Family<U>` and
//! `fn cast<U: Scalar>(&self) -> Self::Cast<U>`, which the two macros write.

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
macro_rules! compose_enum {
    (
        $family:ident, $members:ident,
        $(#[$doc:meta])* $name:ident { $($(#[$text:meta])* $variant:ident($type:ty),)+ }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
        #[non_exhaustive]
        pub enum $name<T> {
            $($(#[$text])* $variant($type),)+
        }

        $(impl<T> From<$type> for $name<T> {
            fn from(element: $type) -> Self {
                $name::$variant(element)
            }
        })+

        impl<T: Scalar> $family<T> for $name<T> {
            type Cast<U: Scalar> = $name<U>;
            fn cast<U: Scalar>(&self) -> $name<U> {
                match self {
                    $($name::$variant(m) => $name::$variant($family::<T>::cast::<U>(m)),)+
                }
            }
            $members!(self, each_of_enum ($name $($variant)+));
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
pub(crate) fn take<'a, T>(
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
pub(crate) fn take_mut<'a, T>(
    values: &mut &'a mut [T],
    count: usize,
    quantity: &'static str,
) -> Result<&'a mut [T], InvalidInput> {
    InvalidInput::check_size(quantity, values.len().min(count), count)?;
    let (first, rest) = std::mem::take(values).split_at_mut(count);
    *values = rest;
    Ok(first)
}

pub(crate) use {
    compose_enum, compose_sets, each_of_box, each_of_enum, each_of_list, each_of_none,
    each_of_tuple,
};
