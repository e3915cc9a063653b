//! Blocks of a stream: text or numbers, each behind a byte that says which.

use super::error::RemoteError;
use super::signal::{read_signal, write_signal};
use std::io::{Read, Write};

/// The longest text that a block may announce, in bytes.
const MAX_TEXT: u32 = 1 << 20;
const TEXT: u8 = b'T';
const NUMBERS: u8 = b'N';
const REFUSAL: u8 = b'R';

/// What is sent at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Text(String),
    Numbers(Vec<f64>),
    /// Why there is no answer.
    Refusal(String),
}

impl Block {
    pub fn write(&self, to: &mut impl Write) -> Result<(), RemoteError> {
        let (tag, text) = match self {
            Block::Numbers(numbers) => {
                to.write_all(&[NUMBERS])?;
                return Ok(write_signal(to, numbers)?);
            }
            Block::Text(text) => (TEXT, text),
            Block::Refusal(text) => (REFUSAL, text),
        };
        let size = u32::try_from(text.len()).ok().filter(|n| *n <= MAX_TEXT);
        let size = size.ok_or_else(|| unknown("a text is too long"))?;
        to.write_all(&[tag])?;
        to.write_all(&size.to_le_bytes())?;
        to.write_all(text.as_bytes())?;
        Ok(to.flush()?)
    }

    pub fn read(from: &mut impl Read) -> Result<Self, RemoteError> {
        let mut tag = [0];
        from.read_exact(&mut tag)?;
        Self::read_after(tag, from).map_err(|error| match error {
            RemoteError::Closed => unknown("it ends within a block"),
            other => other,
        })
    }

    fn read_after(tag: [u8; 1], from: &mut impl Read) -> Result<Self, RemoteError> {
        let is_text = match tag[0] {
            NUMBERS => return Ok(Block::Numbers(read_signal(from)?)),
            TEXT => true,
            REFUSAL => false,
            other => return Err(unknown(&format!("a block starts with the byte {other}"))),
        };
        let mut size = [0; 4];
        from.read_exact(&mut size)?;
        let size = u32::from_le_bytes(size);
        if size > MAX_TEXT {
            return Err(unknown("a text is too long"));
        }
        let mut bytes = Vec::new();
        from.take(size.into()).read_to_end(&mut bytes)?;
        if bytes.len() < size as usize {
            return Err(RemoteError::Closed);
        }
        let text = String::from_utf8(bytes).map_err(|_| unknown("a text is not UTF-8"))?;
        Ok(match is_text {
            true => Block::Text(text),
            false => Block::Refusal(text),
        })
    }
}

pub(super) fn unknown(reason: &str) -> RemoteError {
    RemoteError::Stream {
        reason: reason.to_owned(),
    }
}

/// The text with which a machine ends a stream.
pub(super) const GOODBYE: &str = "goodbye";

/// The text that opens a stream, for steps of a length in s.
pub(super) fn greeting(step: f64) -> String {
    format!("dualbody 1\nstep {step:?} s")
}

/// The text that announces an element.
pub(super) fn announcement(name: &str, sent: &[String], expected: &[String]) -> String {
    let mut text = format!("element\n{name}");
    for (what, names) in [("sends", sent), ("expects", expected)] {
        text += &format!("\n{what} {}", names.len());
        names.iter().for_each(|name| text += &format!("\n{name}"));
    }
    text
}
