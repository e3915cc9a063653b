//! MJCF: default classes.

use super::document::Document;
use super::error::{MjcfError, MjcfProblem};
use super::number::number;
use crate::io::xml::Element;
use crate::spelling::nearest;
use nalgebra::Vector3;
use std::collections::HashMap;

/// What elements of a class start from.
pub(super) struct Defaults<'a> {
    document: &'a Document,
    /// Of each model.
    classes: Vec<HashMap<&'a str, Class<'a>>>,
}

struct Class<'a> {
    /// The class around it, and how many elements that had before: later ones do not count.
    parent: Option<(&'a str, usize)>,
    elements: Vec<&'a Element>,
}

/// The class of elements that name none.
pub(super) const MAIN: &str = "main";

impl<'a> Defaults<'a> {
    pub fn new(document: &'a Document) -> Result<Self, MjcfError> {
        let mut defaults = Defaults {
            document,
            classes: Vec::new(),
        };
        for model in &document.models {
            let (parent, elements) = (None, Vec::new());
            let main = Class { parent, elements };
            defaults.classes.push(HashMap::from([(MAIN, main)]));
            for section in model.root.children.iter() {
                if section.name == "default" {
                    let node = defaults.node(section);
                    if !matches!(node.text("class"), None | Some("" | MAIN)) {
                        return Err(node.value("class", "main, or none, for the outermost class"));
                    }
                    defaults.add(section, MAIN)?;
                }
            }
        }
        Ok(defaults)
    }

    /// The classes of the model that an element came from.
    fn classes(&self, element: &Element) -> &HashMap<&'a str, Class<'a>> {
        &self.classes[self.document.model_of(element)]
    }

    fn add(&mut self, section: &'a Element, name: &'a str) -> Result<(), MjcfError> {
        let (nested, own): (Vec<_>, Vec<_>) =
            (section.children.iter()).partition(|element| element.name == "default");
        let mut count = 0;
        let model = self.document.model_of(section);
        if let Some(class) = self.classes[model].get_mut(name) {
            class.elements.extend(own);
            count = class.elements.len();
        }
        for element in nested {
            let node = self.node(element);
            let class = node.required("class")?;
            let (parent, elements) = (Some((name, count)), Vec::new());
            let nested = Class { parent, elements };
            if self.classes[model].insert(class, nested).is_some() {
                return Err(node.error(MjcfProblem::DuplicateName {
                    elements: "classes",
                    name: class.to_owned(),
                }));
            }
            self.add(element, class)?;
        }
        Ok(())
    }

    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// The outermost element.
    pub fn root(&self) -> &'a Element {
        self.document.root()
    }

    /// What is in all sections of a name.
    pub fn section(&self, name: &'static str) -> impl Iterator<Item = &'a Element> + use<'a> {
        let sections = self.document.root().children.iter();
        let sections = sections.filter(move |section| section.name == name);
        sections.flat_map(|section| &section.children)
    }

    /// What is in the `<asset>` of all models.
    pub fn assets(&self) -> impl Iterator<Item = &'a Element> + use<'a> {
        let sections = (self.document.models.iter()).flat_map(|model| &model.root.children);
        let assets = sections.filter(|section| section.name == "asset");
        assets.flat_map(|section| &section.children)
    }

    /// An element without a class.
    pub fn node(&self, element: &'a Element) -> Node<'a> {
        Node {
            document: self.document,
            element,
        }
    }

    /// An element of the class that it names, or of `class`, which is that of its surroundings.
    ///
    /// # Errors
    /// [`MjcfProblem::UnknownName`] when there is no such class.
    pub fn item(
        &'a self,
        element: &'a Element,
        class: &'a str,
        kinds: &'static [&'static str],
    ) -> Result<Item<'a>, MjcfError> {
        let node = self.node(element);
        let class = self.class(&node, "class")?.unwrap_or(class);
        Ok(Item {
            node,
            defaults: self,
            class,
            kinds,
        })
    }

    /// The class that an attribute names.
    pub fn class(
        &self,
        node: &Node<'a>,
        attribute: &'static str,
    ) -> Result<Option<&'a str>, MjcfError> {
        let Some(name) = node.element.attribute(attribute) else {
            return Ok(None);
        };
        let classes = self.classes(node.element);
        if classes.contains_key(name) {
            return Ok(Some(name));
        }
        Err(unknown(node, "class", name, classes.keys().copied()))
    }
}

