//! What the readers of XML formats share: elements that know their places, places, spelling.

mod document;
mod edit;
mod place;
mod spelling;

pub(super) use document::{Attribute, Element, parse};
pub(super) use edit::{Edits, numbers};
pub use place::XmlPlace;
pub(super) use spelling::nearest;
