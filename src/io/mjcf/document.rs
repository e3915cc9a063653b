//! A model's text with the files that it includes.

use super::error::{MjcfError, MjcfProblem};
use crate::io::XmlPlace;
use crate::io::xml::{self, Element};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Deeper nesting is a mistake, also by way of includes.
const MAX_DEPTH: usize = 200;

/// Larger files are not models.
const MAX_BYTES: u64 = 100_000_000;

/// A model with the contents of included files in place of their `<include>`.
pub(super) struct Document {
    pub sources: Vec<Source>,
    pub root: Element,
    /// That of the outermost file, to which paths are relative.
    pub folder: PathBuf,
}

/// A file, or a text.
#[derive(Clone)]
pub(super) struct Source {
    pub name: String,
    pub text: String,
}

impl Document {
    pub fn from_file(path: &Path) -> Result<Self, MjcfError> {
        Self::from_changed_file(path, &[])
    }

    /// With the texts of these files in place of what is in them.
    pub fn from_changed_file(path: &Path, changed: &[Source]) -> Result<Self, MjcfError> {
        let text = read(path, changed).map_err(|source| MjcfError::Io {
            path: path.to_owned(),
            source,
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let opened = std::fs::canonicalize(path).into_iter().collect();
        Self::new(path.display().to_string(), text, folder, opened, changed)
    }

    pub fn from_text(text: &str) -> Result<Self, MjcfError> {
        let (name, folder) = ("MJCF text".to_owned(), Path::new(""));
        Self::new(name, text.to_owned(), folder, HashSet::new(), &[])
    }

    fn new(
        name: String,
        text: String,
        folder: &Path,
        opened: HashSet<PathBuf>,
        changed: &[Source],
    ) -> Result<Self, MjcfError> {
        let mut includes = Includes {
            sources: Vec::new(),
            folder,
            opened,
            changed,
        };
        let mut root = includes.parse(name, text)?;
        includes.expand(&mut root, folder, 0)?;
        Ok(Document {
            sources: includes.sources,
            root,
            folder: folder.to_owned(),
        })
    }

    pub fn place(&self, element: &Element) -> XmlPlace {
        let mut path = Vec::new();
        find(&self.root, element, &mut path);
        place(&self.sources, element, path)
    }
}

/// Files on their way into a document.
struct Includes<'p> {
    sources: Vec<Source>,
    /// That of the outermost file, to which paths are relative.
    folder: &'p Path,
    opened: HashSet<PathBuf>,
    changed: &'p [Source],
}

impl Includes<'_> {
    fn parse(&mut self, name: String, text: String) -> Result<Element, MjcfError> {
        let parsed = xml::parse(&text, self.sources.len());
        let source = name.clone();
        self.sources.push(Source { name, text });
        parsed.map_err(|error| MjcfError::Invalid {
            place: XmlPlace {
                source,
                line: error.line,
                element: String::new(),
            },
            problem: Box::new(MjcfProblem::Syntax {
                message: error.message,
            }),
        })
    }

    /// Puts the contents of files in place of the includes in an element, which came from a file in
    /// `folder`.
    fn expand(
        &mut self,
        element: &mut Element,
        folder: &Path,
        depth: usize,
    ) -> Result<(), MjcfError> {
        if depth > MAX_DEPTH {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(self.error(element, MjcfProblem::Syntax { message }));
        }
        let mut children = Vec::with_capacity(element.children.len());
        for mut child in std::mem::take(&mut element.children) {
            if child.name == "include" {
                let mut included = self.include(&child, folder, depth + 1)?;
                children.append(&mut included.children);
            } else {
                self.expand(&mut child, folder, depth + 1)?;
                children.push(child);
            }
        }
        element.children = children;
        Ok(())
    }

    fn include(
        &mut self,
        element: &Element,
        folder: &Path,
        depth: usize,
    ) -> Result<Element, MjcfError> {
        let attribute = "file";
        let Some(file) = element.attribute(attribute) else {
            return Err(self.error(element, MjcfProblem::MissingAttribute { attribute }));
        };
        // Relative to the outermost file; what is not there, to the file that includes it.
        let path = [self.folder, folder].map(|folder| folder.join(file));
        let path = path.iter().find(|path| path.exists()).unwrap_or(&path[0]);
        let failed = |reason: String| MjcfProblem::Include {
            path: path.clone(),
            reason,
        };
        let text =
            read(path, self.changed).map_err(|e| self.error(element, failed(e.to_string())))?;
        let canonical = std::fs::canonicalize(path);
        if !self.opened.insert(canonical.unwrap_or(path.clone())) {
            let reason = "is included twice, or includes itself".to_owned();
            return Err(self.error(element, failed(reason)));
        }
        let mut root = self.parse(path.display().to_string(), text)?;
        self.expand(&mut root, path.parent().unwrap_or(Path::new("")), depth)?;
        Ok(root)
    }

    fn error(&self, element: &Element, problem: MjcfProblem) -> MjcfError {
        MjcfError::Invalid {
            place: place(&self.sources, element, vec![element]),
            problem: Box::new(problem),
        }
    }
}

fn read(path: &Path, changed: &[Source]) -> io::Result<String> {
    let name = path.display().to_string();
    if let Some(source) = changed.iter().find(|source| source.name == name) {
        return Ok(source.text.clone());
    }
    let metadata = std::fs::metadata(path)?;
    let refused = |reason: &str| io::Error::new(io::ErrorKind::InvalidInput, reason.to_owned());
    if !metadata.is_file() {
        return Err(refused("is not a file"));
    }
    let mut text = String::new();
    let mut file = File::open(path)?.take(MAX_BYTES + 1);
    file.read_to_string(&mut text)?;
    if file.limit() == 0 {
        return Err(refused("is larger than 100 MB"));
    }
    Ok(text)
}

/// The elements that lead from `from` to `wanted`, both included.
fn find<'e>(from: &'e Element, wanted: &Element, path: &mut Vec<&'e Element>) -> bool {
    path.push(from);
    let found =
        std::ptr::eq(from, wanted) || (from.children.iter()).any(|child| find(child, wanted, path));
    if !found {
        path.pop();
    }
    found
}

fn place(sources: &[Source], element: &Element, path: Vec<&Element>) -> XmlPlace {
    let step = |element: &&Element| match element.attribute("name") {
        Some(name) => format!("{} {name:?}", element.name),
        None => element.name.clone(),
    };
    let steps: Vec<String> = path
        .iter()
        .filter(|e| e.name != "mujoco")
        .map(step)
        .collect();
    XmlPlace {
        source: sources[element.source].name.clone(),
        line: element.line,
        element: steps.join("/"),
    }
}
