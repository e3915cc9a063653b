//! A system with constant inputs as a differential equation.

use super::dynamics::{DynamicsWorkspace, Instant};
use crate::autodiff::{JacobianWorkspace, jacobian_into};
use crate::constraint::TouchingContact;
use crate::integrator::{ContinuousSystem, MechanicalSystem, StiffSystem};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// A [`RigidBodySystem`] with an input that is constant between calls of [`Self::set_input`], as a
/// [`ContinuousSystem`]: its state is `[q; v; a; s]`, with the states of actuators and sensors.
///
/// Integrated with events
/// ([`integrate_with_events`](crate::integrator::DormandPrince::integrate_with_events)), it finds those of
/// its contacts by itself: see [`ContactEventKind`](super::ContactEventKind).
///
/// ```
/// use dualbody::integrator::DormandPrince;
/// use dualbody::num_dual::Dual64;
/// use dualbody::prelude::*;
/// use dualbody::system::{RigidBodyFlow, SystemOptions};
///
/// // A ball of radius 5 cm falls by 1 m, rebounds with e = 0.8 where it hits the floor, and rises.
/// let impact_speed = (2.0 * 9.81f64).sqrt();
/// let dissipation = ContactMaterial::dissipation_of(0.8, impact_speed)?;
/// let rubber = ContactMaterial::new(1e5, dissipation, 0.4)?;
/// let mut options = SystemOptions::default();
/// options.rigid_contact = true;
/// let system = SystemBuilder::new()
///     .floor("floor", rubber)
///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
///     .pair_material("ball", "floor", rubber)
///     .build()?
///     .with_options(options)?
///     .cast::<Dual64>();
/// let mut state = system.initial_state();
/// state.q[6] = Dual64::from(1.05).derivative();
/// let (mut x, mut events) = (Vec::new(), Vec::new());
/// let mut flow = RigidBodyFlow::new(&system)?;
/// flow.write_state(&state, &mut x);
/// let mut method = DormandPrince::new(1e-9, 1e-9)?;
/// method.integrate_with_events(&mut flow, 0.0, 0.6, &mut x, |_| {}, &mut events)?;
///
/// // The instant of the impact depends on the height: dt/dh = 1/(g t).
/// let [impact] = events.as_slice() else { panic!("one impact") };
/// assert_eq!(flow.contact_event(impact.guard).ok_or("an event")?.first, "ball");
/// let time = (2.0 / 9.81f64).sqrt();
/// assert!((impact.time.re - time).abs() < 1e-9);
/// assert!((impact.time.eps - 1.0 / (9.81 * time)).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Guards are looked at eight times a step. Free flight is exact for every step; one ends where bodies can meet at the
/// velocities of its start, with gravity, and where they may have met, in the time in which they move by half of what is
/// thinnest of them. What is missed is what touches and parts within an eighth of that. A force that
/// accelerates bodies much more than gravity needs shorter steps
/// ([`DormandPrince::with_max_step`](crate::integrator::DormandPrince::with_max_step)).
///
/// Compliant friction that holds is stiff: for tolerances of stiction below some cm/s,
/// [`AdaptiveRadau`](crate::integrator::AdaptiveRadau) takes fewer steps, and its derivatives are as accurate as its values.
/// Systems that implicit methods integrate are evaluated in `f64` and with duals as well.
#[derive(Debug)]
pub struct RigidBodyFlow<'s, T: Scalar> {
    pub(super) main: &'s RigidBodySystem<T>,
    real: RigidBodySystem<f64>,
    dual: RigidBodySystem<Dual>,
    memory: FlowMemory<T>,
}

/// What is computed of a [`RigidBodyFlow`].
#[derive(Debug)]
pub(super) struct Flow<'s, T: Scalar> {
    pub main: &'s RigidBodySystem<T>,
    pub real: &'s RigidBodySystem<f64>,
    pub dual: Option<&'s RigidBodySystem<Dual>>,
    pub memory: &'s mut FlowMemory<T>,
}

/// Memory of a flow.
#[derive(Debug, Clone)]
pub(super) struct FlowMemory<T: Scalar> {
    pub(super) main: Evaluation<T>,
    pub(super) real: Evaluation<f64>,
    dual: Option<Evaluation<Dual>>,
    jacobian: JacobianWorkspace,
    value: Vec<f64>,
}

/// The input, and memory, in one scalar.
#[derive(Debug, Clone)]
pub(super) struct Evaluation<T: Scalar> {
    pub workspace: DynamicsWorkspace<T>,
    pub input: Vec<T>,
    projected: Vec<T>,
}

