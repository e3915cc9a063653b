//! What the checker of Jacobians says of planted mistakes.

use dualbody::autodiff::{
    JacobianCheck, JacobianChecker, MistakePattern, OnTangent, VectorFunction, Verdict,
    check_jacobian,
};
use dualbody::math::SpatialInertia;
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use dualbody::{DefaultScalar, InvalidInput, Scalar, assert_jacobian};
use nalgebra::{DMatrix, DVector, Vector3, dmatrix};
use std::f64::consts::PI;

/// A linear function, whose Jacobian is its matrix.
fn check(matrix: &DMatrix<f64>, claimed: &DMatrix<f64>) -> JacobianCheck {
    check_at(matrix, claimed, &vec![0.7; matrix.ncols()])
}

fn check_at(matrix: &DMatrix<f64>, claimed: &DMatrix<f64>, x: &[f64]) -> JacobianCheck {
    let f = |x: &[f64]| Ok::<_, InvalidInput>(matrix * DVector::from_column_slice(x));
    JacobianChecker::default().check(f, x, claimed).unwrap()
}

/// Without entries that resemble each other.
fn matrix() -> DMatrix<f64> {
    dmatrix![1.3, -0.71, 5.9; 0.17, 2.9, -3.7; -0.43, 0.83, 11.3]
}

/// Patterns of the mistakes, by row and column.
fn patterns(check: &JacobianCheck) -> Vec<((usize, usize), Vec<MistakePattern>)> {
    let of = |e: &_| check.patterns(e);
    (check.mistakes())
        .map(|e| ((e.row, e.column), of(e)))
        .collect()
}

/// The right matrix with an entry changed.
fn with(row: usize, column: usize, change: impl Fn(f64) -> f64) -> DMatrix<f64> {
    let mut claimed = matrix();
    claimed[(row, column)] = change(claimed[(row, column)]);
    claimed
}

fn assert_pattern(claimed: &DMatrix<f64>, expected: MistakePattern, text: &str) {
    let check = check(&matrix(), claimed);
    let found = patterns(&check);
    let matches = |pattern: &MistakePattern| match (pattern, &expected) {
        (MistakePattern::Factor(a), MistakePattern::Factor(b))
        | (MistakePattern::Unit(a), MistakePattern::Unit(b)) => (a - b).abs() < 1e-6 * b.abs(),
        (a, b) => a == b,
    };
    for (place, patterns) in &found {
        let [pattern] = &patterns[..] else {
            panic!("{place:?}: {patterns:?}");
        };
        assert!(matches(pattern), "{place:?}: {patterns:?}");
    }
    assert!(!found.is_empty());
    let printed = check.to_string();
    assert!(printed.contains(text), "{printed}");
}

#[test]
fn single_mistakes_look_like_what_they_are() {
    for (change, pattern, text) in [
        (-1.0, MistakePattern::Sign, ": the sign is wrong"),
        (
            2.0,
            MistakePattern::Factor(2.0),
            "it is 2 times the derivative",
        ),
        (
            0.5,
            MistakePattern::Factor(0.5),
            "it is 0.5 times the derivative",
        ),
        (
            -2.0,
            MistakePattern::Factor(-2.0),
            "it is -2 times the derivative",
        ),
        (
            1e3,
            MistakePattern::Unit(1e3),
            "it is 1000 times the derivative, as between m and mm",
        ),
        (
            -1e-3,
            MistakePattern::Unit(-1e-3),
            "it is -0.001 times the derivative, as between m and mm",
        ),
        (
            PI / 180.0,
            MistakePattern::Unit(PI / 180.0),
            "it is 0.0174533 times the derivative, as between degrees and radians",
        ),
        (0.0, MistakePattern::Missing, "the derivative is missing"),
    ] {
        for (row, column) in [(0, 0), (2, 1), (1, 2)] {
            assert_pattern(&with(row, column, |x| change * x), pattern, text);
        }
    }
    let mut sparse = matrix();
    sparse[(0, 2)] = 0.0;
    let superfluous = check(&sparse, &matrix());
    assert_eq!(
        patterns(&superfluous),
        [((0, 2), vec![MistakePattern::Superfluous])]
    );
    assert!(
        superfluous
            .to_string()
            .ends_with(": the derivative is zero")
    );
    let missing = check(&matrix(), &with(1, 2, |x| x - 0.37));
    let [((1, 2), found)] = &patterns(&missing)[..] else {
        panic!("{missing}");
    };
    let [
        MistakePattern::Term {
            missing: term,
            entries: 1,
        },
    ] = found[..]
    else {
        panic!("{missing}");
    };
    assert!((term - 0.37).abs() < 1e-6);
    assert!(
        missing.to_string().ends_with("a term of 0.37 is missing"),
        "{missing}"
    );
}

