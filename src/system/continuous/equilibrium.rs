//! Static equilibria of a system.

use super::dynamics::{DynamicsWorkspace, Instant};
use crate::autodiff::{JacobianWorkspace, implicit_step, jacobian_into};
use crate::constraint::{ConstraintForceLaw, ConstraintKind, ConstraintLevel, TreeConstraint};
use crate::contact::{ContactWorkspace, FoundContact};
use crate::math::{Lu, SingularValues, check_squares};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::force_laws::LawsAtRest;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::Joint;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

pub(super) const MAX_ITERATIONS: usize = 200;
/// Steps that are taken when the tolerance is met, while each leaves a tenth.
const MAX_REFINEMENTS: usize = 4;
/// Of steps along whatever is not round-off.
const UNDAMPED: f64 = 1e-10;
/// Gaps up to this count as none where no equilibrium is found, in m.
const TOUCHING: f64 = 1e-6;

impl<T: Scalar> RigidBodySystem<T> {
    /// Positions, found from those of `guess`, at which the system stays at rest with the constant input
    /// `input`, at the time of `guess`; actuators have the states of `guess`, whose velocities are not used.
    ///
    /// The generalized forces at rest and the errors of constraints vanish,
    ///
    /// ```text
    /// r(q, λ) = [τ_g + τ_forces + τ_actuators + J_cᵀ f_contact + Jᵀ λ; φ(q)] = 0
    /// ```
    ///
    /// with inequalities `0 ≤ φ ⊥ λ ≥ 0` as an equation: a root that a damped Newton iteration
    /// (Levenberg 1944; Marquardt 1963), solved by singular values, finds in `f64`, in the velocity
    /// coordinates of a displacement, to `tolerance` (N m or N; m or rad for constraints). Constraints of positions are those
    /// of the time of `guess`, as if it stood still; those of velocities hold
    /// at rest without a force, unless time moves them; those of accelerations hold for `v̇ = 0`.
    ///
    /// The rows of [force laws](crate::constraint::ConstraintForceLaw) and their forces are among these, within their bounds
    /// as inequalities are: those of a step that stays where it is, or of an instant without accelerations if a law describes
    /// no steps. A row that holds at rest wherever the machine is, as that of dry friction, leaves its force open.
    ///
    /// With rigid contact, gaps and normal forces are inequalities of that kind, and the equilibrium is found by
    /// pseudo-transient continuation: the machine follows its forces from the guess, without inertia, to a stable
    /// equilibrium, unless it is at an unstable one already, or comes straight to one, as a box on its edge.
    /// The result rests without friction, and so with any. Friction could hold the machine in other places, too: the one that
    /// is found is the limit of the equilibria of compliant contact as its stiffness grows. On the facets of a height field,
    /// where contacts further on are not known beforehand, bodies with corners may not be found to rest.
    ///
    /// Nothing bounds how far the result is from the guess. Where forces hardly depend on a position, as in a joint that only
    /// a motor holds, or where nothing touches yet, the iteration goes as far as the next limit or contact that carries what
    /// is left: compare the result with the guess (`TimeSteppingRigidBodySystem::displacement`).
    ///
    /// Derivatives with respect to whatever the system, its input and its actuators' states carry come
    /// from the implicit function theorem at the root.
    ///
    /// # Errors
    /// [`SystemError::NoEquilibrium`]; with a scalar that carries derivatives
    /// [`SystemError::IndifferentEquilibrium`] where neighbouring positions are equilibria too, or redundant constraints
    /// and contacts leave their forces open, or one just touches without a force, as far as the tolerance tells; [`SystemError::Invalid`] for a
    /// tolerance that is not positive; and the errors of [`Self::accelerations`].
    #[doc(alias = "pseudo-transient continuation")]
    #[doc(alias = "static equilibrium")]
    #[inline(never)]
    pub fn equilibrium(
        &self,
        guess: &State<T>,
        input: &[T],
        tolerance: f64,
    ) -> Result<State<T>, SystemError> {
        InvalidInput::check_range("tolerance", &[tolerance], "positive", |x| x > 0.0)?;
        self.check_sizes(guess, input)?;
        let mut rest = guess.clone();
        rest.v.fill(T::zero());
        let (real, dual) = (self.cast::<f64>(), self.cast::<Dual>());
        let real_input: Vec<f64> = input.iter().map(|x| x.re()).collect();
        let dual_input: Vec<Dual> = real_input.iter().map(|&x| x.into()).collect();
        let mut search = Search {
            real: RestResidual::new(&real, rest.cast(), &real_input),
            dual: RestResidual::new(&dual, rest.cast(), &dual_input),
            memory: JacobianWorkspace::default(),
        };
        let mut root = search.start();
        if self.options.rigid_contact {
            root = search.pseudo_transient(root, tolerance)?;
        }
        let (root, left, jacobian) = search.find(root, tolerance)?;
        rest.q = root.q.map(T::from);
        if T::NDERIV > 0 {
            let mut factors = Lu::identity(jacobian.nrows());
            let is_kink = search.real.is_undecided(&root, tolerance)?;
            let is_singular = search
                .real
                .is_singular((&left, &jacobian), &root.multipliers)?;
            if is_kink || is_singular || factors.factor(&jacobian).is_err() {
                return Err(SystemError::IndifferentEquilibrium);
            }
            let mut x = vec![T::zero(); rest.v.len()];
            x.extend(root.multipliers.iter().map(|&f| T::from(f)));
            let mut scratch = vec![T::zero(); x.len()];
            let mut residual = RestResidual::new(self, rest.clone(), input);
            residual.set_contacts(&root.contacts);
            let base = rest.q.clone();
            implicit_step(&factors, &mut x, &mut scratch, |x, r| {
                residual.evaluate_equations(&base, x, r)
            })?;
            let (to, dq) = (rest.q.as_mut_slice(), &x[..rest.v.len()]);
            (self.tree).integrate_exponential(base.as_slice(), dq, T::one(), to)?;
            // Quaternions have been normalised once more.
            for (q, &real) in to.iter_mut().zip(&root.q) {
                *q = q.with_real(real);
            }
        }
        Ok(rest)
    }
}

