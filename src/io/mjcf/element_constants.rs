//! MJCF: constants of springs, actuators, sensors and constraints, and how they change.

use super::elements::MjcfElements;
use crate::actuator::Actuator;
use crate::constraint::{TreeConstraint, WeldConstraint};
use crate::force::ForceElement;
use crate::io::round_trip::same;
use crate::parameter::Parameter;
use crate::sensor::Sensor;
use nalgebra::{Matrix3, Vector3};
use std::collections::{HashMap, VecDeque};

/// The constants of one element by their names as parameters; orientations by their matrices, as rotation vectors
/// start from that of the file.
pub(super) type Constants = Vec<(String, f64)>;

/// The constants of each element.
pub(super) struct ElementConstants {
    pub forces: Vec<Constants>,
    pub actuators: Vec<Constants>,
    pub sensors: Vec<Constants>,
    pub constraints: Vec<Constants>,
}

type Visitor<'v> = &'v mut dyn FnMut(Parameter<'_, f64>);

impl ElementConstants {
    pub fn of(parts: &MjcfElements<f64>) -> Self {
        fn list<E: Clone>(elements: &[E], visit: impl Fn(&mut E, Visitor<'_>)) -> Vec<Constants> {
            let of_one = |element: &E| {
                let mut constants = Vec::new();
                visit(&mut element.clone(), &mut |p| {
                    constants.push((p.name.to_string(), *p.value));
                });
                constants
            };
            elements.iter().map(of_one).collect()
        }
        let mut constraints = list(&parts.constraints, |e, visit| e.visit_parameters(visit));
        for (constants, constraint) in constraints.iter_mut().zip(&parts.constraints) {
            let Some(weld) = constraint.downcast_ref::<WeldConstraint<f64>>() else {
                continue;
            };
            constants.retain(|(name, _)| !name.contains("/rotation_"));
            for (frame, orientation) in ["a", "b"].into_iter().zip(weld.orientations()) {
                let entries = orientation.iter().enumerate();
                constants.extend(entries.map(|(k, x)| (format!("orientation_{frame}/{k}"), *x)));
            }
        }
        ElementConstants {
            forces: list(&parts.forces, |e, visit| e.visit_parameters(visit)),
            actuators: list(&parts.actuators, |e, visit| e.visit_parameters(visit)),
            sensors: list(&parts.sensors, |e, visit| e.visit_parameters(visit)),
            constraints,
        }
    }

    /// The name of the first constant that is another in `found`, of the elements of a model for which there are some.
    pub fn lost(&self, model: &ElementConstants, found: &ElementConstants) -> Option<String> {
        // Others are where the sites of the tree are.
        let changed_sensors = self.sensors.iter().filter(|&s| !model.sensors.contains(s));
        let changed_sensors: Vec<_> = changed_sensors.cloned().collect();
        let families = [
            (&model.forces, &self.forces, &found.forces),
            (&model.actuators, &self.actuators, &found.actuators),
            (&model.sensors, &changed_sensors, &found.sensors),
        ];
        let each = families.into_iter().find_map(|(model, wanted, found)| {
            first_lost(model, wanted, found, |a, b| {
                a.iter().zip(b).position(|(a, b)| !same(&[*a], &[*b]))
            })
        });
        // Coordinates of a point, or an offset beside those that it follows from.
        let together = |a: &[f64], b: &[f64]| (!same(a, b)).then_some(0);
        each.or_else(|| {
            let (model, wanted) = (&model.constraints, &self.constraints);
            first_lost(model, wanted, &found.constraints, together)
        })
    }
}

fn first_lost(
    model: &[Constants],
    wanted: &[Constants],
    found: &[Constants],
    difference: impl Fn(&[f64], &[f64]) -> Option<usize>,
) -> Option<String> {
    let values = |constants: &Constants| constants.iter().map(|(_, x)| *x).collect::<Vec<_>>();
    let wanted = counterparts(model, wanted).into_iter().flatten();
    let wanted: Vec<_> = wanted.cloned().collect();
    let found = counterparts(&wanted, found);
    let mut pairs = wanted.iter().zip(found);
    pairs.find_map(|(wanted, found)| {
        let different = match found {
            None => Some(0),
            Some(found) => difference(&values(wanted), &values(found)),
        };
        different.and_then(|k| wanted.get(k).map(|(name, _)| name.clone()))
    })
}

/// For each element the other with constants of the same names: of several the first that is not taken.
fn counterparts<'c>(elements: &[Constants], others: &'c [Constants]) -> Vec<Option<&'c Constants>> {
    fn names(constants: &Constants) -> Vec<&str> {
        constants.iter().map(|(name, _)| name.as_str()).collect()
    }
    let mut by_names: HashMap<_, VecDeque<_>> = HashMap::new();
    for other in others {
        by_names.entry(names(other)).or_default().push_back(other);
    }
    let counterpart = |e| by_names.get_mut(&names(e)).and_then(VecDeque::pop_front);
    elements.iter().map(counterpart).collect()
}

