//! MJCF: the section `<actuator>`.

use super::actuator_law::Law;
use super::assembly::Assembly;
use super::body::Kind;
use super::compiler::Compiler;
use super::defaults::{Defaults, Item, MAIN};
use super::error::{MjcfError, MjcfProblem};
use crate::Scalar;
use crate::actuator::{Actuator, AnyActuator, FirstOrderLag, PdServo, Saturation, TorqueSource};
use crate::io::xml::Element;
use crate::tree::{JointIndex, RigidBodyTree};
use std::collections::HashMap;

/// Defaults of all of these apply to each of them.
const KINDS: [&str; 4] = ["general", "motor", "position", "velocity"];

/// An actuator with its defaults.
pub(super) fn actuator_item<'a>(
    defaults: &'a Defaults<'a>,
    element: &'a Element,
) -> Result<Item<'a>, MjcfError> {
    defaults.item(element, MAIN, &KINDS)
}

/// What an actuator and its defaults say, in the format's units of the transmission.
pub(super) struct ActuatorItem<'a> {
    pub item: Item<'a>,
    pub law: Law,
    pub time_constant: Option<f64>,
    pub gear: f64,
    /// The ranges of the force and of the control, where these count.
    pub force: Option<[f64; 2]>,
    pub control: Option<[f64; 2]>,
    /// Whether the range of the control is that of the joint.
    inherits: bool,
}

impl<'a> ActuatorItem<'a> {
    /// What is said, or what of it there is not here.
    #[allow(clippy::type_complexity)] // errors of two kinds
    pub fn read(
        item: Item<'a>,
        compiler: &Compiler,
    ) -> Result<Result<Self, &'static str>, MjcfError> {
        let (law, time_constant) = match Law::of(&item)? {
            Ok(law) => law,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        item.overlay("gear", &mut gear)?;
        let automatic = compiler.automatic_limits;
        let inherits = law.is_position() && inherits_range(&item)?;
        Ok(Ok(ActuatorItem {
            item,
            law,
            time_constant,
            gear: gear[0],
            force: item.limits("forcelimited", "forcerange", automatic)?,
            control: match inherits {
                true => None,
                false => item.limits("ctrllimited", "ctrlrange", automatic)?,
            },
            inherits,
        }))
    }
}

