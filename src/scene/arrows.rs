//! Arrows: vectors at points, over time.

use super::scene::Scene;
use nalgebra::Vector3;

impl Scene {
    /// Draws vectors of one kind, in a unit, over the first motion: for a time in s, `vectors` lists them
    /// as their names, the points where they act and themselves, in the world. Their length in the
    /// picture is chosen to be seen.
    pub fn with_arrows(
        mut self,
        name: impl Into<String>,
        unit: impl Into<String>,
        mut vectors: impl FnMut(f64) -> Vec<(String, Vector3<f64>, Vector3<f64>)>,
    ) -> Self {
        let mut arrows = Arrows::new(name, unit);
        for &time in &self.motions[0].times {
            arrows.frames.push(Vec::new());
            for (label, at, vector) in vectors(time) {
                let label = arrows.label(&label);
                arrows.add(label, &at, &vector);
            }
        }
        self.arrows.push((0, arrows));
        self
    }
}

/// A vector at a point, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arrow {
    /// Position in the list of labels.
    pub label: usize,
    pub at: [f32; 3],
    pub vector: [f32; 3],
}

/// What is drawn of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Arrow,
    /// An arrow from a dot.
    Dot,
    /// An arrow about the vector, of a torque.
    Turn,
    /// A line.
    Ray,
}

impl Style {
    pub fn name(self) -> &'static str {
        match self {
            Style::Arrow => "arrow",
            Style::Dot => "dot",
            Style::Turn => "turn",
            Style::Ray => "ray",
        }
    }
}

/// Vectors of one kind, at the frames of the first motion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arrows {
    pub name: String,
    pub unit: String,
    pub labels: Vec<String>,
    pub style: Style,
    /// Length in m of a vector of size 1; `None` for what the page chooses.
    pub scale: Option<f64>,
    pub frames: Vec<Vec<Arrow>>,
}

impl Arrows {
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Arrows {
            name: name.into(),
            unit: unit.into(),
            labels: Vec::new(),
            style: Style::Arrow,
            scale: None,
            frames: Vec::new(),
        }
    }

    pub fn drawn_as(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// The index of a label, which is added when it is new.
    pub fn label(&mut self, text: &str) -> usize {
        let known = self.labels.iter().position(|label| label == text);
        known.unwrap_or_else(|| {
            self.labels.push(text.to_owned());
            self.labels.len() - 1
        })
    }

    /// Adds an arrow to the last frame.
    pub fn add(&mut self, label: usize, at: &Vector3<f64>, vector: &Vector3<f64>) {
        let single = |v: &Vector3<f64>| <[f64; 3]>::from(*v).map(|x| x as f32);
        if let Some(frame) = self.frames.last_mut() {
            frame.push(Arrow {
                label,
                at: single(at),
                vector: single(vector),
            });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.frames.iter().all(Vec::is_empty)
    }
}
