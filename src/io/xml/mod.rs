//! XML for the readers of descriptions: elements that know their place in the text.

mod document;
mod edit;
mod place;

pub(super) use document::{Attribute, Element, MAX_DEPTH, parse, parse_first};
pub(super) use edit::{Edits, numbers};
pub use place::XmlPlace;