/// A point of the search: positions, the forces of the rows of constraints, then of rigid contacts.
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub q: DVector<f64>,
    pub multipliers: Vec<f64>,
    pub contacts: Vec<FoundContact>,
}

/// The residual as a function of a displacement and of multipliers.
pub(super) struct RestResidual<'a, T: Scalar> {
    pub system: &'a RigidBodySystem<T>,
    pub workspace: DynamicsWorkspace<T>,
    pub state: State<T>,
    input: &'a [T],
    /// Rows of constraints, then of laws.
    rows: usize,
    laws: Option<LawsAtRest<T>>,
    /// What the force of each row may be.
    pub bounds: Vec<[T; 2]>,
}

impl<'a, T: Scalar> RestResidual<'a, T> {
    fn new(system: &'a RigidBodySystem<T>, state: State<T>, input: &'a [T]) -> Self {
        let mut bounds = Vec::new();
        for constraint in system.constraints.iter() {
            let is_inequality = constraint.kind() == ConstraintKind::Unilateral
                && constraint.level() != ConstraintLevel::Velocity;
            let of_row = if is_inequality { POSITIVE } else { ANY };
            bounds.extend(std::iter::repeat_n(
                of_row.map(T::from),
                constraint.num_rows(),
            ));
        }
        bounds.extend(std::iter::repeat_n(
            ANY.map(T::from),
            system.force_laws.num_rows(),
        ));
        RestResidual {
            workspace: system.dynamics_workspace(),
            system,
            state,
            input,
            rows: bounds.len(),
            laws: LawsAtRest::new(system),
            bounds,
        }
    }

    pub fn set_contacts(&mut self, contacts: &[FoundContact]) {
        let rows = self.rows + contacts.len();
        self.bounds.resize(rows, POSITIVE.map(T::from));
        self.workspace.found.clear();
        self.workspace.found.extend_from_slice(contacts);
    }

    /// What an entry of the residual is, in words.
    fn quantity(&self, entry: usize) -> String {
        let (tree, constraints) = (&self.system.tree, &self.system.constraints);
        let Some(mut row) = entry.checked_sub(self.state.v.len()) else {
            let is_of = |joint: &&Joint<T>| {
                let first = joint.velocity_start();
                (first..first + joint.num_velocities()).contains(&entry)
            };
            let joint = tree.joints().find(is_of).map_or("", Joint::name);
            return format!("the force on velocity coordinate {entry} (joint {joint:?})");
        };
        for constraint in constraints.iter() {
            match row.checked_sub(constraint.num_rows()) {
                None => return format!("row {row} of the constraint {:?}", constraint.name()),
                Some(rest) => row = rest,
            }
        }
        match self.system.force_laws.row(row) {
            Some((law, row)) => format!("row {row} of the force law {:?}", law.name()),
            None => "the gap of a contact".to_owned(),
        }
    }

