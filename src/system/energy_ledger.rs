//! The energy balance of a step: work, dissipation, stored energy, and what the integrator loses.

use super::continuous::DynamicsWorkspace;
use super::error::SystemError;
use super::kinematics::StepKinematics;
use super::rigid_body_system::RigidBodySystem;
use super::scheme::Scheme;
use super::state::State;
use super::step::Step;
use super::stepper::Stepper;
use crate::constraint::{ConstraintForce, ConstraintRows, TreeConstraint, evaluate_rows};
use crate::force::{ElementEnergy, ForceContext, Forces};
use crate::tree::TreeWorkspace;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

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
/// Over a step from `(q, v)` to `(q⁺, v⁺)` compliant forces do work at the velocity `w = v⁺`, at which they
/// were determined. Constraints, and all that acts in a step with rigid contact, do work at the mean
/// velocity `w = (v + v⁺)/2`, so that the energy that an impact takes is found where its impulse acts:
///
/// | entry | value |
/// |---|---|
/// | actuation | `δt (P − P_stored) + U(q⁺, a⁺) − U(q⁺, a)`: the power of actuators, less what they take from their own stores U, and what the change of their states a puts into these |
/// | constraints | `δt Σ f·(J w)`, which is not zero where they move with time or stop an impact |
/// | damping of joints | `δt w·D w` |
/// | element, dissipated | `−δt (P + dU/dt)` with its power P and stored energy U |
/// | contact, stored | `½ k x₊²` with the penetrations `x`; nothing with rigid contact |
/// | contact normal, dissipated | `−δt fₙ vₙ` less the growth of `½ k x₊²` from `x` to `x − δt vₙ` |
/// | friction, dissipated | `−δt (fₜ·vₜ + τ·ω)` |
///
/// In continuous time these are integrals over the step, by Simpson's rule on each step of the
/// integrator. Kinetic, gravitational and stored energies are exact at both ends. What does not add up is the
/// error of the step:
///
/// ```text
/// residual = Δ(kinetic + gravitational + stored) + dissipated − actuation − constraints
/// ```
///
/// It is of the order δt² for a discrete step, of the order δt for a given time, where the forces of the step have seen
/// what it does. Of a discrete step it is [known](StepLoss) where it comes from, and what is left over is what the solver leaves of the
/// balance of momenta:
///
/// ```text
/// residual + loss = 0
/// ```
#[doc(alias = "energy balance")]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EnergyLedger<T> {
    /// Kinetic energy.
    pub kinetic: EnergyChange<T>,
    /// Potential energy of gravity.
    pub gravitational: EnergyChange<T>,
    /// Of each force element, in the order of the system.
    pub elements: Vec<ElementLedger<T>>,
    /// Stored in actuators.
    pub stored_in_actuators: EnergyChange<T>,
    /// Stored in the compliance of contacts.
    pub stored_in_contact: EnergyChange<T>,
    /// Dissipated by the viscous damping of joints.
    pub dissipated_by_joints: T,
    /// Dissipated along the normals of contacts. In rigid steps, whose impulses act on the mean of the velocities before and
    /// after, it may be negative, by `(δt g)²/8` for a mass 1 under a weight `g`, where a contact keeps a body from what
    /// the forces of the step would do: a body that rises slower than it is pulled back within the step is stopped
    /// while it rises. The work of these forces, at the same velocity, is then as much less; the sum is exact. With
    /// [that by friction](Self::dissipated_by_friction) it is no less than `−δt² τ·M⁻¹ τ/8` with all forces τ of the step
    /// but those of contacts (a push of 10 N for 10 ms on 1 g that friction holds: −1.25 J), beside the work of what
    /// drives overlaps out and of rebounds.
    pub dissipated_by_contact_normal: T,
    /// Dissipated by friction of contacts, against slip, spinning and rolling. In rigid steps, whose impulses act on the mean
    /// of the velocities before and after, it may be negative where an impact or another force turns the slip round within the step; then only the
    /// sum with [that along the normals](Self::dissipated_by_contact_normal) means something.
    pub dissipated_by_friction: T,
    /// Work that actuators bring in from outside.
    pub work_of_actuation: T,
    /// Work of the constraints.
    pub work_of_constraints: T,
    /// Where the residual of a discrete step comes from.
    pub loss: StepLoss<T>,
}