impl<T: Scalar> Evaluation<T> {
    fn new(system: &RigidBodySystem<T>) -> Self {
        Evaluation {
            workspace: system.dynamics_workspace(),
            input: vec![T::zero(); system.num_inputs()],
            projected: Vec::new(),
        }
    }

    fn derivative(
        &mut self,
        system: &RigidBodySystem<T>,
        time: T,
        x: &[T],
        xdot: &mut [T],
    ) -> Result<(), SystemError> {
        InvalidInput::check_size("state", x.len(), size(system))?;
        InvalidInput::check_size("rate", xdot.len(), x.len())?;
        let (instant, sensors) = parts(system, time, x);
        let (qdot, rest) = xdot.split_at_mut(instant.q.len());
        let (vdot, rest) = rest.split_at_mut(instant.v.len());
        let rates = rest.split_at_mut(instant.actuators.len());
        let Evaluation {
            workspace, input, ..
        } = self;
        system.evaluate_dynamics(workspace, instant, input)?;
        system.show_instant(workspace, instant, input)?;
        vdot.copy_from_slice(&workspace.vdot);
        (system.tree).map_velocity_to_qdot(instant.q, instant.v, qdot)?;
        system.element_rates(workspace, instant, input, sensors, rates)
    }

    #[inline(never)]
    fn derivative_of_projected(
        &mut self,
        system: &RigidBodySystem<T>,
        time: T,
        x: &[T],
        xdot: &mut [T],
    ) -> Result<(), SystemError> {
        let mut projected = std::mem::take(&mut self.projected);
        projected.clear();
        projected.extend_from_slice(x);
        let result = project(system, &mut projected)
            .and_then(|()| self.derivative(system, time, &projected, xdot));
        self.projected = projected;
        result
    }
}

fn size<T: Scalar>(system: &RigidBodySystem<T>) -> usize {
    let states = system.actuators.num_states() + system.sensors.num_states();
    system.tree.num_positions() + system.tree.num_velocities() + states
}

/// An instant, and the states of sensors, of a state `[q; v; a; s]`.
pub(super) fn parts<'x, T: Scalar>(
    system: &RigidBodySystem<T>,
    time: T,
    x: &'x [T],
) -> (Instant<'x, T>, &'x [T]) {
    let (q, rest) = x.split_at(system.tree.num_positions());
    let (v, rest) = rest.split_at(system.tree.num_velocities());
    let (actuators, sensors) = rest.split_at(system.actuators.num_states());
    let instant = Instant {
        time,
        q,
        v,
        actuators,
    };
    (instant, sensors)
}

/// Normalises quaternions.
fn project<T: Scalar>(system: &RigidBodySystem<T>, x: &mut [T]) -> Result<(), SystemError> {
    for joint in system.tree.joints() {
        let start = joint.position_start();
        if joint.kind().has_quaternion()
            && let Some(quaternion) = x.get_mut(start..start + 4)
        {
            let norm = T::norm_lifted(quaternion);
            InvalidInput::check_range("norm of a quaternion", &[norm], "positive", |n| {
                n > 0.0 && n.is_finite()
            })?;
            quaternion.iter_mut().for_each(|x| *x = x.div_lifted(norm));
        }
    }
    Ok(())
}

impl<'s, T: Scalar> RigidBodyFlow<'s, T> {
    /// The flow of a system, with zero input.
    ///
    /// # Errors
    /// [`SystemError::SampledState`] when an actuator or a sensor moves from sample to sample: those are
    /// for steps.
    #[inline(never)]
    pub fn new(system: &'s RigidBodySystem<T>) -> Result<Self, SystemError> {
        for (what, sampled) in [
            ("states of actuators", system.actuators.is_sampled()),
            ("states of sensors", system.sensors.is_sampled()),
        ] {
            if sampled {
                return Err(SystemError::SampledState { what });
            }
        }
        let (real, dual) = (system.cast(), system.cast());
        let memory = FlowMemory::new(system, &real, Some(&dual));
        Ok(RigidBodyFlow {
            main: system,
            real,
            dual,
            memory,
        })
    }

    pub(super) fn flow(&mut self) -> Flow<'_, T> {
        Flow {
            main: self.main,
            real: &self.real,
            dual: Some(&self.dual),
            memory: &mut self.memory,
        }
    }

    /// Sets the input.
    ///
    /// # Errors
    /// [`InvalidInput`] when the size is wrong or an entry not finite.
    #[inline(never)]
    pub fn set_input(&mut self, input: &[T]) -> Result<(), InvalidInput> {
        self.memory.set_input(input)
    }

    /// Writes `[q; v; a; s]`.
    pub fn write_state(&self, state: &State<T>, x: &mut Vec<T>) {
        x.clear();
        x.extend(state.entries());
    }

    /// Reads `[q; v; a; s]`; the time stays as it is.
    ///
    /// # Errors
    /// [`InvalidInput`] when the size of `x` is wrong.
    pub fn read_state(&self, x: &[T], state: &mut State<T>) -> Result<(), InvalidInput> {
        InvalidInput::check_size("state", x.len(), state.sizes().iter().sum())?;
        state
            .entries_mut()
            .zip(x)
            .for_each(|(entry, &x)| *entry = x);
        Ok(())
    }
}