    /// Forces that are left, and errors.
    pub fn evaluate(
        &mut self,
        base: &DVector<T>,
        x: &[T],
        out: &mut [T],
    ) -> Result<(), SystemError> {
        let (dq, multipliers) = x.split_at(self.state.v.len());
        let to = self.state.q.as_mut_slice();
        (self.system.tree).integrate_exponential(base.as_slice(), dq, T::one(), to)?;
        let instant = Instant::of(&self.state);
        let workspace = &mut self.workspace;
        out.fill(T::zero());
        (self.system).write_rest_residual(workspace, instant, self.input, multipliers, out)?;
        let Some(laws) = &mut self.laws else {
            return Ok(());
        };
        let (balance, errors) = out.split_at_mut(dq.len());
        let of_laws = self.rows - laws.rows.len()..self.rows;
        let at = (&workspace.kinematics, instant.time);
        laws.evaluate(self.system, at, &multipliers[of_laws.clone()], balance)?;
        for (row, i) in laws.rows.iter().zip(of_laws) {
            errors[i] = row.phi;
            self.bounds[i] = [row.lower, row.upper];
        }
        Ok(InvalidInput::check_finite("forces at rest", balance)?)
    }

    /// As [`Self::evaluate`], with `φ + λ − √(φ² + λ²)` for inequalities, which vanishes where neither is negative
    /// and one of them is zero (Fischer 1992, *Optimization* 24, 269–284); between two bounds with that function twice
    /// (Billups 1995, *Algorithms for complementarity problems and generalized equations*, §2.3).
    fn evaluate_equations(
        &mut self,
        base: &DVector<T>,
        x: &[T],
        out: &mut [T],
    ) -> Result<(), SystemError> {
        self.evaluate(base, x, out)?;
        let nv = self.state.v.len();
        let rows = out[nv..].iter_mut().zip(&x[nv..]).zip(&self.bounds);
        for ((phi, &force), &[lower, upper]) in rows {
            let (from_lower, from_upper) = (force - lower, upper - force);
            match (lower.re().is_finite(), upper.re().is_finite()) {
                (false, false) => {}
                (true, false) => *phi = complementary(*phi, from_lower),
                (false, true) => *phi = -complementary(-*phi, from_upper),
                (true, true) => *phi = complementary(-complementary(-*phi, from_upper), from_lower),
            }
        }
        Ok(())
    }
}

/// The bounds of the force of an equation, and of an inequality.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
const POSITIVE: [f64; 2] = [0.0, f64::INFINITY];

/// Fischer's function, which is zero where neither of two numbers is negative and one is zero.
fn complementary<T: Scalar>(a: T, b: T) -> T {
    a + (b - T::norm_lifted(&[a, b]))
}

/// A way to evaluate what must vanish.
type Residual<'a> = fn(
    &mut RestResidual<'a, Dual>,
    &DVector<Dual>,
    &[Dual],
    &mut [Dual],
) -> Result<(), SystemError>;

pub(super) struct Search<'a> {
    pub real: RestResidual<'a, f64>,
    pub dual: RestResidual<'a, Dual>,
    memory: JacobianWorkspace,
}

impl<'a> Search<'a> {
    fn start(&self) -> Root {
        Root {
            q: self.real.state.q.clone(),
            multipliers: vec![0.0; self.real.rows],
            contacts: Vec::new(),
        }
    }

    /// The error of a search that ends at a point with a residual.
    pub fn not_found(
        &mut self,
        iterations: usize,
        at: &Root,
        residual: &DVector<f64>,
    ) -> SystemError {
        let entries = residual.iter().map(|x| x.abs()).enumerate();
        let largest = entries.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (entry, left) = largest.unwrap_or((0, 0.0));
        let is_force = entry < self.real.state.v.len();
        SystemError::NoEquilibrium {
            iterations,
            quantity: self.real.quantity(entry),
            left,
            nothing_touches: is_force && self.nothing_touches(&at.q).unwrap_or(false),
        }
    }

    /// Whether shapes can touch, and none do at these positions.
    fn nothing_touches(&mut self, q: &DVector<f64>) -> Result<bool, SystemError> {
        let RestResidual {
            system,
            workspace,
            state,
            ..
        } = &mut self.real;
        let (tree, contact) = (&system.tree, &system.contact);
        let (mut memory, mut found) = (ContactWorkspace::new(), Vec::new());
        tree.set_state(&mut workspace.kinematics, q.as_slice(), state.v.as_slice())?;
        contact.find(
            tree,
            &workspace.kinematics,
            TOUCHING,
            &mut memory,
            &mut found,
        )?;
        Ok(contact.pairs().len() > 0 && found.is_empty())
    }

