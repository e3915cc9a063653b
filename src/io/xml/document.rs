//! XML text as a tree of elements that know their lines.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper nesting is a mistake; robot descriptions have about ten levels.
const MAX_DEPTH: usize = 200;

/// An element with its attributes and children; text is not kept.
#[derive(Debug)]
pub(super) struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// Counted from 1.
    pub line: usize,
}

/// Why a text is not XML, and on which line.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub line: usize,
    pub message: String,
}

/// The outermost element of a text.
///
/// Prefixes of names need not be declared, as descriptions with extensions for simulators often
/// leave that out.
pub(super) fn parse(text: &str) -> Result<Element, SyntaxError> {
    let mut reader = Reader::from_str(text);
    let mut lines = Lines {
        text,
        position: 0,
        line: 1,
    };
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let start = lines.at(reader.buffer_position());
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(syntax(lines.at(reader.error_position()), error)),
        };
        let closed = match event {
            Event::Start(_) if open.len() == MAX_DEPTH => {
                let message = format!("elements are nested more than {MAX_DEPTH} deep");
                return Err(syntax(start, message));
            }
            Event::Start(tag) => {
                open.push(element(&reader, &tag, start)?);
                None
            }
            Event::Empty(tag) => Some(element(&reader, &tag, start)?),
            Event::End(_) => open.pop(),
            Event::Eof => break,
            _ => None,
        };
        let Some(closed) = closed else { continue };
        match open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None if root.is_none() => root = Some(closed),
            None => {
                let message = format!("<{}> follows the outermost element", closed.name);
                return Err(syntax(closed.line, message));
            }
        }
    }
    if let Some(unclosed) = open.pop() {
        let message = format!("<{}> is not closed", unclosed.name);
        return Err(syntax(unclosed.line, message));
    }
    root.ok_or_else(|| syntax(1, "there is no element"))
}

fn element(reader: &Reader<&[u8]>, tag: &BytesStart, line: usize) -> Result<Element, SyntaxError> {
    let decoder = reader.decoder();
    let decode = |name: &[u8]| -> Result<String, quick_xml::Error> {
        Ok(decoder.decode(name)?.into_owned())
    };
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute?;
        let value = attribute.decode_and_unescape_value(decoder)?.into_owned();
        Ok((decode(attribute.key.as_ref())?, value))
    });
    let at_line = |error: quick_xml::Error| syntax(line, error);
    Ok(Element {
        name: decode(tag.name().as_ref()).map_err(at_line)?,
        attributes: attributes
            .collect::<Result<_, quick_xml::Error>>()
            .map_err(at_line)?,
        children: Vec::new(),
        line,
    })
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
        let position = usize::try_from(position).unwrap_or(usize::MAX);
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
