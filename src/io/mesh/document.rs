//! XML as a tree of elements with their text.

use super::MeshError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper nesting is a mistake.
const MAX_DEPTH: usize = 200;

/// An element with what is in it.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    pub text: String,
    /// Counted from 1.
    pub line: usize,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub fn child<'a>(&'a self, name: &'a str) -> Option<&'a Element> {
        self.children(name).next()
    }

    /// What a reference to `#id` names, of this name, in any library with this name.
    pub fn find<'a>(&'a self, library: &'a str, name: &'a str, url: &str) -> Option<&'a Element> {
        let id = url.strip_prefix('#')?;
        self.children(library)
            .flat_map(|library| library.children(name))
            .find(|element| element.attribute("id") == Some(id))
    }
}

/// The outermost element of a text.
///
/// # Errors
/// [`MeshError::Invalid`] with the line where it is not XML.
pub(super) fn parse(file: &str, text: &str) -> Result<Element, MeshError> {
    let mut reader = Reader::from_str(text);
    let (mut position, mut line) = (0, 1);
    let mut open = vec![Element::default()];
    loop {
        let start = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let passed = text.as_bytes().get(position..start).unwrap_or_default();
        line += passed.iter().filter(|b| **b == b'\n').count();
        position = position.max(start);
        let invalid = |message: String| MeshError::invalid(file, Some(line), message);
        let error = |error: quick_xml::Error| invalid(error.to_string());
        let decode = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut is_closed = false;
        match reader.read_event().map_err(error)? {
            Event::Start(_) if open.len() > MAX_DEPTH => {
                return Err(invalid(format!(
                    "elements are nested more than {MAX_DEPTH} deep"
                )));
            }
            Event::Start(tag) => open.push(element(&reader, &tag, line).map_err(error)?),
            Event::Empty(tag) => {
                open.push(element(&reader, &tag, line).map_err(error)?);
                is_closed = true;
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&decode(&text));
                }
            }
            Event::End(_) => is_closed = true,
            Event::Eof => break,
            _ => {}
        }
        if is_closed
            && let Some(closed) = open.pop()
            && let Some(parent) = open.last_mut()
        {
            parent.children.push(closed);
        }
    }
    match open.pop() {
        Some(unclosed) if !open.is_empty() => {
            let message = format!("<{}> is not closed", unclosed.name);
            Err(MeshError::invalid(file, Some(unclosed.line), message))
        }
        outermost => outermost
            .and_then(|mut all| all.children.pop())
            .ok_or_else(|| MeshError::invalid(file, Some(1), "there is no element")),
    }
}

fn element(
    reader: &Reader<&[u8]>,
    tag: &BytesStart,
    line: usize,
) -> Result<Element, quick_xml::Error> {
    let decoder = reader.decoder();
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute?;
        let value = attribute.decode_and_unescape_value(decoder)?.into_owned();
        Ok((decoder.decode(attribute.key.as_ref())?.into_owned(), value))
    });
    Ok(Element {
        name: decoder.decode(tag.local_name().as_ref())?.into_owned(),
        attributes: attributes.collect::<Result<_, quick_xml::Error>>()?,
        line,
        ..Element::default()
    })
}
