//! Edits of a text that leave the rest of it as it is.

use super::document::{Attribute, Element};
use std::ops::Range;

/// Replacements in a text, made all at once.
#[derive(Debug, Clone, Default)]
pub(in crate::io) struct Edits {
    replacements: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Sets an attribute, which the element may not have yet; what is set last counts.
    pub fn set(&mut self, element: &Element, name: &str, value: &str) {
        let mut written = element.attributes.iter().filter(|a| a.is_written());
        let found = written.find(|a| a.name == name);
        let (bytes, before, after) = match found {
            Some(attribute) => (attribute.value_bytes.clone(), String::new(), ""),
            None => {
                let end = element.name_end();
                (end..end, format!(" {name}=\""), "\"")
            }
        };
        self.replacements
            .retain(|(range, text)| *range != bytes || !text.starts_with(&before));
        self.replace(bytes, format!("{before}{value}{after}"));
    }

    /// Takes an attribute away, if there is one.
    pub fn remove(&mut self, element: &Element, name: &str) {
        let found = element.attributes.iter().find(|a| a.name == name);
        if let Some(Attribute { bytes, .. }) = found {
            // With the blank before it.
            self.replace(bytes.start - 1..bytes.end, String::new());
        }
    }

    /// Adds a child before those that there are, behind others that are added; the same one only once.
    pub fn add_child(&mut self, element: &Element, child: &str) {
        let end = element.tag.end;
        if element.is_empty_tag {
            let (range, close) = (end - 2..end, format!("</{}>", element.name));
            let opened = (self.replacements.iter_mut()).find(|(bytes, _)| *bytes == range);
            match opened {
                Some((_, text)) if text.contains(child) => {}
                Some((_, text)) => text.insert_str(text.len() - close.len(), child),
                None => self.replace(range, format!(">{child}{close}")),
            }
        } else {
            let added = (end..end, child.to_owned());
            if !self.replacements.contains(&added) {
                self.replacements.push(added);
            }
        }
    }

    fn replace(&mut self, bytes: Range<usize>, text: String) {
        self.replacements.push((bytes, text));
    }

    /// The text with all changes.
    pub fn apply(mut self, text: &str) -> String {
        self.replacements
            .sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
        let mut out = String::with_capacity(text.len());
        let mut position = 0;
        for (bytes, replacement) in self.replacements {
            out.push_str(text.get(position..bytes.start).unwrap_or_default());
            out.push_str(&replacement);
            position = position.max(bytes.end);
        }
        out.push_str(text.get(position..).unwrap_or_default());
        out
    }
}

/// Numbers as they are written in attributes: with as many digits as tell them from their neighbours.
pub(in crate::io) fn numbers(values: &[f64]) -> String {
    // Not −0.
    let words: Vec<String> = values.iter().map(|x| format!("{:?}", x + 0.0)).collect();
    let short = words
        .iter()
        .map(|word| word.strip_suffix(".0").unwrap_or(word));
    short.collect::<Vec<_>>().join(" ")
}
