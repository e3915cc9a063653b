//! A tree with contact, in discrete time.

use super::force_damping::{DampingModel, DampingScalar};
use super::model::Model;
use crate::Scalar;
use crate::contact::{ContactModel, Detection};
use crate::force::ForceElement;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::solver::implicit_stribeck::ImplicitStribeckSolverParameters;
use crate::system::error::SystemError;
use crate::system::state::State;
use crate::tree::RigidBodyTree;

/// A tree of rigid bodies with compliant frictional contact, in steps of fixed length.
///
/// See the [module](crate::system) for the equations of a step. All constants of the tree, of the contact
/// model and of the force elements `F`, the time step and the stiction tolerance are [`Parameters`].
#[derive(Debug, Clone)]
pub struct TimeSteppingRigidBodySystem<T: Scalar, F: ForceElement<T> = ()> {
    pub(super) model: Model<T, F>,
    /// The same model in `f64`, which decides and converges.
    pub(super) real: Model<f64, F::Cast<f64>>,
    /// The force elements where their damping is taken, if they have any.
    pub(super) damping: Option<DampingModel<F::Cast<DampingScalar>>>,
    pub(super) detection: Detection,
    pub(super) solver: ImplicitStribeckSolverParameters<f64>,
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// A system from a tree, its contact model, and the length of a step in seconds.
    ///
    /// # Errors
    /// [`SystemError`] when the time step is not positive.
    pub fn new(
        tree: RigidBodyTree<T>,
        contact: ContactModel<T>,
        time_step: T,
    ) -> Result<Self, SystemError> {
        let solver = ImplicitStribeckSolverParameters::default();
        let model = Model {
            tree,
            contact,
            forces: (),
            time_step,
            stiction_tolerance: T::from(solver.stiction_tolerance),
        };
        model.validate()?;
        Ok(TimeSteppingRigidBodySystem {
            real: model.cast(),
            damping: None,
            model,
            detection: Detection::default(),
            solver,
        })
    }
}

impl<T: Scalar, F: ForceElement<T>> TimeSteppingRigidBodySystem<T, F> {
    /// Sets the force elements, in place of those that the system had.
    ///
    /// # Errors
    /// [`SystemError::Force`] when an element does not make sense or does not fit the tree,
    /// [`SystemError::DuplicateParameter`] when one is named as another, or as a part of the tree with
    /// a parameter of the same name.
    pub fn with_forces<G: ForceElement<T>>(
        self,
        mut forces: G,
    ) -> Result<TimeSteppingRigidBodySystem<T, G>, SystemError> {
        let Model {
            tree,
            contact,
            forces: _,
            time_step,
            stiction_tolerance,
        } = self.model;
        forces.set_time_step(time_step);
        let model = Model {
            tree,
            contact,
            forces,
            time_step,
            stiction_tolerance,
        };
        model.validate()?;
        model.check_names_of_forces()?;
        Ok(TimeSteppingRigidBodySystem {
            real: model.cast(),
            damping: DampingModel::new(&model),
            model,
            detection: self.detection,
            solver: self.solver,
        })
    }

    /// Sets which pairs count as contacts of a step (default: [`Detection::Anticipating`]).
    pub fn with_detection(mut self, detection: Detection) -> Self {
        self.detection = detection;
        self
    }

    /// Sets the parameters of the contact solver.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] for a parameter outside its range.
    pub fn with_solver_parameters(
        mut self,
        parameters: ImplicitStribeckSolverParameters<T>,
    ) -> Result<Self, SystemError> {
        parameters.validate()?;
        let ImplicitStribeckSolverParameters {
            stiction_tolerance,
            max_iterations,
            relative_tolerance,
            residual_tolerance,
            theta_max,
        } = parameters;
        self.model.stiction_tolerance = stiction_tolerance;
        self.real.stiction_tolerance = stiction_tolerance.re();
        self.solver = ImplicitStribeckSolverParameters {
            stiction_tolerance: stiction_tolerance.re(),
            max_iterations,
            relative_tolerance,
            residual_tolerance,
            theta_max,
        };
        Ok(self)
    }

    /// The tree.
    pub fn tree(&self) -> &RigidBodyTree<T> {
        &self.model.tree
    }

    /// The contact model.
    pub fn contact(&self) -> &ContactModel<T> {
        &self.model.contact
    }

    /// The force elements.
    pub fn forces(&self) -> &F {
        &self.model.forces
    }

    /// The length of a step, in seconds.
    pub fn time_step(&self) -> T {
        self.model.time_step
    }

    /// The configuration with all coordinates zero and quaternions of no rotation, at rest.
    pub fn neutral_state(&self) -> State<T> {
        State {
            q: self.tree().neutral_configuration(),
            v: nalgebra::DVector::zeros(self.tree().num_velocities()),
        }
    }

    /// The length that softens the norm of slip velocities, in m/s.
    pub(super) fn softening(&self) -> T {
        self.model.stiction_tolerance * self.solver.relative_tolerance
    }

    /// The parameters of the contact solver, with the stiction tolerance as it is now.
    pub(super) fn real_solver_parameters(&self) -> ImplicitStribeckSolverParameters<f64> {
        ImplicitStribeckSolverParameters {
            stiction_tolerance: self.real.stiction_tolerance,
            ..self.solver
        }
    }

    /// The same system in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> TimeSteppingRigidBodySystem<U, F::Cast<U>> {
        let model = self.model.cast::<U>();
        TimeSteppingRigidBodySystem {
            real: model.cast(),
            damping: DampingModel::new(&model),
            model,
            detection: self.detection,
            solver: self.solver,
        }
    }
}

/// Those of the tree, of the contact model and of the force elements, then `time_step` in s and
/// `stiction_tolerance` in m/s.
impl<T: Scalar, F: ForceElement<T>> Parameters<T> for TimeSteppingRigidBodySystem<T, F> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.model.visit_parameters(visit);
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.model.parameters_changed()?;
        self.real = self.model.cast();
        self.damping = DampingModel::new(&self.model);
        Ok(())
    }
}