/// What a discrete step loses because its forces are those of one position and one velocity, in J; negative where it
/// gains energy. All are zero in continuous time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepLoss<T> {
    /// By the velocity at which forces act: `½ Δv·M Δv` of a compliant step, which numerical damping takes; in a
    /// step with rigid contact what forces that depend on velocities do at the end of the step and not at `w`.
    pub velocity: T,
    /// By masses that move: `T(q, v⁺) − T(q⁺, v⁺)` and the work of Coriolis and gyroscopic forces, or of the momentum
    /// that is carried over in their place.
    pub inertia: T,
    /// By gravity, where weights do not move along straight lines.
    pub gravity: T,
    /// By what elements and actuators store: `−ΔU` less the work of their forces.
    pub elements: T,
    /// By contacts: the energy that compliance of contacts stores at the end of the step, beside that which their
    /// forces put in, changed in sign. Large where bodies come to overlap in a way that the step did not foresee.
    pub contact: T,
}

impl<T: Scalar> StepLoss<T> {
    fn none() -> Self {
        let [velocity, inertia, gravity, elements, contact] = [T::zero(); 5];
        StepLoss {
            velocity,
            inertia,
            gravity,
            elements,
            contact,
        }
    }

    /// All together.
    pub fn total(&self) -> T {
        self.velocity + self.inertia + self.gravity + self.elements + self.contact
    }
}

impl<T: Scalar> EnergyLedger<T> {
    /// All energy that is kinetic, gravitational or stored.
    #[inline(never)]
    pub fn total(&self) -> EnergyChange<T> {
        let stored = self.elements.iter().map(|e| e.stored);
        let known = [
            self.gravitational,
            self.stored_in_actuators,
            self.stored_in_contact,
        ];
        (stored.chain(known)).fold(self.kinetic, |sum, e| EnergyChange {
            start: sum.start + e.start,
            end: sum.end + e.end,
        })
    }

    /// All energy that was dissipated.
    #[inline(never)]
    pub fn dissipated(&self) -> T {
        let known = self.dissipated_by_joints
            + self.dissipated_by_contact_normal
            + self.dissipated_by_friction;
        self.elements
            .iter()
            .fold(known, |sum, e| sum + e.dissipated)
    }

    /// What does not add up: the change of the total, and what was dissipated, less the work of
    /// actuators and constraints.
    pub fn residual(&self) -> T {
        self.total().change() + self.dissipated()
            - self.work_of_actuation
            - self.work_of_constraints
    }
}

impl<T: Scalar> EnergyLedger<T> {
    /// Goes on with the ledger of what follows.
    fn append(&mut self, next: EnergyLedger<T>) {
        for (stored, next) in [
            (&mut self.kinetic, next.kinetic),
            (&mut self.gravitational, next.gravitational),
            (&mut self.stored_in_actuators, next.stored_in_actuators),
            (&mut self.stored_in_contact, next.stored_in_contact),
        ] {
            stored.end = next.end;
        }
        for (element, next) in self.elements.iter_mut().zip(&next.elements) {
            element.stored.end = next.stored.end;
            element.dissipated += next.dissipated;
        }
        self.dissipated_by_joints += next.dissipated_by_joints;
        self.dissipated_by_contact_normal += next.dissipated_by_contact_normal;
        self.dissipated_by_friction += next.dissipated_by_friction;
        self.work_of_actuation += next.work_of_actuation;
        self.work_of_constraints += next.work_of_constraints;
        for (loss, next) in [
            (&mut self.loss.velocity, next.loss.velocity),
            (&mut self.loss.inertia, next.loss.inertia),
            (&mut self.loss.gravity, next.loss.gravity),
            (&mut self.loss.elements, next.loss.elements),
            (&mut self.loss.contact, next.loss.contact),
        ] {
            *loss += next;
        }
    }
}

/// The energies of a state, in J and W.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StateEnergy<T> {
    /// Kinetic energy.
    pub kinetic: T,
    /// Potential energy of gravity.
    pub gravitational: T,
    /// Of each force element: its name, its stored energy and its powers.
    pub elements: Vec<(String, ElementEnergy<T>)>,
    /// Of all actuators together.
    pub actuators: ElementEnergy<T>,
    /// Stored in the compliance of contacts.
    pub stored_in_contact: T,
}

