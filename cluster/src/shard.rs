//! Answers of some experiments, as files.

use crate::division::equal_share;
use crate::file::{FileKind, Record, decode, encode, frame, next_record};
use crate::{ClusterError, Order, write_whole};
use dualbody::identification::{Items, Parallelism, Part, Parts, Question};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One of equal shares of items, written `0/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Share `index` of `count`.
    ///
    /// # Errors
    /// [`ClusterError::NotAShard`] unless `index < count`.
    pub fn new(index: usize, count: usize) -> Result<Self, ClusterError> {
        let shard = Shard { index, count };
        if index < count {
            Ok(shard)
        } else {
            Err(ClusterError::NotAShard(shard.to_string()))
        }
    }

    /// Its part of `items` items: sizes differ by one at most.
    pub fn range(self, items: usize) -> Range<usize> {
        equal_share(self.index, self.count, items)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Self, ClusterError> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) => Shard::new(index, count),
            None => Err(ClusterError::NotAShard(text.to_owned())),
        }
    }
}

/// What is written before the parts.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Label {
    problem: String,
    settings: Vec<f64>,
    items: usize,
    number: usize,
    shard: Shard,
    /// The encoded question.
    question: Vec<u8>,
}

/// Evaluates a share of the experiments as `order` asks, and writes the answer, whole or not at all.
///
/// That `items` are those of [`Order::problem`] is for the caller to see: a job finds the name of its own
/// data and options, and ends if it is another.
///
/// # Errors
/// [`ClusterError::WrongShard`] if `items` has another number of experiments than the order;
/// [`ClusterError::File`].
pub fn write_shard<I>(
    items: &I,
    order: &Order,
    shard: Shard,
    parallelism: Parallelism,
    path: &Path,
) -> Result<(), ClusterError>
where
    I: Items<Question = Question, Part: Serialize>,
{
    if items.count() != order.items {
        return Err(ClusterError::WrongShard {
            path: path.to_owned(),
            found: format!("{} experiments", items.count()),
            expected: format!("{} experiments", order.items),
        });
    }
    let mut parts = Parts::default();
    parallelism.extend(&mut parts, items, &order.question, shard.range(order.items));
    let label = Label {
        problem: order.problem.clone(),
        settings: order.settings.clone(),
        items: order.items,
        number: order.number,
        shard,
        question: encode(&order.question)?,
    };
    let mut bytes = FileKind::Shard.header().to_vec();
    bytes.extend(frame(&encode(&label)?));
    bytes.extend(frame(&encode(&parts)?));
    write_whole(path, &bytes)
}

/// The answer of all experiments to `order`, from the files of all shards.
///
/// # Errors
/// The first of these that is found, in the order of the files: [`ClusterError::File`],
/// [`ClusterError::Malformed`], [`ClusterError::Damaged`], [`ClusterError::WrongShard`],
/// [`ClusterError::OldShard`], [`ClusterError::DoubledShard`]; then [`ClusterError::MissingShard`].
pub fn fold_shards<P: Part + DeserializeOwned>(
    order: &Order,
    files: &[PathBuf],
) -> Result<P, ClusterError> {
    let question = encode(&order.question)?;
    let mut all = Parts::default();
    let mut seen: Vec<(Shard, &PathBuf)> = Vec::new();
    for path in files {
        let (label, parts) = read::<P>(path)?;
        let wrong = |found: String, expected: String| {
            Err(ClusterError::WrongShard {
                path: path.clone(),
                found,
                expected,
            })
        };
        if (&label.problem, label.items) != (&order.problem, order.items) {
            let name = |problem: &str, items: usize| format!("{problem:?} ({items} experiments)");
            return wrong(
                name(&label.problem, label.items),
                name(&order.problem, order.items),
            );
        }
        if label.number != order.number {
            return Err(ClusterError::OldShard {
                path: path.clone(),
                found: label.number,
                expected: order.number,
            });
        }
        if (&label.settings, &label.question) != (&order.settings, &question) {
            return wrong(
                "the same number of another fit".to_owned(),
                format!("question {}", order.number),
            );
        }
        let shard = label.shard;
        if let Some((first, _)) = seen.first().filter(|(first, _)| first.count != shard.count) {
            return wrong(
                format!("{} shards", shard.count),
                format!("{} shards", first.count),
            );
        }
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == shard) {
            return Err(ClusterError::DoubledShard {
                shard,
                first: (*first).clone(),
                second: path.clone(),
            });
        }
        let range = shard.range(order.items);
        if parts.missing(range.clone()).is_some() || parts.ranges().any(|r| r.end > range.end) {
            return Err(ClusterError::malformed(
                path,
                "the parts are not of this shard",
            ));
        }
        all.merge(parts);
        seen.push((shard, path));
    }
    let count = seen.first().map_or(1, |(shard, _)| shard.count);
    for index in 0..count {
        let shard = Shard { index, count };
        if !seen.iter().any(|(other, _)| *other == shard) {
            return Err(ClusterError::MissingShard { shard });
        }
    }
    (all.whole(0..order.items)).ok_or_else(|| ClusterError::NotAShard("an empty list".to_owned()))
}

fn read<P: DeserializeOwned>(path: &Path) -> Result<(Label, Parts<P>), ClusterError> {
    let bytes = std::fs::read(path).map_err(ClusterError::file(path))?;
    let bytes = FileKind::Shard.check(path, bytes)?;
    let mut rest = &bytes[..];
    let mut contents = Vec::new();
    for record in 0..2 {
        match next_record(rest) {
            Record::Whole(content, after) => {
                contents.push(content);
                rest = after;
            }
            Record::Damaged => {
                return Err(ClusterError::Damaged {
                    path: path.to_owned(),
                    record,
                });
            }
            Record::CutOff => return Err(ClusterError::malformed(path, "the file is cut off")),
        }
    }
    if !rest.is_empty() {
        return Err(ClusterError::malformed(path, "something follows the shard"));
    }
    Ok((decode(path, contents[0])?, decode(path, contents[1])?))
}
