//! A line reader that knows its position.

use std::io::{BufRead, Read, Result, Seek, SeekFrom};

/// A reader that gives one line at a time, however much is asked for.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    /// Where readers find the beginning when they seek it.
    start: usize,
    position: usize,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Lines {
            text,
            start: 0,
            position: 0,
        }
    }

    /// Lets the text begin at what is next, and says whether there is anything.
    pub fn restart(&mut self) -> bool {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_ascii_start().len();
        self.start = self.position;
        self.position < self.text.len()
    }

    /// What was not given yet.
    pub fn rest(&self) -> &'t [u8] {
        &self.text[self.position..]
    }

    /// The line that was given last, counted from 1.
    pub fn line(&self) -> usize {
        let given = &self.text[..self.position];
        let ended = given.iter().filter(|b| **b == b'\n').count();
        ended + usize::from(given.last() != Some(&b'\n'))
    }
}

impl BufRead for Lines<'_> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        let rest = self.rest();
        let end = rest.iter().position(|b| *b == b'\n');
        Ok(&rest[..end.map_or(rest.len(), |end| end + 1)])
    }

    fn consume(&mut self, amount: usize) {
        self.position = (self.position + amount).min(self.text.len());
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let line = self.fill_buf()?;
        let length = line.len().min(buffer.len());
        buffer[..length].copy_from_slice(&line[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl Seek for Lines<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => (self.start as u64).checked_add(position),
            SeekFrom::Current(offset) => (self.position as u64).checked_add_signed(offset),
            SeekFrom::End(offset) => (self.text.len() as u64).checked_add_signed(offset),
        };
        let position = position.filter(|position| *position <= self.text.len() as u64);
        let position = position.ok_or(std::io::ErrorKind::InvalidInput)?;
        self.position = position as usize;
        Ok(position.saturating_sub(self.start as u64))
    }
}