    /// A residual and its Jacobian at a point.
    pub fn differentiate(
        &mut self,
        at: &Root,
        residual: Residual<'a>,
    ) -> Result<(DVector<f64>, DMatrix<f64>), SystemError> {
        let mut point = vec![0.0; self.real.state.v.len()];
        point.extend(&at.multipliers);
        let size = point.len();
        // The derivative, what it is compared with, and factors.
        check_squares::<f64>("velocities and contact forces at rest", 6, size)?;
        let (mut value, mut jacobian) = (DVector::zeros(size), DMatrix::zeros(size, size));
        let base = at.q.map(Dual::from);
        self.dual.set_contacts(&at.contacts);
        jacobian_into(
            |x, out| residual(&mut self.dual, &base, x, out),
            &point,
            &mut self.memory,
            value.as_mut_slice(),
            jacobian.as_mut_slice(),
        )?;
        Ok((value, jacobian))
    }

    /// The root near a point, what is left there, and the Jacobian. What Newton's method still gains once the tolerance is met is
    /// taken along: derivatives are those of what is left, too.
    fn find(
        &mut self,
        mut root: Root,
        tolerance: f64,
    ) -> Result<(Root, DVector<f64>, DMatrix<f64>), SystemError> {
        self.real.set_contacts(&root.contacts);
        let (mut force, mut jacobian) =
            self.differentiate(&root, RestResidual::evaluate_equations)?;
        let (mut damping, mut iterations) = (1e-3_f64, 0);
        let is_far = |force: &DVector<f64>| force.iter().any(|f| f.is_nan() || f.abs() > tolerance);
        while is_far(&force) {
            let newton = DampedNewton::new(&jacobian, &force);
            loop {
                iterations += 1;
                let finite = newton.size.is_finite() && damping.is_finite();
                if iterations > MAX_ITERATIONS || !finite {
                    let iterations = iterations.min(MAX_ITERATIONS);
                    return Err(self.not_found(iterations, &root, &force));
                }
                if let Some(next) = self.improved(&root, &newton.step(damping), force.norm()) {
                    root = next;
                    break;
                }
                damping = (damping * 4.0).max(1e-12);
            }
            damping *= 0.1;
            (force, jacobian) = self.differentiate(&root, RestResidual::evaluate_equations)?;
        }
        for _ in 0..MAX_REFINEMENTS {
            let step = DampedNewton::new(&jacobian, &force).step(UNDAMPED);
            let Some(next) = self.improved(&root, &step, 0.1 * force.norm()) else {
                break;
            };
            root = next;
            (force, jacobian) = self.differentiate(&root, RestResidual::evaluate_equations)?;
        }
        Ok((root, force, jacobian))
    }

    /// The point after a step, if the residual is smaller there.
    fn improved(&mut self, root: &Root, step: &DVector<f64>, norm: f64) -> Option<Root> {
        let nv = self.real.state.v.len();
        let mut trial = vec![0.0; nv];
        trial.copy_from_slice(&step.as_slice()[..nv]);
        let changed = root.multipliers.iter().zip(step.iter().skip(nv));
        trial.extend(changed.map(|(m, d)| m + d));
        let mut residual = DVector::zeros(trial.len());
        (self.real)
            .evaluate_equations(&root.q, &trial, residual.as_mut_slice())
            .ok()?;
        (residual.norm() < norm).then(|| Root {
            q: self.real.state.q.clone(),
            multipliers: trial.split_off(nv),
            contacts: root.contacts.clone(),
        })
    }
}

/// The steps of a point, damped to any degree.
struct DampedNewton {
    svd: SingularValues,
    along: DVector<f64>,
    /// The largest entry of the Jacobian.
    size: f64,
}

impl DampedNewton {
    fn new(jacobian: &DMatrix<f64>, force: &DVector<f64>) -> Self {
        let size = jacobian.amax();
        let svd = SingularValues::of(jacobian / if size > 0.0 { size } else { 1.0 });
        let along = svd.project(force) / size;
        DampedNewton { svd, along, size }
    }

    fn step(&self, damping: f64) -> DVector<f64> {
        let SingularValues { values, right, .. } = &self.svd;
        let level = damping * values.first().copied().unwrap_or(0.0);
        let scaled = self.along.map_with_location(|i, _, a| match values[i] {
            0.0 => 0.0,
            s => -a / (s * s + level * level),
        });
        right * scaled
    }
}
