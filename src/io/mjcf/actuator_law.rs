//! MJCF: gain, bias and dynamics of actuators.

use super::defaults::{Item, Node};
use super::error::MjcfError;

/// The force `gain · u − k_p l − k_d l̇` at the control u and the length l, each in units of the transmission.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub gain: f64,
    pub stiffness: f64,
    pub damping: f64,
    /// From which the damping is to follow, if it is not zero.
    pub damping_ratio: f64,
}

impl Law {
    /// The law with the time constant of a filter before it, or what of it there is not here.
    #[allow(clippy::type_complexity)] // errors of two kinds
    pub fn of(item: &Item) -> Result<Result<(Law, Option<f64>), &'static str>, MjcfError> {
        let mut around = vec![Attributes::GENERAL];
        let mut attributes = Attributes::GENERAL;
        for class in item.classes().iter().rev() {
            for node in class {
                attributes = attributes.then(&around, node)?;
            }
            around.push(attributes);
        }
        Ok(attributes.then(&around, &item.node)?.law())
    }

    /// The law with the damping that follows from its ratio: that part of the critical damping of the stiffness with
    /// an inertia, in units of the transmission, beyond it.
    pub fn damped(self, inertia: f64) -> Law {
        Law {
            damping: self.damping_ratio * 2.0 * (self.stiffness * inertia).sqrt(),
            damping_ratio: 0.0,
            ..self
        }
    }

    pub fn is_torque(self) -> bool {
        self.stiffness == 0.0 && self.damping == 0.0
    }

    /// Whether the control is a position at which the force is zero.
    pub fn is_position(self) -> bool {
        self.gain == self.stiffness
    }

    /// Whether the control is a rate at which the force is zero.
    pub fn is_velocity(self) -> bool {
        self.stiffness == 0.0 && self.gain == self.damping
    }
}

/// What a default says and an element after it does not say again. Kinds of elements are short forms of one, `<general>`;
/// one of these after another of these goes on from the innermost class around it that is not of another.
#[derive(Clone, Copy)]
struct Attributes<'a> {
    kind: &'a str,
    gain_type: &'a str,
    bias_type: &'a str,
    dynamics_type: &'a str,
    /// Up to ten numbers each, of which the first count in what is read.
    gain: [f64; 10],
    bias: [f64; 10],
    dynamics: [f64; 10],
}

impl<'a> Attributes<'a> {
    const GENERAL: Attributes<'static> = Attributes {
        kind: "general",
        gain_type: "fixed",
        bias_type: "none",
        dynamics_type: "none",
        gain: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        bias: [0.0; 10],
        dynamics: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    };

    /// These, then what an element says, in classes with the attributes `around`, of which the first are
    /// [`Self::GENERAL`].
    fn then(self, around: &[Self], node: &Node<'a>) -> Result<Self, MjcfError> {
        let kind = node.element.name.as_str();
        let goes_on = |from: &&Self| [kind, from.kind].contains(&"general") || kind == from.kind;
        let from = [self];
        let mut all = from.iter().chain(around.iter().rev());
        let mut next = match kind {
            "motor" => Attributes::GENERAL,
            _ => *all.find(goes_on).unwrap_or(&Attributes::GENERAL),
        };
        next.read(kind, node)?;
        Ok(next)
    }

    fn read(&mut self, kind: &'a str, node: &Node<'a>) -> Result<(), MjcfError> {
        self.kind = kind;
        match kind {
            "general" => {
                self.gain_type = node.text("gaintype").unwrap_or(self.gain_type);
                self.bias_type = node.text("biastype").unwrap_or(self.bias_type);
                self.dynamics_type = node.text("dyntype").unwrap_or(self.dynamics_type);
                node.numbers("gainprm", &mut self.gain)?;
                node.numbers("biasprm", &mut self.bias)?;
                node.numbers("dynprm", &mut self.dynamics)?;
            }
            "position" => {
                let stiffness = node.number("kp")?.unwrap_or(self.gain[0]);
                // A positive number is a ratio of damping.
                let [damping, ratio] = [node.number("kv")?, node.number("dampratio")?];
                let time = node.number("timeconst")?;
                for (name, value) in [("kv", damping), ("dampratio", ratio), ("timeconst", time)] {
                    if value.is_some_and(|x| x < 0.0) {
                        return Err(node.value(name, "a number that is not negative"));
                    }
                }
                if damping.is_some() && ratio.is_some() {
                    return Err(node.value("dampratio", "no kv beside it"));
                }
                let damping = match (damping, ratio) {
                    (Some(damping), _) => -damping,
                    (None, Some(ratio)) => ratio,
                    (None, None) => self.bias[2],
                };
                self.set_servo(stiffness, [-stiffness, damping]);
                if let Some(time) = time {
                    self.dynamics[0] = time;
                    self.dynamics_type = if time > 0.0 { "filterexact" } else { "none" };
                } else if self.dynamics_type != "filterexact" {
                    self.dynamics_type = "none";
                }
            }
            "velocity" => {
                let damping = node.number("kv")?.unwrap_or(self.gain[0]);
                self.set_servo(damping, [0.0, -damping]);
                self.dynamics_type = "none";
            }
            _ => {}
        }
        Ok(())
    }

    fn set_servo(&mut self, gain: f64, [of_length, of_rate]: [f64; 2]) {
        (self.gain_type, self.bias_type) = ("fixed", "affine");
        self.gain[0] = gain;
        self.bias[..3].copy_from_slice(&[0.0, of_length, of_rate]);
    }

    fn law(&self) -> Result<(Law, Option<f64>), &'static str> {
        let time_constant = match self.dynamics_type {
            "none" => None,
            "filter" | "filterexact" => Some(self.dynamics[0]),
            _ => return Err("has dynamics of another type"),
        };
        if self.gain_type != "fixed" {
            return Err("has a gain of another type");
        }
        let [constant, of_length, of_rate] = match self.bias_type {
            "none" => [0.0; 3],
            "affine" => [self.bias[0], self.bias[1], self.bias[2]],
            _ => return Err("has a bias of another type"),
        };
        if constant != 0.0 {
            return Err("has a constant force");
        }
        if of_length > 0.0 {
            return Err("has a stiffness below zero");
        }
        let gain = self.gain[0];
        if of_rate > 0.0 && gain != -of_length {
            return Err("has a damping below zero");
        }
        if gain == 0.0 {
            return Err("has no gain");
        }
        // Not −0.
        let stiffness = 0.0 - of_length;
        let [damping, damping_ratio] = [(-of_rate).max(0.0), of_rate.max(0.0)];
        Ok((
            Law {
                gain,
                stiffness,
                damping,
                damping_ratio,
            },
            time_constant,
        ))
    }
}
