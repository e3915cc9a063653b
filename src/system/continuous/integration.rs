//! Steps of a system in continuous time.

use super::dynamics::{DynamicsWorkspace, Instant};
use super::flow::{Flow, FlowMemory};
use crate::integrator::{ExplicitRungeKutta, ImplicitRungeKutta};
use crate::system::error::SystemError;
use crate::system::scheme::IntegrationMethod;
use crate::system::status::StepStatus;
use crate::system::step::StepEvaluation;
use crate::system::stepper::Stepper;
use crate::{InvalidInput, Scalar};

/// Memory of a step that is integrated.
#[derive(Debug, Clone)]
pub(in crate::system) struct IntegrationMemory<T: Scalar> {
    flow: Option<FlowMemory<T>>,
    integrator: Option<(IntegrationMethod, Integrator<T>)>,
    x: Vec<T>,
    dynamics: Option<DynamicsWorkspace<T>>,
}

impl<T: Scalar> Default for IntegrationMemory<T> {
    fn default() -> Self {
        IntegrationMemory {
            flow: None,
            integrator: None,
            x: Vec::new(),
            dynamics: None,
        }
    }
}

impl<T: Scalar> IntegrationMemory<T> {
    /// Memory of the dynamics in `f64`, and the input of the step.
    pub(super) fn real_dynamics(&mut self) -> Option<(&mut DynamicsWorkspace<f64>, &[f64])> {
        let real = &mut self.flow.as_mut()?.real;
        Some((&mut real.workspace, &real.input))
    }
}

#[derive(Debug, Clone)]
enum Integrator<T> {
    Explicit(ExplicitRungeKutta<T>),
    Implicit(Box<ImplicitRungeKutta<T>>),
}

impl<T: Scalar> Integrator<T> {
    fn new(method: IntegrationMethod) -> Self {
        match method {
            IntegrationMethod::RungeKutta4 => Integrator::Explicit(ExplicitRungeKutta::classical()),
            IntegrationMethod::ImplicitMidpoint => {
                Integrator::Implicit(Box::new(ImplicitRungeKutta::midpoint()))
            }
            IntegrationMethod::Radau3 => {
                Integrator::Implicit(Box::new(ImplicitRungeKutta::radau_3()))
            }
            IntegrationMethod::Radau5 => {
                Integrator::Implicit(Box::new(ImplicitRungeKutta::radau_5()))
            }
        }
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// Makes a step in continuous time.
    pub(in crate::system) fn make_continuous_step(
        &self,
        evaluation: &mut StepEvaluation<T>,
        integrator: (IntegrationMethod, usize),
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        self.sample_sensors(evaluation, normal)?;
        self.integrate(evaluation, integrator)?;
        if evaluation.searches_kinks {
            self.find_kinks_at_ends(evaluation)?;
        }
        self.sample_actuators(evaluation)?;
        let sensors = evaluation.next.sensors.as_slice();
        Ok(InvalidInput::check_finite("states of sensors", sensors)?)
    }

    /// Integrates over the step, from the states that sensors have after the sample at its start.
    fn integrate(
        &self,
        evaluation: &mut StepEvaluation<T>,
        (method, substeps): (IntegrationMethod, usize),
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            integration,
            measurement,
            start,
            input,
            next,
            status,
            ..
        } = evaluation;
        *status = StepStatus {
            parts: 1,
            ..StepStatus::default()
        };
        let (main, real, dual) = (self.system, self.real, self.dual);
        let memory = (integration.flow).get_or_insert_with(|| FlowMemory::new(main, real, dual));
        memory.set_input(input)?;
        let mut flow = Flow {
            main,
            real,
            dual,
            memory,
        };
        let x = &mut integration.x;
        x.clear();
        x.extend(start.entries());
        let dynamic = x.len() - start.sensors.len();
        x[dynamic..].copy_from_slice(measurement.states.as_slice());
        if !matches!(&integration.integrator, Some((made_for, _)) if *made_for == method) {
            integration.integrator = Some((method, Integrator::new(method)));
        }
        let h = self.time_step / substeps as f64;
        for k in 0..substeps {
            let t = start.time + h * k as f64;
            match &mut integration.integrator {
                Some((_, Integrator::Explicit(method))) => method.step(&mut flow, t, h, x)?,
                Some((_, Integrator::Implicit(method))) => method.step(&mut flow, t, h, x)?,
                None => {}
            }
        }
        for (entry, &x) in next.entries_mut().zip(&*x) {
            *entry = x;
        }
        Ok(())
    }

    /// Writes contacts, constraint forces and accelerations at the start of the step.
    pub(in crate::system) fn write_continuous_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            integration,
            measurement,
            start,
            input,
            contacts,
            constraint_forces,
            law_forces,
            ..
        } = evaluation;
        let dynamics =
            (integration.dynamics).get_or_insert_with(|| self.system.dynamics_workspace());
        (self.system).evaluate_dynamics(dynamics, Instant::of(start), input)?;
        law_forces.clear();
        law_forces.extend_from_slice(dynamics.law_forces());
        measurement.vdot.copy_from_slice(&dynamics.vdot);
        contacts.extend_from_slice(&dynamics.contacts);
        constraint_forces.extend_from_slice(&dynamics.constraint_forces);
        Ok(())
    }
}
