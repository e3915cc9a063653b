//! XML text as a tree of elements that know their lines.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::ops::Range;

/// Deeper nesting is a mistake: robot descriptions have about ten levels, ropes hundreds. Walks through so many need less
/// than half of a stack of 2 MB.
pub(in crate::io) const MAX_DEPTH: usize = 1000;

/// More attributes of one element are a mistake; finding one among many takes long.
const MAX_ATTRIBUTES: usize = 1000;

/// An element with its attributes and children; text is not kept.
#[derive(Debug, Clone)]
pub(in crate::io) struct Element {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// Counted from 1.
    pub line: usize,
    /// Which of several texts it is in, a number of the caller's.
    pub source: usize,
    /// Bytes of the start tag in the text, from `<` to behind `>`.
    pub tag: Range<usize>,
    /// Whether the start tag closes the element.
    pub is_empty_tag: bool,
}

/// An attribute, and where it is in the text.
#[derive(Debug, Clone)]
pub(in crate::io) struct Attribute {
    pub name: String,
    pub value: String,
    /// From its name to behind the closing quote.
    pub bytes: Range<usize>,
    /// Between the quotes.
    pub value_bytes: Range<usize>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|a| a.name == name);
        found.map(|a| a.value.as_str())
    }

    /// A copy without what is in it.
    pub fn clone_alone(&self) -> Self {
        Element {
            name: self.name.clone(),
            attributes: self.attributes.clone(),
            children: Vec::new(),
            tag: self.tag.clone(),
            ..*self
        }
    }

    /// Sets an attribute that is there to a value that is not in the text.
    pub fn set(&mut self, name: &str, value: &str) {
        if let Some(found) = self.attributes.iter_mut().find(|a| a.name == name) {
            found.value = value.to_owned();
        }
    }

    /// One that is not in the text.
    pub fn inserted(name: &str, line: usize) -> Self {
        Element {
            name: name.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            line,
            source: 0,
            tag: 0..0,
            is_empty_tag: true,
        }
    }

    /// Whether it is in the text.
    pub fn is_written(&self) -> bool {
        !self.tag.is_empty()
    }

    /// The position in the text behind the name in the start tag.
    pub fn name_end(&self) -> usize {
        self.tag.start + 1 + self.name.len()
    }
}

impl Attribute {
    /// One that is not in the text.
    pub fn inserted(name: &str, value: &str) -> Self {
        Attribute {
            name: name.to_owned(),
            value: value.to_owned(),
            bytes: 0..0,
            value_bytes: 0..0,
        }
    }

    /// Whether it is in the text.
    pub fn is_written(&self) -> bool {
        !self.bytes.is_empty()
    }
}

/// Why a text is not XML, and on which line.
#[derive(Debug)]
pub(in crate::io) struct SyntaxError {
    pub line: usize,
    pub message: String,
}

/// The outermost element of a text.
///
/// Prefixes of names need not be declared, as descriptions with extensions for simulators often
/// leave that out.
pub(in crate::io) fn parse(text: &str, source: usize) -> Result<Element, SyntaxError> {
    match read(text, source, Behind::Refused)? {
        (root, None) => Ok(root),
        (_, Some(second)) => {
            let message = format!("<{}> follows the outermost element", second.name);
            Err(syntax(second.line, message))
        }
    }
}

/// The first of the outermost elements of a text, and the second if there are several; end tags behind the first are passed
/// over.
pub(in crate::io) fn parse_first(
    text: &str,
    source: usize,
) -> Result<(Element, Option<Element>), SyntaxError> {
    read(text, source, Behind::PassedOver)
}

/// What becomes of end tags behind the outermost element.
#[derive(PartialEq, Eq)]
enum Behind {
    Refused,
    PassedOver,
}

