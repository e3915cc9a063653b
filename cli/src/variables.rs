//! The variables of derivatives, by name.

use crate::failure::{Failure, Outcome};
use crate::motion;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::{Error, Parameters, Scalar};

/// Parameters of a machine, and entries of a displacement of its state.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    list: Vec<Variable>,
}

/// One of them.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its full name.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// Where the derivative is taken.
    pub value: f64,
    /// A change that is small beside what matters.
    pub scale: f64,
    target: Target,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    Parameter(usize),
    Displacement(usize),
}

impl Variables {
    /// Finds them: parameters first, then positions and velocities as linear models call them.
    pub fn find(system: &TimeSteppingRigidBodySystem<f64>, names: &[String]) -> Outcome<Self> {
        let (parameters, states) = (system.parameters(), system.displacement_names());
        let of_state = |name: &String| {
            let ends = |known: &String| {
                known
                    .strip_suffix(name.as_str())
                    .is_some_and(|path| path.ends_with('/'))
            };
            let exact = states.iter().position(|known| known == name);
            exact.or_else(|| {
                let mut found = (0..states.len()).filter(|&k| ends(&states[k]));
                found.next().filter(|_| found.next().is_none())
            })
        };
        let find = |name: &String| match system.parameter_index(name) {
            Ok(index) => {
                let parameter = &parameters[index];
                Ok(Variable {
                    name: parameter.name.clone(),
                    unit: parameter.unit.to_owned(),
                    value: parameter.value,
                    scale: if parameter.value == 0.0 {
                        1.0
                    } else {
                        parameter.value.abs()
                    },
                    target: Target::Parameter(index),
                })
            }
            Err(error) => match of_state(name) {
                Some(k) => Ok(Variable {
                    name: states[k].clone(),
                    unit: "SI".to_owned(),
                    value: 0.0,
                    scale: 1.0,
                    target: Target::Displacement(k),
                }),
                None => Err(Failure::usage(error)),
            },
        };
        Ok(Variables {
            list: names.iter().map(find).collect::<Result<_, _>>()?,
        })
    }

    /// All parameters of a machine.
    pub fn parameters(system: &TimeSteppingRigidBodySystem<f64>) -> Outcome<Self> {
        let names: Vec<_> = system.parameters().into_iter().map(|p| p.name).collect();
        Self::find(system, &names)
    }

    /// One after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Variable> {
        self.list.iter()
    }

    /// One alone.
    pub fn only(&self, index: usize) -> Self {
        Variables {
            list: vec![self.list[index].clone()],
        }
    }

    /// Where derivatives are taken.
    pub fn values(&self) -> Vec<f64> {
        self.list.iter().map(|variable| variable.value).collect()
    }

    /// Sets them in a machine, and returns the state that it starts from.
    pub fn apply<T: Scalar>(
        &self,
        system: &mut TimeSteppingRigidBodySystem<T>,
        start: &State<f64>,
        values: &[T],
    ) -> Result<State<T>, Error> {
        let mut settings = Vec::new();
        let mut displacement = vec![T::zero(); start.num_displacements()];
        for (variable, &value) in self.list.iter().zip(values) {
            match variable.target {
                Target::Parameter(index) => settings.push((index, value)),
                Target::Displacement(k) => displacement[k] += value,
            }
        }
        if !settings.is_empty() {
            system.set_parameters(&settings)?;
        }
        motion::displaced(system, &start.cast(), &displacement)
    }
}