impl<T: Scalar> RigidBodySystem<T> {
    /// The energies of a state with the inputs `input`. Allocates.
    ///
    /// # Errors
    /// [`SystemError`] when the state does not fit, a force element cannot compute its force, a
    /// geometry is not finite, or an energy overflows.
    #[inline(never)]
    pub fn energy(&self, state: &State<T>, input: &[T]) -> Result<StateEnergy<T>, SystemError> {
        self.check_sizes(state, input)?;
        let tree = &self.tree;
        let mut kinematics = tree.workspace();
        tree.set_state(&mut kinematics, state.q.as_slice(), state.v.as_slice())?;
        let context = ForceContext::new(tree, &kinematics).at_time(state.time);
        let mut stored_in_contact = T::zero();
        for contact in self.contact.contacts(tree, &kinematics, 0.0)? {
            stored_in_contact += stored(contact.material.stiffness, contact.penetration);
        }
        let actuators = state.actuators.as_slice();
        let energy = StateEnergy {
            kinetic: tree.kinetic_energy(&kinematics)?,
            gravitational: tree.potential_energy(&kinematics)?,
            elements: self.element_energies(&context)?,
            actuators: self.actuator_energy(&context, input, actuators)?,
            stored_in_contact,
        };
        let known = energy.kinetic + energy.gravitational + energy.stored_in_contact;
        let elements = energy.elements.iter().map(|(_, e)| e);
        let all = (elements.chain([&energy.actuators])).fold(known, |sum, e| {
            sum + e.stored + e.conservative_power + e.power
        });
        InvalidInput::check_finite("energy of the state", &[all])?;
        Ok(energy)
    }

    fn element_energies(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<Vec<(String, ElementEnergy<T>)>, SystemError> {
        let mut energies = Vec::new();
        let mut scratch = Forces::new(&self.tree);
        (self.forces).visit_energies(context, &mut scratch, &mut |name, energy| {
            energies.push((name.to_owned(), energy));
        })?;
        Ok(energies)
    }

    fn actuator_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<ElementEnergy<T>, SystemError> {
        let (actuators, mut forces) = (&self.actuators, Forces::new(&self.tree));
        actuators.add_forces(context, input, state, &mut forces)?;
        Ok(ElementEnergy {
            stored: actuators.potential_energy(context, input, state)?,
            conservative_power: actuators.conservative_power(context, input, state)?,
            power: forces.power(context)?,
        })
    }
}

/// Energy in the compliance of a contact at the penetration `x`.
fn stored<T: Scalar>(stiffness: T, x: T) -> T {
    let x = x.max_lifted(T::zero());
    stiffness * x * x * 0.5
}

/// What forces do, as powers in W, or as works in J.
#[derive(Debug, Clone)]
struct Work<T> {
    dissipated_by_elements: Vec<T>,
    /// Power of what elements and actuators store, `−dU/dt`, and of all their forces and dampers of joints.
    conservative: T,
    forces: T,
    /// Growth of what contacts store, as their forces see it.
    growth: T,
    joints: T,
    contact_normal: T,
    friction: T,
    actuation: T,
    constraints: T,
}

impl<T: Scalar> Work<T> {
    /// Powers of elements, actuators and joints.
    fn of_elements(
        system: &RigidBodySystem<T>,
        context: &ForceContext<'_, T>,
        input: &[T],
        actuators: &[T],
    ) -> Result<Self, SystemError> {
        let elements = system.element_energies(context)?;
        let actuation = system.actuator_energy(context, input, actuators)?;
        let v = context.v();
        let mut damping = vec![T::zero(); v.len()];
        system.tree.joint_damping(&mut damping)?;
        let joints = (damping.iter().zip(v)).fold(T::zero(), |sum, (&d, &v)| sum + d * v * v);
        let all = elements
            .iter()
            .map(|(_, energy)| energy)
            .chain([&actuation]);
        let conservative = (all.clone()).fold(T::zero(), |sum, e| sum + e.conservative_power);
        Ok(Work {
            conservative,
            forces: all.fold(-joints, |sum, e| sum + e.power),
            growth: T::zero(),
            dissipated_by_elements: (elements.iter())
                .map(|(_, energy)| -energy.nonconservative_power())
                .collect(),
            joints,
            contact_normal: T::zero(),
            friction: T::zero(),
            actuation: actuation.nonconservative_power(),
            constraints: T::zero(),
        })
    }

    /// Adds `factor` times another.
    fn add(&mut self, other: &Work<T>, factor: T) {
        let elements = other.dissipated_by_elements.iter();
        for (sum, &x) in self.dissipated_by_elements.iter_mut().zip(elements) {
            *sum += x * factor;
        }
        for (sum, x) in [
            (&mut self.conservative, other.conservative),
            (&mut self.forces, other.forces),
            (&mut self.growth, other.growth),
            (&mut self.joints, other.joints),
            (&mut self.contact_normal, other.contact_normal),
            (&mut self.friction, other.friction),
            (&mut self.actuation, other.actuation),
            (&mut self.constraints, other.constraints),
        ] {
            *sum += x * factor;
        }
    }

