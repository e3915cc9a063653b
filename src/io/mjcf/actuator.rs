//! What `<actuator>` says.

use super::assembly::Assembly;
use super::body::Kind;
use super::defaults::{Item, MAIN};
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::actuator::{Actuator, BuiltinActuator, FirstOrderLag, PdServo, TorqueSource};
use crate::tree::RigidBodyTree;

/// Defaults of all of these apply to each of them.
const KINDS: [&str; 4] = ["general", "motor", "position", "velocity"];

/// The force `gain · u − k_p l − k_d l̇` at the length l.
#[derive(Clone, Copy, PartialEq)]
struct Law {
    gain: f64,
    stiffness: f64,
    damping: f64,
}

impl<'a, T: Scalar> Assembly<'_, 'a, T> {
    pub(super) fn read_actuators(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        for element in self.section("actuator") {
            let node = self.defaults.node(element);
            if !KINDS.contains(&element.name.as_str()) {
                self.model
                    .report
                    .leave_out(&node, "is an actuator of another kind");
                continue;
            }
            let item = self.defaults.item(element, MAIN, &KINDS)?;
            match self.actuator(&item, tree)? {
                Ok(actuator) => {
                    let automatic = self.compiler.automatic_limits;
                    let is_servo = actuator.num_inputs() == 2;
                    if is_servo && item.is_limited("ctrllimited", "ctrlrange", automatic)? {
                        let reason = "is made without the range of its control";
                        self.model.report.leave_out(&node, reason);
                    }
                    self.model.elements.actuators.push(actuator);
                }
                Err(reason) => self.model.report.leave_out(&node, reason),
            }
        }
        Ok(())
    }

    /// The actuator, or what of it there is not here.
    fn actuator(
        &self,
        item: &Item<'a>,
        tree: &RigidBodyTree<T>,
    ) -> Result<Result<BuiltinActuator<T>, &'static str>, MjcfError> {
        let attribute = match item.text("joint") {
            Some(_) => "joint",
            None if item.text("jointinparent").is_some() => "jointinparent",
            None => return Ok(Err("does not act on a joint")),
        };
        let joint = self.required_joint(&item.node, attribute)?;
        if !matches!(joint.kind, Kind::Hinge | Kind::Slide) {
            return Ok(Err("acts on a joint with several degrees of freedom"));
        }
        let (law, time_constant) = match law(item)? {
            Ok(law) => law,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        item.overlay("gear", &mut gear)?;
        let gear = gear[0];
        let limit = |flag, range: &'static str| -> Result<Option<[f64; 2]>, MjcfError> {
            match item.is_limited(flag, range, self.compiler.automatic_limits)? {
                true => item.array(range),
                false => Ok(None),
            }
        };
        let control = limit("ctrllimited", "ctrlrange")?;
        let force = limit("forcelimited", "forcerange")?;
        let symmetric = |range: Option<[f64; 2]>| match range {
            None => Ok(None),
            Some([lower, upper]) if lower == -upper => Ok(Some(upper)),
            Some(_) => Err("has unequal limits"),
        };
        let force = match symmetric(force) {
            Ok(force) => force,
            Err(reason) => return Ok(Err(reason)),
        };
        let name = match item.node.text("name").filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("{}_{}", item.node.required(attribute)?, item.tag()),
        };
        let name = self.full_name(&name);
        let error = |e| item.node.error(MjcfProblem::Force(e));
        let actuator: BuiltinActuator<T> = if law.stiffness == 0.0 && law.damping == 0.0 {
            let control = match symmetric(control) {
                Ok(control) => control,
                Err(reason) => return Ok(Err(reason)),
            };
            let of_force = force.map(|force| (force / law.gain).abs());
            let limit = match (control, of_force) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let ratio = T::from(gear * law.gain);
            let limit = limit.map(T::from);
            TorqueSource::new(&name, tree, joint.index, ratio, limit)
                .map_err(error)?
                .into()
        } else if law.gain == law.stiffness || (law.stiffness == 0.0 && law.gain == law.damping) {
            let gains = [law.stiffness, law.damping].map(|gain| T::from(gain * gear * gear));
            let limit = force.map(|force| T::from((force * gear).abs()));
            PdServo::new(&name, tree, joint.index, gains, limit)
                .map_err(error)?
                .into()
        } else {
            return Ok(Err("has a gain that is not its bias"));
        };
        Ok(Ok(match time_constant {
            None => actuator,
            Some(time) => FirstOrderLag::new(name, T::from(time), Box::new(actuator))
                .map_err(error)?
                .into(),
        }))
    }
}

/// The law of an actuator with the time constant of its filter, or what of it there is not here.
#[allow(clippy::type_complexity)] // errors of two kinds
fn law(item: &Item) -> Result<Result<(Law, Option<f64>), &'static str>, MjcfError> {
    let mut gain = [1.0, 0.0, 0.0];
    let mut bias = [0.0; 3];
    let read = |name, out: &mut [f64; 3]| -> Result<(), MjcfError> {
        // Up to ten numbers, of which the first three count in what is read.
        let mut all = [0.0; 10];
        all[..3].copy_from_slice(out);
        item.overlay(name, &mut all)?;
        out.copy_from_slice(&all[..3]);
        Ok(())
    };
    read("gainprm", &mut gain)?;
    read("biasprm", &mut bias)?;
    let mut time_constant = None;
    let law = match item.tag() {
        "motor" => Law {
            gain: 1.0,
            stiffness: 0.0,
            damping: 0.0,
        },
        "position" => {
            if item.text("dampratio").is_some() {
                return Ok(Err("has a ratio of damping"));
            }
            time_constant = item.number("timeconst")?.filter(|time| *time > 0.0);
            let stiffness = item.number("kp")?.unwrap_or(gain[0]);
            Law {
                gain: stiffness,
                stiffness,
                damping: item.number("kv")?.unwrap_or(0.0),
            }
        }
        "velocity" => {
            let damping = item.number("kv")?.unwrap_or(gain[0]);
            Law {
                gain: damping,
                stiffness: 0.0,
                damping,
            }
        }
        _ => {
            match item.text("dyntype") {
                None | Some("none") => {}
                Some("filter" | "filterexact") => {
                    let mut dynamics = [1.0; 10];
                    item.overlay("dynprm", &mut dynamics)?;
                    time_constant = Some(dynamics[0]);
                }
                Some(_) => return Ok(Err("has dynamics of another type")),
            }
            if !matches!(item.text("gaintype"), None | Some("fixed")) {
                return Ok(Err("has a gain of another type"));
            }
            let bias = match item.text("biastype") {
                None | Some("none") => [0.0; 3],
                Some("affine") => bias,
                Some(_) => return Ok(Err("has a bias of another type")),
            };
            if bias[0] != 0.0 {
                return Ok(Err("has a constant force"));
            }
            Law {
                gain: gain[0],
                stiffness: -bias[1],
                damping: -bias[2],
            }
        }
    };
    if law.gain == 0.0 {
        return Ok(Err("has no gain"));
    }
    Ok(Ok((law, time_constant)))
}
