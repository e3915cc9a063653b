//! Where the energy of a step goes.

use super::step::Step;
use super::system::TimeSteppingRigidBodySystem;
use crate::contact::PointContact;
use crate::force::{ElementEnergy, ForceContext, ForceElement, Forces};
use crate::math::SpatialVelocity;
use crate::system::State;
use crate::system::error::StepError;
use crate::tree::TreeWorkspace;
use crate::{InvalidInput, Scalar};

/// An energy at the start and at the end of a step, in J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyChange<T> {
    /// At the start.
    pub start: T,
    /// At the end.
    pub end: T,
}

impl<T: Scalar> EnergyChange<T> {
    /// What it has grown by.
    pub fn change(&self) -> T {
        self.end - self.start
    }
}

/// What a force element stores and dissipates in a step, in J.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementLedger<T> {
    /// The name of the element.
    pub name: String,
    /// Stored energy.
    pub stored: EnergyChange<T>,
    /// Energy that it takes and does not store; negative for an element that drives.
    pub dissipated: T,
}

/// Where the energy of a step goes, in J.
///
/// Over a step from `(q, v)` to `(q⁺, v⁺)` the forces do work at the velocity `v⁺`, at which they were
/// determined:
///
/// | entry | value |
/// |---|---|
/// | actuation | `δt τ·v⁺` |
/// | damping of joints | `δt v⁺·D v⁺` |
/// | element, dissipated | `−δt (P + dU/dt)` with its power P and stored energy U, at `(q, v⁺)` |
/// | contact, stored | `½ k x₊²` with the penetrations `x` |
/// | contact normal, dissipated | `−δt fₙ vₙ` less the growth of `½ k x₊²` from `x` to `x − δt vₙ` |
/// | friction, dissipated | `−δt fₜ·vₜ` |
///
/// Kinetic, gravitational and stored energies are exact at both ends. What does not add up is the
/// error of the step:
///
/// ```text
/// residual = Δ(kinetic + gravitational + stored in elements and contacts) + dissipated − actuation
/// ```
///
/// It is of the order δt² for a step, of the order δt for a given time.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyLedger<T> {
    /// Kinetic energy.
    pub kinetic: EnergyChange<T>,
    /// Potential energy of gravity.
    pub gravitational: EnergyChange<T>,
    /// Of each force element, in the order of the system.
    pub elements: Vec<ElementLedger<T>>,
    /// Stored in the compliance of contacts.
    pub stored_in_contact: EnergyChange<T>,
    /// Dissipated by the viscous damping of joints.
    pub dissipated_by_joints: T,
    /// Dissipated along the normals of contacts.
    pub dissipated_by_contact_normal: T,
    /// Dissipated by friction of contacts.
    pub dissipated_by_friction: T,
    /// Work of the generalized forces that were given to the step.
    pub work_of_actuation: T,
}

impl<T: Scalar> EnergyLedger<T> {
    /// All energy that is kinetic, gravitational or stored.
    pub fn total(&self) -> EnergyChange<T> {
        let stored = self.elements.iter().map(|e| e.stored);
        let known = [self.gravitational, self.stored_in_contact];
        stored
            .chain(known)
            .fold(self.kinetic, |sum, e| EnergyChange {
                start: sum.start + e.start,
                end: sum.end + e.end,
            })
    }

    /// All energy that was dissipated.
    pub fn dissipated(&self) -> T {
        let known = self.dissipated_by_joints
            + self.dissipated_by_contact_normal
            + self.dissipated_by_friction;
        self.elements
            .iter()
            .fold(known, |sum, e| sum + e.dissipated)
    }

    /// What does not add up: the change of the total, and what was dissipated, less the work of
    /// actuation.
    pub fn residual(&self) -> T {
        self.total().change() + self.dissipated() - self.work_of_actuation
    }
}

/// The energies of a state, in J and W.
#[derive(Debug, Clone, PartialEq)]
pub struct StateEnergy<T> {
    /// Kinetic energy.
    pub kinetic: T,
    /// Potential energy of gravity.
    pub gravitational: T,
    /// Of each force element: its name, its stored energy and its powers.
    pub elements: Vec<(String, ElementEnergy<T>)>,
    /// Stored in the compliance of contacts.
    pub stored_in_contact: T,
}

