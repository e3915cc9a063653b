//! Derivatives shown as ghosts and arrows.

use super::arrows::Arrows;
use super::motion::{frames, moved, poses};
use super::scene::Scene;
use crate::InvalidInput;
use crate::math::RigidTransform;
use crate::system::{RigidBodySystem, State, SystemError};
use nalgebra::Vector3;
use num_dual::Dual64;

impl Scene {
    /// Shows a derivative: of a rollout in [`Dual64`], where the bodies would be if what it was
    /// differentiated with respect to changed by ± `amount`, to first order, as two ghosts; and at each
    /// body an arrow along which it would move, as long as that displacement. `name` says what it is; each ghost
    /// has its own sign in place of a ±.
    ///
    /// ```
    /// use dualbody::num_dual::Dual64;
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// let mut dual = system.cast::<Dual64>();
    /// dual.set_parameter("ball/mass", Dual64::new(0.2, 1.0))?;
    /// let mut start = dual.initial_state();
    /// start.q[6] = Dual64::from(0.1);
    /// let rollout = dual.rollout(&start, 300)?;
    /// let scene = rollout.scene(&dual)?.with_sensitivity("mass ± 0.1 kg", &dual, &rollout.states, 0.1)?;
    /// assert!(scene.html().contains("mass ± 0.1 kg"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::of_states`], and for an amount that is not finite.
    pub fn with_sensitivity(
        mut self,
        name: impl Into<String>,
        system: &RigidBodySystem<Dual64>,
        states: &[State<Dual64>],
        amount: f64,
    ) -> Result<Self, SystemError> {
        let name = name.into();
        InvalidInput::check_finite("amount", &[amount])?;
        let chosen = frames(states)?;
        let still = Self::at_frames(system, states, &chosen)?;
        let mut arrows = Arrows::new(format!("displacement for {name}"), "m");
        arrows.scale = Some(1.0);
        let labels: Vec<usize> = (still.bodies.iter().map(|body| &body.name))
            .map(|body| arrows.label(body))
            .collect();
        let mut ghosts = [1.0, -1.0].map(|sign| (sign, still.clone()));
        for (sign, ghost) in &mut ghosts {
            let along = |x: &RigidTransform<Dual64>| moved(x, *sign * amount);
            ghost.motions[0].poses = poses(system.tree(), states, &chosen, along)?;
        }
        let point = |p: &[f32; 7]| Vector3::new(p[0], p[1], p[2]).map(f64::from);
        let ahead = &ghosts[0].1.motions[0].poses;
        for (here, there) in still.motions[0].poses.iter().zip(ahead) {
            arrows.frames.push(Vec::new());
            for ((here, there), &label) in here.iter().zip(there).zip(&labels) {
                let (from, to) = (point(here), point(there));
                arrows.add(label, &from, &(to - from));
            }
        }
        self.arrows.push((self.motions.len(), arrows));
        for (sign, ghost) in ghosts {
            let sign = if sign > 0.0 { "+" } else { "−" };
            let name = match name.contains('±') {
                true => name.replace('±', sign),
                false => format!("{name} {sign}"),
            };
            self = self.with_ghost(name, ghost);
        }
        Ok(self)
    }
}