    /// The same, times `factor`.
    fn times(mut self, factor: T) -> Self {
        let powers = self.clone();
        self.add(&powers, factor - 1.0);
        self
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Powers at a state in continuous time.
    fn powers(
        &self,
        dynamics: &mut DynamicsWorkspace<T>,
        state: &State<T>,
        input: &[T],
    ) -> Result<Work<T>, SystemError> {
        self.accelerations(dynamics, state, input)?;
        let mut kinematics = self.tree.workspace();
        let v = state.v.as_slice();
        (self.tree).set_state(&mut kinematics, state.q.as_slice(), v)?;
        let context = ForceContext::new(&self.tree, &kinematics).at_time(state.time);
        let actuators = state.actuators.as_slice();
        let mut work = Work::of_elements(self, &context, input, actuators)?;
        // The change of their stores is known at the ends.
        work.actuation += (self.actuators).conservative_power(&context, input, actuators)?;
        let of_laws = dynamics.laws.iter().map(|laws| laws.power(v));
        work.actuation = of_laws.fold(work.actuation, |sum, power| sum + power);
        for contact in dynamics.contacts() {
            let (rate, force) = (contact.velocity, contact.force);
            if !self.options.rigid_contact {
                let x = contact.penetration.max_lifted(T::zero());
                work.contact_normal += contact.material.stiffness * x * rate.z;
            }
            work.contact_normal -= force.z * rate.z;
            work.friction -= force.x * rate.x + force.y * rate.y + contact.power_of_turning();
        }
        let forces = dynamics.constraint_forces();
        work.constraints = self.power_of_constraints(&kinematics, state.time, v, forces)?;
        Ok(work)
    }

    /// Power of constraint forces at the velocity `v`, with the Jacobians at the positions of `kinematics`.
    fn power_of_constraints(
        &self,
        kinematics: &TreeWorkspace<T>,
        time: T,
        v: &[T],
        forces: &[ConstraintForce<T>],
    ) -> Result<T, SystemError> {
        let mut power = T::zero();
        for (index, constraint) in self.constraints.iter().enumerate() {
            let mut rows = ConstraintRows::zeros(constraint.num_rows(), v.len());
            evaluate_rows(constraint, (&self.tree, kinematics, time), &mut rows)?;
            for force in forces.iter().filter(|force| force.constraint == index) {
                let row = rows.directions().row(force.row);
                let rate = (row.iter().zip(v)).fold(T::zero(), |sum, (&j, &v)| sum + j * v);
                power += force.force * rate;
            }
        }
        Ok(power)
    }
}

impl<T: Scalar> Step<'_, T> {
    /// Where the energy of the step went. Allocates.
    ///
    /// # Errors
    /// As [`RigidBodySystem::energy`] at the ends of the step.
    #[inline(never)]
    pub fn energy(&mut self) -> Result<EnergyLedger<T>, SystemError> {
        let system = self.stepper.system;
        let evaluation = &self.workspace.evaluation;
        if evaluation.status.parts > 1 {
            return self.energy_of_parts();
        }
        let (first, last) = (evaluation.start.clone(), evaluation.next.clone());
        let input = evaluation.input.clone();
        let (start, end) = (
            system.energy(&first, &input)?,
            system.energy(&last, &input)?,
        );
        let mut work = match self.stepper.scheme {
            Scheme::Continuous { .. } => self.integrate_powers(&first, &input)?,
            Scheme::Compliant | Scheme::Rigid => self.work_of_step(&first, &input)?,
        };
        let stored_before = match self.stepper.scheme {
            Scheme::Continuous { .. } => start.actuators.stored,
            Scheme::Compliant | Scheme::Rigid => {
                let actuators = first.actuators.clone();
                let held = State {
                    actuators,
                    ..last.clone()
                };
                system.energy(&held, &input)?.actuators.stored
            }
        };
        let loss = match self.stepper.scheme {
            Scheme::Continuous { .. } => StepLoss::none(),
            Scheme::Compliant | Scheme::Rigid => {
                let stored = |energy: &StateEnergy<T>| {
                    (energy.elements.iter()).fold(T::zero(), |sum, (_, e)| sum + e.stored)
                };
                let growth = stored(&end) - stored(&start) + stored_before - start.actuators.stored;
                let contact = match self.stepper.scheme {
                    Scheme::Compliant => end.stored_in_contact - start.stored_in_contact,
                    _ => T::zero(),
                };
                StepLoss {
                    elements: -(growth + work.conservative),
                    contact: work.growth - contact,
                    ..self.loss_of_motion(&first, (&start, &end), &work)?
                }
            }
        };
        work.actuation += end.actuators.stored - stored_before;
        let change = |start: T, end: T| EnergyChange { start, end };
        let rigid = matches!(self.stepper.scheme, Scheme::Rigid) || self.rigid_in_continuous_time();
        let ledger = EnergyLedger {
            kinetic: change(start.kinetic, end.kinetic),
            gravitational: change(start.gravitational, end.gravitational),
            elements: (start.elements.into_iter().zip(end.elements))
                .zip(work.dissipated_by_elements)
                .map(|(((name, start), (_, end)), dissipated)| ElementLedger {
                    name,
                    stored: change(start.stored, end.stored),
                    dissipated,
                })
                .collect(),
            stored_in_actuators: change(start.actuators.stored, end.actuators.stored),
            stored_in_contact: match rigid {
                true => change(T::zero(), T::zero()),
                false => change(start.stored_in_contact, end.stored_in_contact),
            },
            dissipated_by_joints: work.joints,
            dissipated_by_contact_normal: work.contact_normal,
            dissipated_by_friction: work.friction,
            work_of_actuation: work.actuation,
            work_of_constraints: work.constraints,
            loss,
        };
        InvalidInput::check_finite("energy of the step", &[ledger.residual()])?;
        Ok(ledger)
    }