impl<'a, T: Scalar> Assembly<'_, 'a, T> {
    pub(super) fn read_actuators(&mut self, tree: &RigidBodyTree<T>) -> Result<(), MjcfError> {
        // How many act on a joint; one that does so alone is held to what the joint limits the force of all to.
        let mut acting = HashMap::<&str, usize>::new();
        for element in self.section("actuator") {
            if let Some(joint) = joint_of(element) {
                *acting.entry(joint).or_default() += 1;
            }
        }
        for (number, element) in self.section("actuator").enumerate() {
            let node = self.defaults.node(element);
            if !KINDS.contains(&element.name.as_str()) {
                self.model
                    .report
                    .leave_out(&node, "is an actuator of another kind");
                continue;
            }
            let item = actuator_item(self.defaults, element)?;
            let alone = joint_of(element).filter(|joint| acting.get(joint) == Some(&1));
            let mut limited = self.limited_joints.iter();
            let limited = limited.position(|joint| alone.is_some() && joint.name == alone);
            let of_joint = limited.map(|place| self.limited_joints[place].range);
            match self.actuator(&item, tree, of_joint)? {
                Ok(actuator) => {
                    if let Some(place) = limited {
                        self.limited_joints.remove(place);
                    }
                    self.model.elements.actuators.push(actuator);
                    self.model.origins.actuators.push(number);
                }
                Err(reason) => self.model.report.leave_out(&node, reason),
            }
        }
        for joint in &self.limited_joints {
            let report = &mut self.model.report;
            if joint.range[0] == -joint.range[1] {
                let found = tree.joint(joint.index).map_err(|e| joint.node.error(e))?;
                report.hold(found.name(), "actuatorfrcrange");
            } else {
                report.leave_out(&joint.node, "has unequal limits of force");
            }
        }
        Ok(())
    }

    /// The actuator, held to the range of the force on its joint if there is one, or what of it there is not here.
    fn actuator(
        &mut self,
        item: &Item<'a>,
        tree: &RigidBodyTree<T>,
        of_joint: Option<[f64; 2]>,
    ) -> Result<Result<AnyActuator<T>, &'static str>, MjcfError> {
        let attribute = match item.text("joint") {
            Some(_) => "joint",
            None if item.text("jointinparent").is_some() => "jointinparent",
            None => return Ok(Err("does not act on a joint")),
        };
        let joint = self.required_joint(&item.node, attribute)?;
        if !matches!(joint.kind, Kind::Hinge | Kind::Slide) {
            return Ok(Err("acts on a joint with several degrees of freedom"));
        }
        let said = match ActuatorItem::read(*item, self.compilers.of(&item.node))? {
            Ok(said) => said,
            Err(reason) => return Ok(Err(reason)),
        };
        let ActuatorItem {
            mut law,
            time_constant,
            gear,
            force,
            ..
        } = said;
        let control = match said.control {
            None if said.inherits => self.inherited_range(item, tree, joint.index)?,
            range => range,
        };
        if control.is_some_and(|range| !range.iter().all(|x| x.is_finite())) {
            return Ok(Err("inherits a range that its joint does not have"));
        }
        let of_joint = of_joint.filter(|_| gear != 0.0);
        let force = match (force, of_joint.map(|range| scaled(range, 1.0 / gear))) {
            (Some(own), Some([lower, upper])) => Some(own.map(|f| f.max(lower).min(upper))),
            (own, of_joint) => own.or(of_joint),
        };
        let name = match item.node.text("name").filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => {
                let joint = item.node.required(attribute)?;
                self.unique("actuators", &format!("{joint}_{}", item.tag()))
            }
        };
        let name = self.full_name(&name);
        let error = |e| item.node.error(MjcfProblem::Force(e));
        let held = |name: &str, range: [f64; 2], input: usize, actuator: AnyActuator<T>| {
            let all = [T::from(f64::NEG_INFINITY), T::from(f64::INFINITY)];
            let mut ranges = vec![all; actuator.num_inputs()];
            ranges[input] = range.map(T::from);
            let held = Saturation::new(name, &ranges, actuator).map_err(error)?;
            Ok(AnyActuator::new(held))
        };
        // With the input that is the control, and the range in which that is still to be held.
        let (actuator, input, control) = if law.is_torque() {
            let of_force = force.map(|range| scaled(range, 1.0 / law.gain));
            let (range, control) = match (of_force, control) {
                (_, Some(_)) if time_constant.is_some() => (of_force, control),
                (Some([lower, upper]), Some(control)) => {
                    (Some(control.map(|u| u.max(lower).min(upper))), None)
                }
                _ => (of_force.or(control), None),
            };
            let is_limit = |range: &[f64; 2]| range[0] == -range[1];
            let limit = range.filter(is_limit).map(|range| T::from(range[1]));
            let ratio = T::from(gear * law.gain);
            let motor = TorqueSource::new(&name, tree, joint.index, ratio, limit).map_err(error)?;
            let motor = match range {
                Some(range) if limit.is_none() => {
                    // With a filter, the range of the control is held as well.
                    held(&format!("{name}_force"), range, 0, AnyActuator::new(motor))?
                }
                _ => AnyActuator::new(motor),
            };
            (motor, 0, control)
        } else if law.is_position() || law.is_velocity() {
            let limits = force.map(|range| scaled(range, gear).map(T::from));
            if gear == 0.0 {
                return Ok(Err("has a gear of zero"));
            }
            if law.damping_ratio > 0.0 {
                let error = |e| item.node.error(MjcfProblem::Tree(e));
                let moving = tree.joint(joint.index).map_err(error)?.velocity_start();
                let Some(mobilities) = self.mobilities(tree).map_err(error)? else {
                    return Ok(Err("has a ratio of damping where a joint moves no mass"));
                };
                law = law.damped(1.0 / (mobilities[moving] * gear * gear));
            }
            let gains = [law.stiffness, law.damping].map(|gain| T::from(gain * gear * gear));
            let servo = PdServo::new(&name, tree, joint.index, gains, limits).map_err(error)?;
            let input = usize::from(law.is_velocity());
            let control = control.map(|range| scaled(range, 1.0 / gear));
            (AnyActuator::new(servo), input, control)
        } else {
            return Ok(Err("has a gain that is not its bias"));
        };
        let filtered = match time_constant {
            None => actuator,
            Some(time) => {
                let lag = FirstOrderLag::new(&name, T::from(time), actuator);
                AnyActuator::new(lag.map_err(error)?)
            }
        };
        Ok(Ok(match control {
            None => filtered,
            Some(range) => held(&name, range, input, filtered)?,
        }))
    }

    /// The range of the control by that of the joint, if `inheritrange` says so; infinite if that has none.
    fn inherited_range(
        &self,
        item: &Item,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
    ) -> Result<Option<[f64; 2]>, MjcfError> {
        let Some(part) = item.number("inheritrange")?.filter(|part| *part > 0.0) else {
            return Ok(None);
        };
        let joint = tree
            .joint(joint)
            .map_err(|e| item.node.error(MjcfProblem::Tree(e)))?;
        let limits = joint.limits();
        let [lower, upper] = [limits.lower[0].re(), limits.upper[0].re()];
        let (middle, half) = (0.5 * (lower + upper), 0.5 * part * (upper - lower));
        Ok(Some([middle - half, middle + half]))
    }
}

/// The name of the joint that an actuator acts on.
fn joint_of(element: &Element) -> Option<&str> {
    let joint = element.attribute("joint");
    joint.or_else(|| element.attribute("jointinparent"))
}

/// Whether the last that is said of the range of the control is that it follows from the joint, and that counts.
fn inherits_range(item: &Item) -> Result<bool, MjcfError> {
    if item.flag("ctrllimited")? == Some(false) {
        return Ok(false);
    }
    for node in item.layers() {
        let inherits = node.number("inheritrange")?.map(|part| part > 0.0);
        match (node.text("ctrlrange"), inherits) {
            (Some(_), Some(true)) => {
                return Err(node.value("inheritrange", "no ctrlrange beside it"));
            }
            (Some(_), _) => return Ok(false),
            (None, Some(inherits)) => return Ok(inherits),
            (None, None) => {}
        }
    }
    Ok(false)
}

/// A range times a factor, which turns it round if it is negative.
pub(super) fn scaled([lower, upper]: [f64; 2], factor: f64) -> [f64; 2] {
    let ends = [lower * factor, upper * factor];
    if factor < 0.0 {
        [ends[1], ends[0]]
    } else {
        ends
    }
}