impl<T: Scalar, F: ForceElement<T>> TimeSteppingRigidBodySystem<T, F> {
    /// The energies of a state. Allocates.
    ///
    /// # Errors
    /// [`StepError`] when the state does not fit, a force element cannot compute its force, a
    /// geometry is not finite, or an energy overflows.
    pub fn energy(&self, state: &State<T>) -> Result<StateEnergy<T>, StepError> {
        let tree = self.tree();
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, state.q.as_slice(), state.v.as_slice())?;
        let context = ForceContext::new(tree, &workspace);
        let energy = StateEnergy {
            kinetic: tree.kinetic_energy(&workspace)?,
            gravitational: tree.potential_energy(&workspace)?,
            elements: element_energies(self.forces(), &context)?,
            stored_in_contact: self.stored_in_contact(&workspace)?,
        };
        let known = energy.kinetic + energy.gravitational + energy.stored_in_contact;
        let all = (energy.elements.iter()).fold(known, |sum, (_, e)| {
            sum + e.stored + e.conservative_power + e.power
        });
        InvalidInput::check_finite("energy of the state", &[all])?;
        Ok(energy)
    }

    fn stored_in_contact(&self, workspace: &TreeWorkspace<T>) -> Result<T, StepError> {
        let contacts = self.contact().contacts(self.tree(), workspace, 0.0)?;
        let add = |sum: T, c: &PointContact<T>| sum + stored(c, c.penetration);
        Ok(contacts.iter().fold(T::zero(), add))
    }
}

/// Energy in the compliance of a contact at the penetration `x`.
fn stored<T: Scalar>(contact: &PointContact<T>, x: T) -> T {
    let x = x.max_lifted(T::zero());
    contact.material.stiffness * x * x * 0.5
}

impl<T: Scalar, F: ForceElement<T>> Step<'_, T, F> {
    /// Where the energy of the step went. Allocates.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::energy`] at the end of the step.
    pub fn energy(&mut self) -> Result<EnergyLedger<T>, StepError> {
        let system = self.system;
        let (tree, dt) = (system.tree(), system.time_step());
        let (start, next) = (self.start().clone(), self.state().clone());
        let end = system.energy(&next)?;

        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, start.q.as_slice(), start.v.as_slice())?;
        let kinetic = tree.kinetic_energy(&workspace)?;
        let gravitational = tree.potential_energy(&workspace)?;
        let v = next.v.as_slice();
        let mut velocities = vec![SpatialVelocity::zero(); tree.num_bodies()];
        tree.body_velocities(&workspace, v, &mut velocities)?;
        let context = ForceContext::with_velocities(tree, &workspace, v, &velocities)?;
        let elements = (element_energies(system.forces(), &context)?.into_iter())
            .zip(end.elements)
            .map(|((name, at_start), (_, at_end))| ElementLedger {
                name,
                stored: EnergyChange {
                    start: at_start.stored,
                    end: at_end.stored,
                },
                dissipated: (at_start.conservative_power - at_start.power) * dt,
            })
            .collect();

        let mut damping = vec![T::zero(); v.len()];
        tree.joint_damping(&mut damping)?;
        let power =
            |weights: &[T]| (weights.iter().zip(v)).fold(T::zero(), |sum, (&w, &v)| sum + w * v);
        let weighted: Vec<T> = damping.iter().zip(v).map(|(&d, &v)| d * v).collect();
        let mut ledger = EnergyLedger {
            kinetic: EnergyChange {
                start: kinetic,
                end: end.kinetic,
            },
            gravitational: EnergyChange {
                start: gravitational,
                end: end.gravitational,
            },
            elements,
            stored_in_contact: EnergyChange {
                start: system.stored_in_contact(&workspace)?,
                end: end.stored_in_contact,
            },
            dissipated_by_joints: power(&weighted) * dt,
            dissipated_by_contact_normal: T::zero(),
            dissipated_by_friction: T::zero(),
            work_of_actuation: power(self.tau()) * dt,
        };
        self.for_each_contact(|_, point, velocity, force| {
            let x = point.penetration;
            let growth = stored(point, x - velocity.z * dt) - stored(point, x);
            ledger.dissipated_by_contact_normal -= force.z * velocity.z * dt + growth;
            ledger.dissipated_by_friction -= (force.x * velocity.x + force.y * velocity.y) * dt;
        })?;
        InvalidInput::check_finite("energy of the step", &[ledger.residual()])?;
        Ok(ledger)
    }
}

fn element_energies<T: Scalar, F: ForceElement<T>>(
    elements: &F,
    context: &ForceContext<'_, T>,
) -> Result<Vec<(String, ElementEnergy<T>)>, StepError> {
    let mut energies = Vec::new();
    let mut scratch = Forces::new(context.tree());
    elements.visit_energies(context, &mut scratch, &mut |name, energy| {
        energies.push((name.to_owned(), energy));
    })?;
    Ok(energies)
}