/// An element of a document.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    pub document: &'a Document,
    pub element: &'a Element,
}

impl<'a> Node<'a> {
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name)
    }

    /// Whether an attribute is there and says something: an empty one is as if it were absent.
    pub fn has(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| !text.trim().is_empty())
    }

    pub fn required(&self, attribute: &'static str) -> Result<&'a str, MjcfError> {
        self.text(attribute)
            .ok_or_else(|| self.error(MjcfProblem::MissingAttribute { attribute }))
    }

    pub fn required_numbers(&self, attribute: &'static str) -> Result<(), MjcfError> {
        let missing = MjcfProblem::MissingAttribute { attribute };
        self.has(attribute)
            .then_some(())
            .ok_or_else(|| self.error(missing))
    }

    /// Reads numbers into the first entries of `out`; their count.
    pub fn numbers(&self, name: &'static str, out: &mut [f64]) -> Result<usize, MjcfError> {
        let numbers = self.list(name)?;
        let Some(first) = out.get_mut(..numbers.len()) else {
            return Err(self.value(name, "fewer numbers"));
        };
        first.copy_from_slice(&numbers);
        Ok(numbers.len())
    }

    /// A lower and an upper bound, which may be infinite.
    fn bounds(&self, name: &'static str) -> Result<Option<[f64; 2]>, MjcfError> {
        let words = self.text(name).unwrap_or_default().split_whitespace();
        let numbers: Option<Vec<f64>> = words.map(number).collect();
        match numbers.and_then(|numbers| <[f64; 2]>::try_from(numbers).ok()) {
            Some(bounds) if !bounds.iter().any(|x| x.is_nan()) => Ok(Some(bounds)),
            _ => self.array(name),
        }
    }

    /// All numbers of an attribute; none if it is absent.
    pub fn list(&self, name: &'static str) -> Result<Vec<f64>, MjcfError> {
        let words = self.text(name).unwrap_or_default().split_whitespace();
        let finite = |word: &str| number(word).filter(|x| x.is_finite());
        words
            .map(|word| {
                finite(word).ok_or_else(|| self.value(name, "finite numbers separated by spaces"))
            })
            .collect()
    }

    /// So many numbers; none if the attribute is absent or empty.
    pub fn array<const N: usize>(&self, name: &'static str) -> Result<Option<[f64; N]>, MjcfError> {
        let mut out = [0.0; N];
        match self.numbers(name, &mut out)? {
            0 => Ok(None),
            count if count == N => Ok(Some(out)),
            _ => Err(self.value(name, "more numbers")),
        }
    }

    pub fn number(&self, name: &'static str) -> Result<Option<f64>, MjcfError> {
        Ok(self.array::<1>(name)?.map(|[x]| x))
    }

    /// `true` or `false`; none where it is absent or `auto`.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, MjcfError> {
        match self.text(name) {
            None | Some("auto") => Ok(None),
            Some("true" | "enable") => Ok(Some(true)),
            Some("false" | "disable") => Ok(Some(false)),
            Some(_) => Err(self.value(name, "true, false or auto")),
        }
    }

    /// The error that the value of an attribute is another than expected.
    pub fn value(&self, attribute: &'static str, expected: &'static str) -> MjcfError {
        self.error(MjcfProblem::Value {
            attribute,
            value: self.text(attribute).unwrap_or_default().to_owned(),
            expected,
        })
    }

    /// The error that this element has a problem.
    pub fn error(&self, problem: impl Into<MjcfProblem>) -> MjcfError {
        MjcfError::Invalid {
            place: self.document.place(self.element),
            problem: Box::new(problem.into()),
        }
    }
}

/// An element with what its class says of the attributes that it does not have.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub node: Node<'a>,
    defaults: &'a Defaults<'a>,
    class: &'a str,
    /// Names of the elements whose defaults count.
    kinds: &'static [&'static str],
}