/// The constants that an element has in a text and those that are wanted.
pub(super) struct Change {
    constants: Vec<Changing>,
}

struct Changing {
    name: String,
    written: f64,
    wanted: f64,
    changes: bool,
}

impl Change {
    /// The change of each element that has one: from those of the model, `written` with the tree's constants, or all that is
    /// wanted of an element that has others in what is written.
    pub fn of_each(
        model: &[Constants],
        written: &[Constants],
        wanted: &[Constants],
    ) -> Vec<Option<Change>> {
        let others = (counterparts(model, written).into_iter()).zip(counterparts(model, wanted));
        let changes = model.iter().zip(others).map(|(model, others)| {
            let (written, wanted) = (others.0, others.1?);
            let unknown = || {
                let entry = |(name, x): &(String, f64)| {
                    (name.clone(), if x.is_finite() { f64::NAN } else { *x })
                };
                wanted.iter().map(entry).collect()
            };
            let written = written.cloned().unwrap_or_else(unknown);
            let values = model.iter().zip(&written).zip(wanted);
            let constants: Vec<_> = values
                .map(|(((name, model), (_, written)), (_, wanted))| Changing {
                    name: name.clone(),
                    written: *written,
                    wanted: *wanted,
                    // What follows from the tree may have moved by round-off.
                    changes: wanted != written
                        && (wanted != model || !same(&[*wanted], &[*written])),
                })
                .collect();
            let changes = constants.iter().any(|constant| constant.changes);
            changes.then_some(Change { constants })
        });
        changes.collect()
    }

    fn find(&self, quantity: &str) -> Option<&Changing> {
        let is_it = |name: &str| {
            let before = name.strip_suffix(quantity);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.constants.iter().find(|c| is_it(&c.name))
    }

    /// What a constant is to become; zero if the element has no such constant.
    pub fn wanted(&self, quantity: &str) -> f64 {
        self.find(quantity).map_or(0.0, |constant| constant.wanted)
    }

    /// What a constant is to become, if it changes.
    pub fn changed(&self, quantity: &str) -> Option<f64> {
        let constant = self.find(quantity).filter(|constant| constant.changes);
        constant.map(|constant| constant.wanted)
    }

    /// What a vector is to become.
    pub fn vector(&self, quantity: &str) -> Vector3<f64> {
        Vector3::from(["x", "y", "z"].map(|k| self.wanted(&format!("{quantity}/{k}"))))
    }

    /// What an orientation is to become.
    pub fn orientation(&self, frame: &str) -> Matrix3<f64> {
        let entries = (0..9).map(|k| self.wanted(&format!("orientation_{frame}/{k}")));
        Matrix3::from_iterator(entries)
    }

    /// The ranges of inputs that are held, from the outside on, where they change to numbers.
    pub fn ranges(&self) -> Vec<Option<[f64; 2]>> {
        let bounds = |which: &'static str| {
            let all = self.constants.iter().filter(move |c| {
                let mut parts = c.name.rsplit('/');
                let is_entry = parts.next().is_some_and(|k| k.parse::<usize>().is_ok());
                is_entry && parts.next() == Some(which) && !c.written.is_infinite()
            });
            all.collect::<Vec<_>>()
        };
        let ranges = bounds("lower").into_iter().zip(bounds("upper"));
        let changed = ranges.map(|(lower, upper)| {
            let range = [lower.wanted, upper.wanted];
            let changes = (lower.changes || upper.changes) && range.iter().all(|x| x.is_finite());
            changes.then_some(range)
        });
        changed.collect()
    }
}
