//! Texts of files and of standard input, and what they are.

use crate::failure::{Failure, Outcome};
use clap::ValueEnum;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A format of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Unified Robot Description Format
    Urdf,
    /// MuJoCo's models
    Mjcf,
    /// a machine of this library
    Json,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Urdf => "URDF",
            Format::Mjcf => "MJCF",
            Format::Json => "JSON",
        }
    }

    /// The format of files with this extension; of `.xml` the contents decide.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "urdf" => Some(Format::Urdf),
            "mjcf" => Some(Format::Mjcf),
            "json" => Some(Format::Json),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        if text.trim_start().starts_with('{') {
            return Some(Format::Json);
        }
        match outermost_element(text)? {
            "robot" => Some(Format::Urdf),
            "mujoco" => Some(Format::Mjcf),
            _ => None,
        }
    }
}

/// The name of the first element of a document.
fn outermost_element(mut text: &str) -> Option<&str> {
    loop {
        text = &text[text.find('<')? + 1..];
        let end = match text {
            _ if text.starts_with("!--") => "-->",
            _ if text.starts_with('?') => "?>",
            _ if text.starts_with('!') => ">",
            _ => {
                let end = text.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
                return Some(&text[..end?]);
            }
        };
        text = &text[text.find(end)? + end.len()..];
    }
}

/// A text, and where it is from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The text.
    pub text: String,
    /// What it is.
    pub format: Format,
    /// The file that a reader can open again; none for standard input and pipes.
    pub file: Option<PathBuf>,
    /// For messages.
    pub name: String,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path, format: Option<Format>) -> Outcome<Self> {
        let is_input = path == Path::new("-");
        let name = match is_input {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        let mut bytes = Vec::new();
        let read = match is_input {
            true => std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
            false => fs::read(path).map(|read| bytes = read),
        };
        read.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            Failure::Input(format!("{name}:{line}: not a text in UTF-8"))
        })?;
        let found =
            (format.or_else(|| Format::of_extension(path))).or_else(|| Format::of_text(&text));
        let format = found.ok_or_else(|| {
            let expected = "neither <robot> (URDF) nor <mujoco> (MJCF) nor { (JSON) at its start";
            Failure::Input(format!("{name}: {expected}"))
        })?;
        let is_file = !is_input && fs::metadata(path).is_ok_and(|data| data.is_file());
        let file = is_file.then(|| path.to_owned());
        Ok(Source {
            text,
            format,
            file,
            name,
        })
    }

    /// The name of the machine when its text has none: that of the file.
    pub fn stem(&self) -> String {
        let stem = self.file.as_deref().and_then(Path::file_stem);
        stem.map_or_else(
            || "machine".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }

    /// For `map_err`: of a reader that does not know where the text is from.
    pub fn mistake<E: std::fmt::Display>(&self) -> impl Fn(E) -> Failure {
        let name = (self.file.is_none()).then(|| self.name.clone());
        move |error| match &name {
            Some(name) => Failure::Input(format!("{name}: {error}")),
            None => Failure::input(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_say_what_a_text_is() {
        let urdf = "<?xml version=\"1.0\"?>\n<!-- <mujoco> -->\n<!DOCTYPE x>\n<robot name=\"a\"/>";
        assert_eq!(Format::of_text(urdf), Some(Format::Urdf));
        assert_eq!(Format::of_text("<mujoco>"), Some(Format::Mjcf));
        assert_eq!(Format::of_text("\n {}"), Some(Format::Json));
        for other in ["", "<", "<!--", "<?", "<html>", "time,q", "<robot"] {
            assert_eq!(Format::of_text(other), None, "{other}");
        }
    }
}