fn read(
    text: &str,
    source: usize,
    behind: Behind,
) -> Result<(Element, Option<Element>), SyntaxError> {
    // The tokeniser would count positions from behind a byte-order mark.
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - content.len();
    let mut reader = Reader::from_str(content);
    let mut lines = Lines {
        text: content,
        position: 0,
        line: 1,
    };
    let mut open: Vec<Element> = Vec::new();
    let (mut root, mut second) = (None, None);
    loop {
        reader.config_mut().allow_unmatched_ends = root.is_some() && behind == Behind::PassedOver;
        let first_byte = reader.buffer_position();
        let start = lines.at(first_byte);
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(syntax(lines.at(reader.error_position()), error)),
        };
        let place = |reader: &Reader<&[u8]>| Start {
            text,
            source,
            line: start,
            end: mark + to_usize(reader.buffer_position()),
        };
        let closed = match event {
            Event::Start(_) if open.len() == MAX_DEPTH => {
                let message = format!("elements are nested more than {MAX_DEPTH} deep");
                return Err(syntax(start, message));
            }
            Event::Start(tag) => {
                open.push(element(&reader, &tag, place(&reader))?);
                None
            }
            Event::Empty(tag) => Some(element(&reader, &tag, place(&reader))?),
            Event::End(_) => open.pop(),
            Event::Eof => break,
            Event::Text(text) if text.trim_ascii().is_empty() => None,
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) if open.is_empty() => {
                let rest = content.get(to_usize(first_byte)..).unwrap_or_default();
                let blank = rest.len() - rest.trim_start().len();
                let line = lines.at(first_byte + blank as u64);
                let message = "there is text outside of the outermost element";
                return Err(syntax(line, message));
            }
            _ => None,
        };
        let Some(closed) = closed else { continue };
        match open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None if root.is_none() => root = Some(closed),
            None => {
                second.get_or_insert(closed);
            }
        }
    }
    if let Some(unclosed) = open.pop() {
        let message = format!("<{}> is not closed", unclosed.name);
        return Err(syntax(unclosed.line, message));
    }
    let root =
        root.ok_or_else(|| syntax(1, "there is no element: the text is empty, or no XML"))?;
    Ok((root, second))
}

/// Where a start tag is.
struct Start<'t> {
    text: &'t str,
    source: usize,
    line: usize,
    /// The position behind it.
    end: usize,
}

fn element(
    reader: &Reader<&[u8]>,
    tag: &BytesStart,
    place: Start<'_>,
) -> Result<Element, SyntaxError> {
    let decoder = reader.decoder();
    let at_line = |error: quick_xml::Error| syntax(place.line, error);
    let decode = |name: &[u8]| -> Result<String, SyntaxError> {
        Ok((decoder.decode(name).map_err(|e| at_line(e.into()))?).into_owned())
    };
    // The event borrows from the text.
    let bytes = |part: &[u8]| {
        let start = (part.as_ptr() as usize).wrapping_sub(place.text.as_ptr() as usize);
        start..start.wrapping_add(part.len())
    };
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        if attributes.len() == MAX_ATTRIBUTES {
            let message = format!("an element has more than {MAX_ATTRIBUTES} attributes");
            return Err(syntax(place.line, message));
        }
        let attribute = attribute.map_err(|e| at_line(e.into()))?;
        let value = (attribute.decode_and_unescape_value(decoder)).map_err(at_line)?;
        let value_bytes = bytes(&attribute.value);
        attributes.push(Attribute {
            name: decode(attribute.key.as_ref())?,
            value: value.into_owned(),
            bytes: bytes(attribute.key.as_ref()).start..value_bytes.end.wrapping_add(1),
            value_bytes,
        });
    }
    Ok(Element {
        name: decode(tag.name().as_ref())?,
        attributes,
        children: Vec::new(),
        line: place.line,
        source: place.source,
        is_empty_tag: (place.text.as_bytes().get(..place.end)).is_some_and(|t| t.ends_with(b"/>")),
        tag: bytes(tag.name().as_ref()).start.wrapping_sub(1)..place.end,
    })
}

fn to_usize(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn syntax(line: usize, message: impl ToString) -> SyntaxError {
    let message = message.to_string();
    SyntaxError { line, message }
}

/// Counts lines up to positions that mostly grow.
struct Lines<'t> {
    text: &'t str,
    position: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, position: u64) -> usize {
        let position = to_usize(position);
        if position < self.position {
            (self.position, self.line) = (0, 1);
        }
        let text = self.text.as_bytes();
        let passed = text.get(self.position..position.min(text.len()));
        self.line += passed
            .unwrap_or_default()
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        self.position = position;
        self.line
    }
}
