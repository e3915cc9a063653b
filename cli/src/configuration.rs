//! Values by name on the command line.

use dualbody::nalgebra::Vector3;
use std::str::FromStr;

/// `NAME=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// The value, finite.
    pub value: f64,
}

/// `BODY=X,Y,Z`.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The body.
    pub body: String,
    /// The position of its origin in the world, in m.
    pub position: Vector3<f64>,
}

fn split(text: &str) -> Result<(String, &str), String> {
    match text.rsplit_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value)),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

fn number(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(x) if f64::is_finite(x) => Ok(x),
        _ => Err(format!("{text:?} is not a finite number")),
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = split(text)?;
        Ok(Assignment {
            name,
            value: number(value)?,
        })
    }
}

impl FromStr for Placement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (body, position) = split(text)?;
        let position: Vec<f64> = position.split(',').map(number).collect::<Result<_, _>>()?;
        match position[..] {
            [x, y, z] => Ok(Placement {
                body,
                position: Vector3::new(x, y, z),
            }),
            _ => Err("expected BODY=X,Y,Z".to_owned()),
        }
    }
}

/// A time in s that is positive.
pub fn positive_time(text: &str) -> Result<f64, String> {
    match number(text)? {
        x if x > 0.0 => Ok(x),
        _ => Err("expected a positive time in s".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_names() {
        let set: Assignment = "a=b/friction = 0.4".parse().unwrap();
        assert_eq!((set.name.as_str(), set.value), ("a=b/friction", 0.4));
        for wrong in ["", "a", "=1", "a=", "a=nan", "a=inf", "a=1,2"] {
            assert!(wrong.parse::<Assignment>().is_err(), "{wrong}");
        }
        let place: Placement = "box=1,2,3e-1".parse().unwrap();
        assert_eq!(place.position, Vector3::new(1.0, 2.0, 0.3));
        assert!("box=1,2".parse::<Placement>().is_err());
    }
}