#[test]
fn mistakes_of_a_kind_are_seen_together() {
    // A column in a unit of its own.
    let mut scaled = matrix();
    scaled.column_mut(2).scale_mut(0.73);
    assert_pattern(
        &scaled,
        MistakePattern::Factor(0.73),
        "it is 0.73 times the derivative",
    );
    // The identity of x + A x.
    let shifted = matrix() - DMatrix::identity(3, 3);
    let check = check(&matrix(), &shifted);
    for (_, found) in patterns(&check) {
        assert!(
            matches!(found[..], [MistakePattern::Term { entries: 3, .. }]),
            "{check}"
        );
    }
    assert!(
        check
            .to_string()
            .contains("a term of 1 is missing, as in 3 entries"),
        "{check}"
    );
}

#[test]
fn a_matrix_that_is_transposed_or_shifted_is_recognised() {
    let transposed = check(&matrix(), &matrix().transpose());
    let found = patterns(&transposed);
    assert_eq!(found.len(), 6);
    for (_, patterns) in found {
        assert_eq!(patterns, [MistakePattern::Transposed], "{transposed}");
    }
    assert!(
        transposed
            .to_string()
            .contains("it is ∂f[0]/∂x[1], transposed"),
        "{transposed}"
    );
    let mut shifted = matrix();
    shifted.set_column(1, &matrix().column(2));
    assert_pattern(
        &shifted,
        MistakePattern::OtherColumn(2),
        "the column of x[1] is that of x[2]",
    );
    // A skew matrix with the other sign is a transposed one: both are said.
    let skew = dmatrix![0.0, -3.0; 3.0, 0.0];
    let both = check(&skew, &-&skew).to_string();
    assert!(both.contains("the sign is wrong, or it is ∂f["), "{both}");
}

/// Of a state [q; v], whose block of forces by positions is transposed, and the rest of the matrix is right.
#[test]
fn a_block_off_the_diagonal_that_is_transposed_is_recognised() {
    let derivative = DMatrix::from_fn(6, 7, |i, j| ((7 * i + j) as f64).sin());
    let block = |matrix: &DMatrix<f64>| matrix.view((3, 1), (3, 3)).into_owned();
    let mut claimed = derivative.clone();
    (claimed.view_mut((3, 1), (3, 3))).copy_from(&block(&derivative).transpose());
    let transposed = check(&derivative, &claimed);
    let found = patterns(&transposed);
    assert_eq!(found.len(), 6);
    for (_, patterns) in found {
        assert_eq!(patterns, [MistakePattern::Transposed], "{transposed}");
    }
    let text = transposed.to_string();
    for expected in [
        "∂f[3]/∂x[3]: claimed",
        "it is ∂f[5]/∂x[1], as in a block that is transposed",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    // A single entry in another place is no block.
    let mut lone = DMatrix::zeros(4, 4);
    lone[(0, 2)] = 0.7;
    let mut moved = DMatrix::zeros(4, 4);
    moved[(1, 1)] = 0.7;
    let found: Vec<_> = patterns(&check(&lone, &moved))
        .into_iter()
        .map(|(_, p)| p)
        .collect();
    assert_eq!(
        found,
        [[MistakePattern::Superfluous], [MistakePattern::Missing]]
    );
}

#[test]
fn every_mistake_is_printed_with_its_names() {
    let mut claimed = matrix();
    (claimed[(0, 1)], claimed[(2, 2)]) = (0.71, 22.6);
    let check = check(&matrix(), &claimed);
    let text = check.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "7 of 9 entries of the Jacobian agree with central differences (2 mistakes, 0 at a kink, 0 unresolved)"
    );
    assert!(lines[1].starts_with("  ∂f[0]/∂x[1]: claimed 0.71, central difference -0.71 ± "));
    assert!(
        lines[1].ends_with(" times the tolerance): the sign is wrong"),
        "{text}"
    );
    assert!(lines[2].starts_with("  ∂f[2]/∂x[2]: claimed 22.6, central difference 11.3 ± "));
    assert_eq!(lines.len(), 3);
    // Names that are missing are places.
    let named = check.with_names(["force", "moment"], ["position", "angle", "rate"]);
    let text = named.to_string();
    assert!(
        text.contains("∂force/∂angle: ") && text.contains("∂f[2]/∂rate: "),
        "{text}"
    );
}

