//! What the readers of XML formats share: elements that know their places, places.

mod document;
mod edit;
mod place;

pub(super) use document::{Attribute, Element, parse, parse_first};
pub(super) use edit::{Edits, numbers};
pub use place::XmlPlace;
