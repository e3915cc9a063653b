//! Displacements of states, with positions in the tangent space of configurations.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

impl<T: Scalar> State<T> {
    /// Number of entries of a displacement `[δq; δv; δa; δs]`: one for every velocity coordinate in both δq and δv, then
    /// those of the states of actuators and sensors.
    pub fn num_displacements(&self) -> usize {
        2 * self.v.len() + self.actuators.len() + self.sensors.len()
    }

    /// Writes `x ⊕ δ`, the state that a displacement `δ = [δq; δv; δa; δs]` leads to, at the same time: positions go by
    /// [`RigidBodyTree::integrate_exponential`] over unit time, so that quaternions take three directions, not four;
    /// everything else is added.
    ///
    /// # Errors
    /// [`SystemError`] when a size is wrong or an entry not finite.
    #[inline(never)]
    pub fn displace(
        &self,
        tree: &RigidBodyTree<T>,
        displacement: &[T],
        to: &mut State<T>,
    ) -> Result<(), SystemError> {
        let size = self.num_displacements();
        InvalidInput::check_size("displacement", displacement.len(), size)?;
        InvalidInput::check_size("v", self.v.len(), tree.num_velocities())?;
        InvalidInput::check_finite("displacement", displacement)?;
        if to.sizes() != self.sizes() {
            to.clone_from(self);
        }
        let (dq, rest) = displacement.split_at(self.v.len());
        to.time = self.time;
        tree.integrate_exponential(self.q.as_slice(), dq, T::one(), to.q.as_mut_slice())?;
        let entries = to.rates_mut().zip(self.rates()).zip(rest);
        entries.for_each(|((after, &before), &d)| *after = before + d);
        Ok(())
    }

    /// Writes `to ⊖ x`, the displacement that leads to another state, the inverse of [`Self::displace`].
    ///
    /// # Errors
    /// [`SystemError`] when a size is wrong or an entry not finite.
    #[inline(never)]
    pub fn difference(
        &self,
        tree: &RigidBodyTree<T>,
        to: &State<T>,
        displacement: &mut [T],
    ) -> Result<(), SystemError> {
        let nv = tree.num_velocities();
        let (actuators, sensors) = (self.actuators.len(), self.sensors.len());
        for (quantity, size, expected) in [
            ("v", self.v.len(), nv),
            ("v", to.v.len(), nv),
            ("states of actuators", to.actuators.len(), actuators),
            ("states of sensors", to.sensors.len(), sensors),
            ("displacement", displacement.len(), self.num_displacements()),
        ] {
            InvalidInput::check_size(quantity, size, expected)?;
        }
        let (dq, rest) = displacement.split_at_mut(nv);
        tree.difference(self.q.as_slice(), to.q.as_slice(), dq)?;
        let entries = rest.iter_mut().zip(to.rates()).zip(self.rates());
        entries.for_each(|((d, &after), &before)| *d = after - before);
        let entries = &*displacement;
        Ok(InvalidInput::check_finite("difference of states", entries)?)
    }

    /// Velocities and the states of actuators and sensors.
    fn rates(&self) -> impl Iterator<Item = &T> {
        self.v.iter().chain(&self.actuators).chain(&self.sensors)
    }

    fn rates_mut(&mut self) -> impl Iterator<Item = &mut T> {
        (self.v.iter_mut())
            .chain(&mut self.actuators)
            .chain(&mut self.sensors)
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// The displacement that leads from one state to another, [`State::difference`].
    ///
    /// # Errors
    /// As there.
    pub fn displacement(&self, from: &State<T>, to: &State<T>) -> Result<DVector<T>, SystemError> {
        let mut displacement = DVector::zeros(from.num_displacements());
        from.difference(&self.tree, to, displacement.as_mut_slice())?;
        Ok(displacement)
    }

    /// Names of the entries of displacements: `{joint}/position/{k}`, `{joint}/velocity/{k}`, without `/{k}` for joints of
    /// one degree of freedom; `actuators/{k}`; `sensors/{k}`.
    #[inline(never)]
    pub fn displacement_names(&self) -> Vec<String> {
        let nv = self.tree.num_velocities();
        let mut names = vec![String::new(); 2 * nv];
        for joint in self.tree.joints().filter(|joint| joint.mimic().is_none()) {
            for k in 0..joint.num_velocities() {
                for (offset, quantity) in [(0, "position"), (nv, "velocity")] {
                    let name = &mut names[offset + joint.velocity_start() + k];
                    *name = format!("{}/{quantity}", joint.name());
                    if joint.num_velocities() > 1 {
                        *name += &format!("/{k}");
                    }
                }
            }
        }
        names.extend((0..self.actuators.num_states()).map(|k| format!("actuators/{k}")));
        names.extend((0..self.sensors.num_states()).map(|k| format!("sensors/{k}")));
        names
    }
}
