//! Type erasure of elements: force elements, actuators, sensors and constraints as trait objects.

use crate::InvalidInput;

/// Declares the box that holds any element of a family: an element as a trait object that can be cloned, cast to the
/// [default scalars](crate::DefaultScalar) and asked for its type.
///
/// The elements of this crate are listed. What is cast to a scalar is looked for among them, so that their code in that
/// scalar is compiled where a machine is cast to it. Any other element knows all its casts itself; for thirty elements,
/// the code in seven scalars would be half of this crate.
macro_rules! erase {
    ($(#[$doc:meta])* $any:ident, $erased:ident, $family:ident, listed: $($listed:ty),* $(,)?) => {
        $(#[$doc])*
        pub struct $any<T: Scalar>(Box<dyn $erased<T>>);

        trait $erased<T: Scalar>: $family<T> {
            fn to_any(&self) -> $any<T>;
            fn to_f64(&self) -> $any<f64>;
            fn cast_itself(&self, scalar: ScalarName) -> Option<Box<dyn Any>>;
            #[allow(dead_code)] // constraints are told by their names
            fn type_name(&self) -> &'static str;
            fn as_type(&self) -> &dyn Any;
            fn as_type_mut(&mut self) -> &mut dyn Any;
        }

        impl<T: Scalar, E: $family<T> + Clone> $erased<T> for E {
            fn to_any(&self) -> $any<T> {
                $any::new(self.clone())
            }
            fn to_f64(&self) -> $any<f64> {
                $any::new($family::<T>::cast::<f64>(self))
            }
            fn cast_itself(&self, scalar: ScalarName) -> Option<Box<dyn Any>> {
                // Between two kinds of duals one goes by way of `f64`, so that the number of casts that are compiled
                // does not grow with the square of the number of scalars.
                if const { T::NDERIV == 0 } {
                    $family::<T>::to_default_scalar(self, scalar)
                } else {
                    None
                }
            }
            fn type_name(&self) -> &'static str {
                std::any::type_name::<E>()
            }
            fn as_type(&self) -> &dyn Any {
                self
            }
            fn as_type_mut(&mut self) -> &mut dyn Any {
                self
            }
        }

        impl<T: Scalar> $any<T> {
            /// Holds an element; what is in such a box already is not put into another.
            #[inline(never)]
            pub fn new<E: $family<T> + Clone>(element: E) -> Self {
                match (&element as &dyn Any).downcast_ref::<Self>() {
                    Some(held) => held.clone(),
                    None => $any(Box::new(element)),
                }
            }

            /// The name of its type.
            #[allow(dead_code)]
            pub(crate) fn short_type(&self) -> &'static str {
                $crate::error::short_type_name(self.0.type_name())
            }

            /// The element, if it is of this type.
            pub fn downcast_ref<E: $family<T>>(&self) -> Option<&E> {
                self.0.as_type().downcast_ref()
            }

            /// The element, if it is of this type, to change its constants.
            pub fn downcast_mut<E: $family<T>>(&mut self) -> Option<&mut E> {
                self.0.as_type_mut().downcast_mut()
            }
        }

        impl $any<f64> {
            #[inline(never)]
            fn to_scalar<U: crate::DefaultScalar>(&self) -> $any<U> {
                if let Some(Ok(element)) = self.0.cast_itself(U::NAME).map(|e| e.downcast()) {
                    return *element;
                }
                $(if let Some(element) = self.downcast_ref::<$listed>() {
                    return $any::new($family::<f64>::cast::<U>(element));
                })*
                unreachable!("an element without casts of its own is listed")
            }
        }

        impl<T: Scalar> Clone for $any<T> {
            fn clone(&self) -> Self {
                self.0.to_any()
            }
        }

        impl<T: Scalar> std::fmt::Debug for $any<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

    };
}

/// Has an element know its casts to all default scalars: in the definition of a family.
macro_rules! casts_of_its_own {
    ($any:ident) => {
        #[doc(hidden)]
        fn to_default_scalar(
            &self,
            scalar: $crate::default_scalar::ScalarName,
        ) -> Option<Box<dyn std::any::Any>>
        where
            Self: Sized,
        {
            Some($crate::default_scalar::match_scalar!(scalar, U => Box::new(super::$any::new(self.cast::<U>()))))
        }
    };
}

/// Has the casts of an element found by the list of its family: in the implementations of this crate.
macro_rules! casts_by_list {
    () => {
        fn to_default_scalar(
            &self,
            _: $crate::default_scalar::ScalarName,
        ) -> Option<Box<dyn std::any::Any>> {
            None
        }
    };
}

/// Has a box do what is in it.
macro_rules! delegate {
    ($any:ident: $family:ident { $($how:ident fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)* }) => {
        /// What the element in it is.
        impl<T: Scalar> $family<T> for $any<T> {
            type Cast<U: crate::DefaultScalar> = $any<U>;

            $crate::erased::casts_by_list! {}

            fn cast<U: crate::DefaultScalar>(&self) -> $any<U> {
                match (self as &dyn Any).downcast_ref::<$any<f64>>() {
                    Some(real) => real.to_scalar(),
                    None => self.0.to_f64().to_scalar(),
                }
            }

            $($crate::erased::delegate! { @$how $name($($argument: $type),*) $(-> $result)? })*
        }
    };
    (@get $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $name(&self, $($argument: $type),*) $(-> $result)? {
            self.0.$name($($argument),*)
        }
    };
    (@set $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $name(&mut self, $($argument: $type),*) $(-> $result)? {
            self.0.$name($($argument),*)
        }
    };
    (@lend $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $name<'a>(&'a self, $($argument: $type,)* visit: &mut dyn FnMut(ElementKink<'a, T>)) $(-> $result)? {
            self.0.$name($($argument,)* visit)
        }
    };
}

/// Declares the list of the elements of a family that a machine has.
macro_rules! element_list {
    ($(#[$doc:meta])* $list:ident of $any:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub(crate) struct $list<T: Scalar>(Vec<$any<T>>);

        impl<T: Scalar> Default for $list<T> {
            fn default() -> Self {
                $list(Vec::new())
            }
        }

        impl<T: Scalar> std::ops::Deref for $list<T> {
            type Target = Vec<$any<T>>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl<T: Scalar> std::ops::DerefMut for $list<T> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        impl<T: Scalar> $list<T> {
            pub fn cast<U: crate::DefaultScalar>(&self) -> $list<U> {
                $list(self.iter().map(|element| element.cast()).collect())
            }
        }
    };
}

/// The first `count` of the values; these then go on after them.
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

pub(crate) use {casts_by_list, casts_of_its_own, delegate, element_list, erase};
