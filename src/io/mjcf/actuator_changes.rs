//! MJCF: writing back constants of actuators.

use super::actuator::{ActuatorItem, scaled};
use super::changes::Update;
use super::element_constants::Change;
use super::error::MjcfError;

const CONTROL: [&str; 2] = ["ctrllimited", "ctrlrange"];
const FORCE: [&str; 2] = ["forcelimited", "forcerange"];

impl Update<'_, '_> {
    /// The constants of an actuator, on the element itself.
    pub fn actuator(&mut self, actuator: &ActuatorItem, change: &Change) -> Result<(), MjcfError> {
        let ActuatorItem {
            item, law, gear, ..
        } = actuator;
        let element = item.node.element;
        if let Some(time) = change.changed("time_constant") {
            match item.tag() {
                "position" => self.set(element, "timeconst", &[time]),
                _ => self.set_first(&item.node, "dynprm", &[time])?,
            }
        }
        let mut ranges = change.ranges().into_iter();
        if law.is_torque() {
            if let Some(ratio) = change.changed("gear_ratio") {
                self.set_first(&item.node, "gear", &[ratio / law.gain])?;
            }
            let (force, control) = (actuator.force, actuator.control);
            if actuator.time_constant.is_some()
                && control.is_some()
                && let Some(range) = ranges.next().flatten()
            {
                self.set_range(item, CONTROL, range)?;
            }
            let symmetric = change.changed("limit").map(|limit| [-limit, limit]);
            let Some(range) = symmetric.or(ranges.next().flatten()) else {
                return Ok(());
            };
            let is_of_force = actuator.time_constant.is_some() || control.is_none();
            match force {
                Some(_) if is_of_force => self.set_range(item, FORCE, scaled(range, law.gain))?,
                _ => self.set_range(item, CONTROL, range)?,
            }
            // The narrower of both counts.
            if let Some(force) = force.filter(|_| !is_of_force) {
                let [lower, upper] = scaled(force, 1.0 / law.gain);
                if lower > range[0] || upper < range[1] {
                    self.set_range(item, FORCE, scaled(range, law.gain))?;
                }
            }
            return Ok(());
        }
        let gain = |quantity| change.wanted(quantity) / (gear * gear);
        let [stiffness, damping] = ["proportional_gain", "derivative_gain"].map(gain);
        let changed = ["proportional_gain", "derivative_gain"].map(|g| change.changed(g).is_some());
        match item.tag() {
            "position" | "velocity" => {
                if changed[0] {
                    self.set(element, "kp", &[stiffness]);
                }
                // What follows from a ratio would change with the stiffness.
                if changed[1] || (law.damping_ratio > 0.0 && changed[0]) {
                    self.set(element, "kv", &[damping]);
                    self.edits(element).remove(element, "dampratio");
                }
            }
            _ if changed != [false; 2] => {
                let gain = if law.is_position() {
                    stiffness
                } else {
                    damping
                };
                self.set_first(&item.node, "gainprm", &[gain])?;
                self.set_first(&item.node, "biasprm", &[0.0, -stiffness, -damping])?;
            }
            _ => {}
        }
        let limits = ["lower_limit", "upper_limit"];
        if limits.iter().any(|limit| change.changed(limit).is_some()) {
            let range = limits.map(|limit| change.wanted(limit));
            self.set_range(item, FORCE, scaled(range, 1.0 / gear))?;
        }
        if let Some(range) = ranges.next().flatten() {
            self.set_range(item, CONTROL, scaled(range, *gear))?;
            if actuator.control.is_none() {
                self.set(element, "inheritrange", &[0.0]);
            }
        }
        Ok(())
    }
}
