//! A question as a file, for jobs that start later.

use crate::{ClusterError, write_whole};
use dualbody::identification::{ExecutionError, Executor, Items, Question};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;

/// The next question of a fit, as the jobs of an array read it (`unknowns.json`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    format: u32,
    /// How many questions were answered before.
    pub number: usize,
    /// Which problem it is about, in words of the program that fits: a stage, its data.
    pub problem: String,
    /// Numbers that the problem depends on beside options and data, such as results of a fit before.
    pub settings: Vec<f64>,
    /// Number of experiments.
    pub items: usize,
    /// Values of the unknowns, and what is wanted there.
    pub question: Question,
}

impl Order {
    /// Writes the order, whole or not at all.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub fn write(&self, path: &Path) -> Result<(), ClusterError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| ClusterError::malformed(path, error))?;
        write_whole(path, format!("{text}\n").as_bytes())
    }

    /// Reads an order.
    ///
    /// # Errors
    /// [`ClusterError::File`] and [`ClusterError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, ClusterError> {
        let text = std::fs::read_to_string(path).map_err(ClusterError::file(path))?;
        let order: Order =
            serde_json::from_str(&text).map_err(|error| ClusterError::malformed(path, error))?;
        match order.format {
            FORMAT => Ok(order),
            other => {
                let what = format!("format {other} instead of {FORMAT}");
                Err(ClusterError::malformed(path, what))
            }
        }
    }
}

/// An executor that answers nothing: it writes the question as an [`Order`] and ends the fit with
/// [`Asked`].
#[derive(Debug, Clone)]
pub struct Ask {
    /// The file to write.
    pub path: PathBuf,
    /// Number of the question: how many answers the journal has.
    pub number: usize,
    /// What the order calls the problem.
    pub problem: String,
    /// What it depends on beside options and data.
    pub settings: Vec<f64>,
}

/// The fit needs an answer that is not there yet; the question was written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("question {number} is in {}", path.display())]
pub struct Asked {
    /// Number of the question.
    pub number: usize,
    /// The file.
    pub path: PathBuf,
}

impl<I: Items<Question = Question>> Executor<I> for Ask {
    fn evaluate(
        &mut self,
        _: &I,
        question: &Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        let order = Order {
            format: FORMAT,
            number: self.number,
            problem: self.problem.clone(),
            settings: self.settings.clone(),
            items: range.end,
            question: question.clone(),
        };
        order.write(&self.path)?;
        Err(Box::new(Asked {
            number: self.number,
            path: self.path.clone(),
        }))
    }
}