impl<'a> Item<'a> {
    pub fn tag(&self) -> &'a str {
        &self.node.element.name
    }

    /// The element, then its defaults, from those that count most on.
    pub fn layers(&self) -> Vec<Node<'a>> {
        let classes = self.classes().into_iter();
        let defaults = classes.flat_map(|class| class.into_iter().rev());
        [self.node].into_iter().chain(defaults).collect()
    }

    /// The defaults of its class, in their order, then those of the classes around it.
    pub fn classes(&self) -> Vec<Vec<Node<'a>>> {
        let mut classes = Vec::new();
        let mut class = Some((self.class, usize::MAX));
        while let Some((name, count)) = class
            && let Some(found) = self.defaults.classes(self.node.element).get(name)
        {
            let elements = found.elements.iter().take(count);
            let elements = elements.filter(|e| self.kinds.contains(&e.name.as_str()));
            classes.push(elements.map(|e| self.defaults.node(e)).collect());
            class = found.parent;
        }
        classes
    }

    /// The element or default that says something in an attribute; the element if none does.
    pub fn holder(&self, name: &str) -> Node<'a> {
        let layers = self.layers();
        let holder = layers.iter().find(|node| node.has(name));
        *holder.unwrap_or(&self.node)
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.holder(name).text(name)
    }

    pub fn number(&self, name: &'static str) -> Result<Option<f64>, MjcfError> {
        self.holder(name).number(name)
    }

    pub fn array<const N: usize>(&self, name: &'static str) -> Result<Option<[f64; N]>, MjcfError> {
        self.holder(name).array(name)
    }

    pub fn vector(&self, name: &'static str) -> Result<Option<Vector3<f64>>, MjcfError> {
        Ok(self.array::<3>(name)?.map(Vector3::from))
    }

    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, MjcfError> {
        self.holder(name).flag(name)
    }

    /// An array of which the element may give the first entries only; the rest is as in the defaults,
    /// or as `out` is.
    pub fn overlay(&self, name: &'static str, out: &mut [f64]) -> Result<(), MjcfError> {
        for node in self.layers().iter().rev() {
            node.numbers(name, out)?;
        }
        Ok(())
    }

    /// The time constant and the ratio of damping of a joint, where these take the place of stiffness and damping.
    pub fn springdamper(&self) -> Result<Option<[f64; 2]>, MjcfError> {
        match self.array::<2>("springdamper")? {
            None | Some([0.0, 0.0]) => Ok(None),
            Some(both) if both.iter().all(|x| *x > 0.0) => Ok(Some(both)),
            Some(_) => Err(self
                .holder("springdamper")
                .value("springdamper", "two positive numbers, or two zeros")),
        }
    }

    /// A range that counts: where `flag` does not say so, if `automatic` and its numbers ascend; others take back that of a
    /// default.
    ///
    /// # Errors
    /// [`MjcfProblem::MissingAttribute`] for a range of which nothing says whether it counts, and for none where one is to
    /// count; [`MjcfProblem::Value`] where its numbers do not ascend then.
    pub fn limits(
        &self,
        flag: &'static str,
        range: &'static str,
        automatic: bool,
    ) -> Result<Option<[f64; 2]>, MjcfError> {
        let found = self.range(flag, range, automatic)?;
        match found {
            None if self.flag(flag)? == Some(true) => Err(self
                .node
                .error(MjcfProblem::MissingAttribute { attribute: range })),
            Some([lower, upper]) if lower >= upper => Err(self
                .holder(range)
                .value(range, "a smaller number before a larger one")),
            _ => Ok(found.filter(|bounds| *bounds != [f64::NEG_INFINITY, f64::INFINITY])),
        }
    }

    /// A range that counts, as [`Self::limits`], of which numbers need not ascend where `flag` says that it counts.
    pub fn range(
        &self,
        flag: &'static str,
        range: &'static str,
        automatic: bool,
    ) -> Result<Option<[f64; 2]>, MjcfError> {
        let counts = self.flag(flag)?;
        let holder = self.holder(range);
        let range = holder.bounds(range)?;
        if counts.is_none() && !automatic && range.is_some_and(|bounds| bounds != [0.0; 2]) {
            return Err(holder.error(MjcfProblem::MissingAttribute { attribute: flag }));
        }
        Ok(range.filter(|[lower, upper]| counts.unwrap_or(lower < upper)))
    }
}

/// The error that nothing has the name that an element refers to.
pub(super) fn unknown<'n>(
    node: &Node<'_>,
    element: &'static str,
    name: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> MjcfError {
    node.error(MjcfProblem::UnknownName {
        element,
        name: name.to_owned(),
        nearest: nearest(name, names).map(str::to_owned),
    })
}
