//! MJCF: the text of a model with the files that it includes and the models that it attaches.

use super::attachment::expanded;
use super::defaults::Node;
use super::error::{MjcfError, MjcfProblem};
use super::report::MjcfOmission;
use crate::io::XmlPlace;
use crate::io::xml::{self, Element, MAX_DEPTH};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Models that attach models that attach models, … in deeper nesting are a mistake.
const MAX_MODELS: usize = 20;

/// Larger files are not models.
const MAX_BYTES: u64 = 100_000_000;

/// A model and those that it attaches.
#[derive(Default)]
pub(super) struct Document {
    pub sources: Vec<Source>,
    /// The first is the model itself.
    pub models: Vec<Model>,
    /// What has no place in these.
    pub left_out: Vec<MjcfOmission>,
}

/// The elements of a model, with the contents of included files in place of their `<include>`, and with copies in place
/// of `<replicate>` and `<attach>`.
pub(super) struct Model {
    pub root: Element,
    /// That of the outermost file, to which paths are relative.
    pub folder: PathBuf,
    /// The models of its `<asset>`, by name.
    pub attachable: HashMap<String, usize>,
}

/// A file, or a text.
#[derive(Clone)]
pub(super) struct Source {
    pub name: String,
    pub text: String,
    pub folder: PathBuf,
    /// Which model it belongs to.
    pub model: usize,
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
        let mut document = Document::default();
        document.load(path, text, &mut Vec::new(), changed)?;
        Ok(document)
    }

    pub fn from_text(text: &str) -> Result<Self, MjcfError> {
        let mut document = Document::default();
        let path = Path::new("MJCF text");
        document.load(path, text.to_owned(), &mut Vec::new(), &[])?;
        Ok(document)
    }

    /// Adds a model and those that it attaches; `around` are the files of those that attach it.
    fn load(
        &mut self,
        path: &Path,
        text: String,
        around: &mut Vec<PathBuf>,
        changed: &[Source],
    ) -> Result<usize, MjcfError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let canonical: Option<PathBuf> = std::fs::canonicalize(path).ok();
        let index = self.models.len();
        let mut includes = Includes {
            sources: &mut self.sources,
            left_out: &mut self.left_out,
            model: index,
            folder,
            opened: canonical.iter().cloned().collect(),
            changed,
        };
        let mut root = includes.parse(path, text)?;
        includes.expand(&mut root, folder, 0)?;
        self.models.push(Model {
            root,
            folder: folder.to_owned(),
            attachable: HashMap::new(),
        });
        let added = canonical.is_some();
        around.extend(canonical);
        self.load_attachable(index, around, changed)?;
        if added {
            around.pop();
        }
        let expanded = expanded(self, index)?;
        self.left_out.extend_from_slice(expanded.lost());
        expanded.put_into(&mut self.models[index].root);
        Ok(index)
    }

    fn load_attachable(
        &mut self,
        index: usize,
        around: &mut Vec<PathBuf>,
        changed: &[Source],
    ) -> Result<(), MjcfError> {
        let assets = self.models[index].root.children.iter();
        let assets = assets.filter(|section| section.name == "asset");
        let assets = assets.flat_map(|section| &section.children);
        let mut wanted = Vec::new();
        for element in assets.filter(|element| element.name == "model") {
            let node = Node {
                document: self,
                element,
            };
            let path = self.models[index].folder.join(node.required("file")?);
            let failed = |reason: String| {
                let path = path.clone();
                node.error(MjcfProblem::Include { path, reason })
            };
            let text = read(&path, changed).map_err(|error| failed(error.to_string()))?;
            if std::fs::canonicalize(&path).is_ok_and(|path| around.contains(&path)) {
                return Err(failed("attaches itself".to_owned()));
            }
            if around.len() > MAX_MODELS {
                return Err(failed(format!("is more than {MAX_MODELS} models deep")));
            }
            wanted.push((element.attribute("name").map(str::to_owned), path, text));
        }
        for (name, path, text) in wanted {
            let model = self.load(&path, text, around, changed)?;
            let own = self.models[model].root.attribute("model");
            let name = name.or(own.map(str::to_owned)).unwrap_or_default();
            self.models[index].attachable.insert(name, model);
        }
        Ok(())
    }

    /// The outermost element.
    pub fn root(&self) -> &Element {
        &self.models[0].root
    }

    /// The model that an element came from.
    pub fn model_of(&self, element: &Element) -> usize {
        self.sources[element.source].model
    }

    pub fn place(&self, element: &Element) -> XmlPlace {
        let mut path = Vec::new();
        let found = (self.models.iter()).any(|model| find(&model.root, element, &mut path));
        if !found {
            return self.place_alone(element);
        }
        place(&self.sources, element, path)
    }

    /// The place of an element, without those around it.
    pub fn place_alone(&self, element: &Element) -> XmlPlace {
        place(&self.sources, element, vec![element])
    }
}

/// Files on their way into a document.
struct Includes<'p> {
    sources: &'p mut Vec<Source>,
    left_out: &'p mut Vec<MjcfOmission>,
    model: usize,
    /// That of the outermost file, to which paths are relative.
    folder: &'p Path,
    opened: HashSet<PathBuf>,
    changed: &'p [Source],
}

impl Includes<'_> {
    fn parse(&mut self, path: &Path, text: String) -> Result<Element, MjcfError> {
        let parsed = xml::parse_first(&text, self.sources.len());
        let source = path.display().to_string();
        self.sources.push(Source {
            name: source.clone(),
            text,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            model: self.model,
        });
        let (root, second) = parsed.map_err(|error| MjcfError::Invalid {
            place: XmlPlace {
                source,
                line: error.line,
                element: String::new(),
            },
            problem: Box::new(MjcfProblem::Syntax {
                message: error.message,
            }),
        })?;
        self.left_out.extend(second.map(|second| MjcfOmission {
            place: place(self.sources, &second, vec![&second]),
            reason: "follows the outermost element",
        }));
        Ok(root)
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
        if let Some(child) = element.children.first() {
            let message = "an include has nothing in it".to_owned();
            return Err(self.error(child, MjcfProblem::Syntax { message }));
        }
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
        let mut root = self.parse(path, text)?;
        self.expand(&mut root, path.parent().unwrap_or(Path::new("")), depth)?;
        Ok(root)
    }

    fn error(&self, element: &Element, problem: MjcfProblem) -> MjcfError {
        MjcfError::Invalid {
            place: place(self.sources, element, vec![element]),
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