    /// The sum over the substeps of a step, which are made again.
    fn energy_of_parts(&self) -> Result<EnergyLedger<T>, SystemError> {
        let evaluation = &self.workspace.evaluation;
        let (mut state, input) = (evaluation.start.clone(), evaluation.input.as_slice());
        let mut workspace = self.stepper.workspace()?;
        let mut sum: Option<EnergyLedger<T>> = None;
        let last = evaluation.substeps.lengths.len().saturating_sub(1);
        for (k, &length) in evaluation.substeps.lengths.iter().enumerate() {
            let part = Stepper {
                time_step: self.stepper.time_step * length,
                is_substep: true,
                ..self.stepper
            };
            let mut step = part.step(&mut workspace, &state, input, &mut || 0.0)?;
            if k == last {
                // What actuators hold changes at the end of the whole.
                let states = &mut step.workspace.evaluation.next.actuators;
                states.copy_from(&evaluation.next.actuators);
            }
            let ledger = step.energy()?;
            match &mut sum {
                None => sum = Some(ledger),
                Some(sum) => sum.append(ledger),
            }
            state.clone_from(step.state());
        }
        sum.ok_or(SystemError::ForeignWorkspace)
    }

    /// What a discrete step loses by the velocity at which forces act, by masses and by weights; `work` is that of the
    /// step.
    fn loss_of_motion(
        &self,
        first: &State<T>,
        (start, end): (&StateEnergy<T>, &StateEnergy<T>),
        work: &Work<T>,
    ) -> Result<StepLoss<T>, SystemError> {
        let stepper = self.stepper;
        let (system, dt) = (&stepper.system, stepper.time_step);
        let (tree, mut kinematics) = (&system.tree, system.tree.workspace());
        let rigid = matches!(stepper.scheme, Scheme::Rigid);
        let v_after_forces = DVector::from_column_slice(&self.workspace.evaluation.v_after_forces);
        let [q, v, next] = [&first.q, &first.v, &v_after_forces].map(|x| x.as_slice());
        tree.set_state(&mut kinematics, q, v)?;
        let at = |velocity: &[T], force: &[T]| {
            (velocity.iter().zip(force)).fold(T::zero(), |sum, (&v, &f)| sum + v * f)
        };
        let mean = (&first.v + &v_after_forces) * T::from(0.5);
        let acts = if rigid { mean.as_slice() } else { next };
        let mut force = vec![T::zero(); v.len()];
        tree.gravity_forces(&mut kinematics, &mut force)?;
        let weights = at(acts, &force) * dt;
        let gravity = -(end.gravitational - start.gravitational) - weights;
        tree.bias_forces(&mut kinematics, &mut force)?;
        let mut inertia = at(acts, &force) * dt;
        let mut carrying = StepKinematics::new(tree);
        carrying.place(tree, (q, v), dt, stepper.is_substep)?;
        carrying.carry_momentum(tree, &mut force)?;
        inertia -= at(acts, &force) * dt;
        let change = &v_after_forces - &first.v;
        let velocity = if rigid {
            work.forces + weights - self.workspace.evaluation.rigid.work_of_forces(acts)
        } else {
            let mut momentum = vec![T::zero(); v.len()];
            let change = change.as_slice();
            tree.multiply_mass_matrix(&mut kinematics, change, &mut momentum)?;
            let forces = self.workspace.evaluation.constraint_forces.as_slice();
            let constraints =
                system.power_of_constraints(&kinematics, first.time + dt, change, forces)?;
            (at(change, &momentum) - constraints * dt) * 0.5
        };
        tree.set_state(&mut kinematics, q, next)?;
        inertia += tree.kinetic_energy(&kinematics)? - end.kinetic;
        Ok(StepLoss {
            velocity,
            inertia,
            gravity,
            ..StepLoss::none()
        })
    }