#[test]
fn long_lists_end() {
    let matrix = DMatrix::from_fn(20, 20, |i, j| 1.0 + (i * j) as f64);
    let check = check(&matrix, &-&matrix);
    let text = check.to_string();
    assert_eq!(check.mistakes().count(), 400);
    assert_eq!(text.lines().count(), 102);
    assert!(text.ends_with("  and 300 more"), "{text}");
}

#[test]
fn kinks_and_noise_are_printed_after_mistakes() {
    let f = |x: &[f64]| Ok::<_, InvalidInput>(DVector::from_vec(vec![x[0].abs(), 2.0 * x[0]]));
    let check = JacobianChecker::default().check(f, &[0.0], &dmatrix![1.0; -2.0]);
    let text = check.unwrap().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("(1 mistakes, 1 at a kink, 0 unresolved)"));
    assert!(
        lines[1].starts_with("  ∂f[1]/∂x[0]: claimed -2, central difference 2 ± "),
        "{text}"
    );
    assert_eq!(
        lines[2],
        "  ∂f[0]/∂x[0]: claimed 1, one-sided differences 1 and -1: the function has a kink here"
    );
}

/// A Jacobian, and entries, that make no sense are answered all the same.
#[test]
fn hostile_entries_have_no_pattern() {
    for bad in [f64::NAN, f64::INFINITY] {
        let check = check(&matrix(), &with(1, 1, |_| bad));
        assert_eq!(patterns(&check), [((1, 1), vec![])]);
        assert!(!check.agrees() && !check.to_string().is_empty());
    }
    let one = check(&matrix(), &with(2, 2, |x| -x));
    let other = check(&dmatrix![1.0], &dmatrix![-1.0]);
    let [stranger, own] = [&one, &other].map(|check| check.mistakes().next().unwrap());
    assert!(other.patterns(stranger).is_empty());
    assert!(other.patterns(&other.entries()[0]) == other.patterns(own));
    assert!(one.patterns(&one.entries()[0]).is_empty());
    let empty = check(&DMatrix::zeros(0, 3), &DMatrix::zeros(0, 3));
    assert!(empty.agrees() && empty.to_string().lines().count() == 1);
    let huge = check(&dmatrix![1e300, 1e-300], &dmatrix![-1e308, 1e308]);
    assert_eq!(huge.mistakes().count(), 2);
    assert_eq!(huge.to_string().lines().count(), 3);
}

/// Where the point of a floating body is in the world, by a polynomial of the four numbers that should be a quaternion.
#[derive(Debug)]
struct Tip;

impl VectorFunction for Tip {
    type Error = TreeError;

    fn eval<T: DefaultScalar>(&self, q: &[T]) -> Result<DVector<T>, TreeError> {
        let (w, u) = (q[1], Vector3::new(q[2], q[3], q[4]));
        let p = Vector3::new(0.5, 0.2, -0.1).map(T::from);
        let turned = u.cross(&p) * T::from(2.0);
        let p = p + turned * w + u.cross(&turned);
        Ok(DVector::from_vec(vec![p.x + q[0], p.y, p.z]))
    }

    fn value_names(&self) -> Vec<String> {
        ["x", "y", "z"].map(str::to_owned).into()
    }

    fn variable_names(&self) -> Vec<String> {
        ["slide", "qw", "qx", "qy", "qz"].map(str::to_owned).into()
    }
}

/// The derivatives of the same with a quaternion that is made one of unit length: there are none along it.
fn on_sphere(q: &[f64]) -> DMatrix<f64> {
    let (_, mut jacobian) = dualbody::autodiff::jacobian(&Tip, q).unwrap();
    let unit = DVector::from_column_slice(&q[1..]);
    let radial = jacobian.columns(1, 4) * &unit;
    let mut turning = jacobian.columns_mut(1, 4);
    turning -= radial * unit.transpose();
    jacobian
}