impl<T: Scalar> FlowMemory<T> {
    pub fn new(
        main: &RigidBodySystem<T>,
        real: &RigidBodySystem<f64>,
        dual: Option<&RigidBodySystem<Dual>>,
    ) -> Self {
        FlowMemory {
            main: Evaluation::new(main),
            real: Evaluation::new(real),
            dual: dual.map(Evaluation::new),
            jacobian: JacobianWorkspace::default(),
            value: Vec::new(),
        }
    }

    /// Sets the contacts that act, if events decide; in every scalar.
    pub fn set_touching(&mut self, touching: Option<&[TouchingContact]>) {
        let all = || touching.map(<[_]>::to_vec);
        self.main.workspace.touching = all();
        self.real.workspace.touching = all();
        if let Some(dual) = &mut self.dual {
            dual.workspace.touching = all();
        }
    }

    /// As [`RigidBodyFlow::set_input`].
    pub fn set_input(&mut self, input: &[T]) -> Result<(), InvalidInput> {
        let FlowMemory {
            main, real, dual, ..
        } = self;
        InvalidInput::check_size("inputs", input.len(), main.input.len())?;
        InvalidInput::check_finite("inputs", input)?;
        main.input.copy_from_slice(input);
        for (i, u) in input.iter().enumerate() {
            real.input[i] = u.re();
            if let Some(dual) = dual {
                dual.input[i] = Dual::from_re(u.re());
            }
        }
        Ok(())
    }
}

impl<T: Scalar> ContinuousSystem<T> for Flow<'_, T> {
    type Error = SystemError;

    fn size(&self) -> usize {
        size(self.main)
    }

    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), SystemError> {
        self.memory.main.derivative(self.main, t, x, xdot)
    }

    fn project(&self, x: &mut [T]) -> Result<(), SystemError> {
        project(self.main, x)
    }
}

impl<T: Scalar> MechanicalSystem<T> for Flow<'_, T> {
    fn num_positions(&self) -> usize {
        self.main.tree.num_positions()
    }

    fn num_velocities(&self) -> usize {
        self.main.tree.num_velocities()
    }

    fn position_derivative(&mut self, q: &[T], v: &[T], qdot: &mut [T]) -> Result<(), SystemError> {
        Ok(self.main.tree.map_velocity_to_qdot(q, v, qdot)?)
    }
}

impl<T: Scalar> StiffSystem<T> for Flow<'_, T> {
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), SystemError> {
        (self.memory.real).derivative_of_projected(self.real, t, x, xdot)
    }

    fn real_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), SystemError> {
        let FlowMemory {
            dual,
            jacobian: workspace,
            value,
            ..
        } = &mut *self.memory;
        let (Some(system), Some(evaluation)) = (&self.dual, dual) else {
            return Err(SystemError::ForeignWorkspace);
        };
        value.resize(x.len(), 0.0);
        let t = Dual::from_re(t);
        let rate =
            |x: &[Dual], xdot: &mut [Dual]| evaluation.derivative_of_projected(system, t, x, xdot);
        jacobian_into(rate, x, workspace, value, jacobian.as_mut_slice())
    }
}

impl<T: Scalar> ContinuousSystem<T> for RigidBodyFlow<'_, T> {
    type Error = SystemError;

    fn size(&self) -> usize {
        size(self.main)
    }

    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), SystemError> {
        self.flow().derivative(t, x, xdot)
    }

    fn project(&self, x: &mut [T]) -> Result<(), SystemError> {
        project(self.main, x)
    }
}

impl<T: Scalar> MechanicalSystem<T> for RigidBodyFlow<'_, T> {
    fn num_positions(&self) -> usize {
        self.main.tree.num_positions()
    }

    fn num_velocities(&self) -> usize {
        self.main.tree.num_velocities()
    }

    fn position_derivative(&mut self, q: &[T], v: &[T], qdot: &mut [T]) -> Result<(), SystemError> {
        self.flow().position_derivative(q, v, qdot)
    }
}

impl<T: Scalar> StiffSystem<T> for RigidBodyFlow<'_, T> {
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), SystemError> {
        self.flow().real_derivative(t, x, xdot)
    }

    fn real_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), SystemError> {
        self.flow().real_jacobian(t, x, jacobian)
    }
}
