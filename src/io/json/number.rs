//! Numbers in JSON, which has no infinities.

use crate::Scalar;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A scalar that can be written and read; `f64` is one.
pub trait Number: Scalar + Serialize + DeserializeOwned {}

impl<T: Scalar + Serialize + DeserializeOwned> Number for T {}

/// A number that may be infinite: `"inf"` or `"-inf"` then, where text is written.
struct Extended<T>(T);

impl<T: Number> Serialize for Extended<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.re() {
            _ if !serializer.is_human_readable() => self.0.serialize(serializer),
            f64::INFINITY => serializer.serialize_str("inf"),
            f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            _ => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Number> Deserialize<'de> for Extended<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);

        impl<T: Number> serde::de::Visitor<'_> for Visitor<T> {
            type Value = Extended<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a number, "inf" or "-inf""#)
            }

            fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Extended<T>, E> {
                T::deserialize(x.into_deserializer()).map(Extended)
            }

            fn visit_i64<E: serde::de::Error>(self, x: i64) -> Result<Extended<T>, E> {
                self.visit_f64(x as f64)
            }

            fn visit_u64<E: serde::de::Error>(self, x: u64) -> Result<Extended<T>, E> {
                self.visit_f64(x as f64)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Extended<T>, E> {
                match text {
                    "inf" => Ok(Extended(T::from(f64::INFINITY))),
                    "-inf" => Ok(Extended(T::from(f64::NEG_INFINITY))),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }

        if !deserializer.is_human_readable() {
            return T::deserialize(deserializer).map(Extended);
        }
        deserializer.deserialize_any(Visitor(std::marker::PhantomData))
    }
}

/// For a field that may be infinite.
pub(crate) mod extended {
    use super::*;

    pub fn serialize<T: Number, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error> {
        Extended(*x).serialize(serializer)
    }

    pub fn deserialize<'de, T: Number, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Extended::deserialize(deserializer).map(|x| x.0)
    }
}

/// For a field that may be infinite or NaN, which is `null`.
pub(crate) mod extended_or_nan {
    use super::*;

    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let number = (!x.is_nan()).then_some(Extended(*x));
        number.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let number = Option::<Extended<f64>>::deserialize(deserializer)?;
        Ok(number.map_or(f64::NAN, |x| x.0))
    }
}

/// For a field of several numbers that may be infinite.
pub(crate) mod extended_list {
    use super::*;

    pub fn serialize<T: Number, S: Serializer>(
        list: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(|x| Extended(*x)))
    }

    pub fn deserialize<'de, T: Number, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let list = Vec::<Extended<T>>::deserialize(deserializer)?;
        Ok(list.into_iter().map(|x| x.0).collect())
    }
}