#[test]
fn differences_that_leave_the_unit_sphere_are_told() {
    for q in [[0.3, 0.5, -0.5, 0.5, 0.5], [0.0, 0.6, 0.0, 0.8, 0.0]] {
        let claimed = on_sphere(&q);
        let check = JacobianChecker::default()
            .check(|q| Tip.eval(q), &q, &claimed)
            .unwrap()
            .with_names(Tip.value_names(), Tip.variable_names());
        let found = patterns(&check);
        assert!(found.len() >= 3, "{check}");
        for (_, patterns) in found {
            assert!(
                patterns.contains(&MistakePattern::OffUnitSphere(1)),
                "{check}"
            );
        }
        let text = check.to_string();
        assert!(
            text.contains("wrong only across the unit sphere of qw to qz"),
            "{text}"
        );
        assert!(
            text.ends_with(
                "qw to qz have the length 1, as a quaternion has, and the differences leave the unit sphere: \
                 dualbody::autodiff::OnTangent keeps them on it"
            ),
            "{text}"
        );
        // A mistake along the sphere is none of these.
        let mut wrong = claimed.clone();
        wrong[(1, 2)] += 0.123;
        let check = JacobianChecker::default().check(|q| Tip.eval(q), &q, &wrong);
        let check = check.unwrap();
        let entry = (check.mistakes()).find(|e| (e.row, e.column) == (1, 2));
        let off = |p: &MistakePattern| matches!(p, MistakePattern::OffUnitSphere(_));
        assert!(!check.patterns(entry.unwrap()).iter().any(off), "{check}");
    }
}

fn floating() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    (builder.add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))).unwrap();
    builder.finish().unwrap()
}

/// Kinetic energy of a body, by its configuration and the ratio of two velocities.
struct Energy(RigidBodyTree<f64>);

impl VectorFunction for Energy {
    type Error = TreeError;

    fn eval<T: DefaultScalar>(&self, q: &[T]) -> Result<DVector<T>, TreeError> {
        let tree = self.0.cast::<T>();
        let mut workspace = tree.workspace();
        tree.set_positions(&mut workspace, q)?;
        Ok(DVector::from_element(1, tree.potential_energy(&workspace)?))
    }
}

#[test]
fn a_tree_that_refuses_the_steps_names_the_remedy() {
    let energy = Energy(floating());
    let q = [0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0];
    let error = check_jacobian(&JacobianChecker::default(), &energy, &q).unwrap_err();
    assert!(error.to_string().contains("OnTangent"), "{error}");
    let tangent = OnTangent {
        manifold: &energy.0,
        q: &q,
        f: &energy,
    };
    let checker = JacobianChecker::default();
    (check_jacobian(&checker, &tangent, &tangent.origin()).unwrap()).assert_agrees();
}

#[test]
fn functions_name_their_values_and_variables() {
    let q = [0.3, 0.5, -0.5, 0.5, 0.5];
    let checker = JacobianChecker::default();
    let check = check_jacobian(&checker, &Tip, &q).unwrap();
    assert!(check.agrees(), "{check}");
    // A function whose duals are wrong.
    struct Wrong;
    impl VectorFunction for Wrong {
        type Error = InvalidInput;

        fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
            Ok(DVector::from_element(1, x[0] * x[1].re()))
        }

        fn value_names(&self) -> Vec<String> {
            vec!["power".to_owned()]
        }

        fn variable_names(&self) -> Vec<String> {
            vec!["force".to_owned(), "speed".to_owned()]
        }
    }
    let check = check_jacobian(&checker, &Wrong, &[2.0, 3.0]).unwrap();
    let worst = check.worst().unwrap();
    assert_eq!((worst.column, worst.verdict), (1, Verdict::Mistake));
    let text = check.to_string();
    assert!(
        text.contains("∂power/∂speed: claimed 0, central difference 2 ± "),
        "{text}"
    );
    assert!(text.ends_with(": the derivative is missing"), "{text}");
}

fn product<T: Scalar>(x: &[T]) -> Result<Vec<T>, InvalidInput> {
    Ok(vec![x[0] * x[1]])
}

fn forgets_a_derivative<T: Scalar>(x: &[T]) -> Result<DVector<T>, InvalidInput> {
    Ok(DVector::from_element(1, x[0] * x[1].re()))
}

fn weight<T: Scalar>(tree: &RigidBodyTree<T>, x: &[T]) -> Result<Vec<T>, TreeError> {
    let mut tree = tree.clone();
    tree.set_body_mass(dualbody::tree::BodyIndex::new(1), x[0])?;
    Ok(vec![tree.gravity().z * tree.total_mass()])
}

#[test]
fn one_line_asserts_a_jacobian() {
    assert_jacobian!(product, [2.0, 3.0]);
    assert_jacobian!(weight, &floating(), vec![2.0]);
}

#[test]
#[should_panic(expected = "∂f[0]/∂x[1]: claimed 0, central difference 2 ±")]
fn one_line_prints_what_is_wrong() {
    assert_jacobian!(forgets_a_derivative, [2.0, 3.0]);
}

#[test]
#[should_panic(expected = "body \"body\": mass = -1, expected a positive number")]
fn one_line_prints_the_error_of_a_function() {
    assert_jacobian!(weight, &floating(), [-1.0]);
}
