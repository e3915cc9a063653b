//! All parameters of a model, and how they print.

use super::{Interval, ParameterInfo};
use crate::error::Short;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The parameters of a model, in their order: a slice of [`ParameterInfo`] that prints as a table with name, value, unit
/// and bounds, values to six digits.
///
/// ```
/// use dualbody::prelude::*;
///
/// let material = ContactMaterial::new(1e5, 0.5, 0.3)?;
/// let system = SystemBuilder::new().floor("floor", material).compliant(1e-3)?;
/// let table = system.parameters().to_string();
/// let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
/// assert_eq!(words(table.lines().next().ok_or("no line")?), ["parameter", "value", "unit", "bounds"]);
/// let friction = table.lines().find(|line| line.starts_with("geometry/floor/friction"));
/// assert_eq!(words(friction.ok_or("no line")?), ["geometry/floor/friction", "0.3", "1", "[0,", "1e100]"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParameterList(Vec<ParameterInfo>);

impl fmt::Display for ParameterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = ["parameter", "value", "unit", "bounds"].map(str::to_owned);
        let rows = self.iter().map(|p| {
            let bounds = Interval {
                lower: p.lower,
                upper: p.upper,
            };
            let value = Short::to_digits(p.value, 6).to_string();
            [p.name.clone(), value, p.unit.to_owned(), bounds.to_string()]
        });
        let rows: Vec<[String; 4]> = std::iter::once(titles).chain(rows).collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let [name, value, unit] = [width(0), width(1), width(2)];
        for (k, row) in rows.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            let [n, v, u, bounds] = row;
            write!(f, "{n:name$}  {v:value$}  {u:unit$}  {bounds}")?;
        }
        Ok(())
    }
}

impl Deref for ParameterList {
    type Target = [ParameterInfo];

    fn deref(&self) -> &[ParameterInfo] {
        &self.0
    }
}

impl DerefMut for ParameterList {
    fn deref_mut(&mut self) -> &mut [ParameterInfo] {
        &mut self.0
    }
}

impl FromIterator<ParameterInfo> for ParameterList {
    fn from_iter<I: IntoIterator<Item = ParameterInfo>>(parameters: I) -> Self {
        ParameterList(parameters.into_iter().collect())
    }
}

impl IntoIterator for ParameterList {
    type Item = ParameterInfo;
    type IntoIter = std::vec::IntoIter<ParameterInfo>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ParameterList {
    type Item = &'a ParameterInfo;
    type IntoIter = std::slice::Iter<'a, ParameterInfo>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