    fn rigid_in_continuous_time(&self) -> bool {
        let continuous = matches!(self.stepper.scheme, Scheme::Continuous { .. });
        continuous && self.stepper.system.options.rigid_contact
    }

    /// Work in a discrete step, of forces at the positions of its start.
    fn work_of_step(&mut self, first: &State<T>, input: &[T]) -> Result<Work<T>, SystemError> {
        let stepper = self.stepper;
        let (system, dt) = (&stepper.system, stepper.time_step);
        let (tree, mut kinematics) = (&system.tree, system.tree.workspace());
        let v_after_forces = DVector::from_column_slice(&self.workspace.evaluation.v_after_forces);
        let mean = (&first.v + &v_after_forces) * T::from(0.5);
        let v = match stepper.scheme {
            Scheme::Rigid => mean.as_slice(),
            _ => v_after_forces.as_slice(),
        };
        tree.set_state(&mut kinematics, first.q.as_slice(), v)?;
        let context = ForceContext::new(tree, &kinematics)
            .at_time(first.time)
            .over_step(dt);
        let actuators = first.actuators.as_slice();
        let mut work = Work::of_elements(system, &context, input, actuators)?;
        let rates = match stepper.scheme {
            Scheme::Rigid => {
                stepper.rigid_contact_velocities(&self.workspace.evaluation, &kinematics)?
            }
            _ => self.contacts()?.iter().map(|c| c.velocity).collect(),
        };
        for (contact, rate) in self.contacts()?.iter().zip(rates) {
            let (x, force) = (contact.penetration, contact.force);
            let growth = match stepper.scheme {
                Scheme::Compliant => {
                    let k = contact.material.stiffness;
                    stored(k, x - rate.z * dt) - stored(k, x)
                }
                _ => T::zero(),
            };
            work.growth += growth / dt;
            work.contact_normal -= force.z * rate.z + growth / dt;
            work.friction -= force.x * rate.x + force.y * rate.y + contact.power_of_turning();
        }
        let forces = self.constraint_forces()?;
        work.constraints =
            system.power_of_constraints(&kinematics, first.time + dt, mean.as_slice(), forces)?;
        Ok(work.times(dt))
    }

    /// Work of a step in continuous time: powers integrated by Simpson's rule.
    fn integrate_powers(&self, first: &State<T>, input: &[T]) -> Result<Work<T>, SystemError> {
        let Scheme::Continuous { method, substeps } = self.stepper.scheme else {
            return Err(SystemError::ForeignWorkspace);
        };
        let halves = Stepper {
            time_step: self.stepper.time_step / (2.0 * substeps as f64),
            scheme: Scheme::Continuous {
                method,
                substeps: 1,
            },
            is_substep: true,
            ..self.stepper
        };
        let mut workspace = halves.workspace()?;
        let mut dynamics = halves.system.dynamics_workspace();
        let mut state = first.clone();
        let mut sum = halves
            .system
            .powers(&mut dynamics, &state, input)?
            .times(T::zero());
        for k in 0..=2 * substeps {
            let weight = match k {
                0 => 1.0,
                k if k == 2 * substeps => 1.0,
                k if k % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let power = halves.system.powers(&mut dynamics, &state, input)?;
            sum.add(&power, T::from(weight / 3.0) * halves.time_step);
            if k < 2 * substeps {
                let step = halves.step(&mut workspace, &state, input, &mut || 0.0)?;
                state.clone_from(step.state());
            }
        }
        Ok(sum)
    }
}
