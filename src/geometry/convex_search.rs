//! The search for the closest features of two convex shapes.
//!
//! See [`convex_pair`](super::convex_pair).

use super::convex_core::{Constraint, Core};
use super::convex_normal::{evaluate, normal_of};
use super::expanding_polytope::{Face, Polytope, SupportPoint};
use super::feature::ConvexFeature;
use super::{Shape, ShapeKind};
use crate::Scalar;
use arrayvec::ArrayVec;
use nalgebra::Vector3;

/// To what, relative to the size, separations of polyhedra are looked for; directions that differ by less lead to the
/// same contact.
const EXACT: (f64, f64) = (1e-13, 1e-9);

/// The same for curved shapes, before Newton's method, in turn.
const LEVELS: [(f64, f64); 3] = [(1e-3, 0.03), (1e-6, 1e-3), (1e-9, 1e-3)];

/// By how much, relative to the size, features that fix the normal are preferred.
const PREFERENCE: f64 = 1e-14;

/// Features that are further apart than their shapes along their normal, relative to the size, do not meet.
const MEETING: f64 = 1e-11;

/// Features whose separations differ by less, relative to the size, are equally good if only one pair of them meets: to
/// the angle between nearly parallel features at which Newton's method still tells them apart.
const TIE: f64 = 1e-7;

/// Contact points that are less outside a shape, relative to the size, belong to it.
const ON_BOTH: f64 = 1e-10;

/// Features whose unit normals differ by less look the same way: exactly, and about, as faces that lie almost flat on
/// each other.
const SAME_WAY: [f64; 2] = [1e-9, 0.1];

/// Directions with a smaller cosine of the angle to the axis of a cylinder may lead to its rim at the other end.
const ABOUT_ACROSS: f64 = 1e-3;

/// How many directions of overlapping shapes are tried.
const TRIALS: usize = 24;

/// Up to sixteen vertices; others are left out.
type Vertices = ArrayVec<u32, 16>;

fn insert(vertices: &mut Vertices, item: u32) {
    if !vertices.contains(&item) {
        let _ = vertices.try_push(item);
    }
}

/// Two features and how far they are apart.
#[derive(Clone, Copy)]
pub(super) struct Closest {
    pub(super) features: [ConvexFeature; 2],
    /// From B to A.
    pub(super) normal: Vector3<f64>,
    pub(super) distance: f64,
    /// The separation of the shapes along the normal, with a little preference of faces.
    pub(super) score: f64,
    /// By how much the features are further apart than the shapes along their normal.
    beyond: f64,
    /// Whether the contact points belong to the shapes.
    is_on_both: bool,
}

impl Closest {
    /// What decides between features: of those that are equally good, the ones that meet.
    fn rank(&self, size: f64) -> f64 {
        self.score + if self.is_on_both { TIE * size } else { 0.0 }
    }
}

/// The best features, and for each of [`SAME_WAY`] the best of those that look another way.
#[derive(Clone, Copy, Default)]
pub(super) struct Leaders {
    pub(super) best: Option<Closest>,
    others: [Option<Closest>; 2],
}

impl Leaders {
    fn consider(&mut self, found: Closest, size: f64) {
        let is_better = (self.best).is_none_or(|best| found.rank(size) > best.rank(size));
        let challenger = match is_better {
            true => self.best.replace(found),
            false => Some(found),
        };
        let (Some(best), Some(challenger)) = (self.best, challenger) else {
            return;
        };
        for (other, same_way) in self.others.iter_mut().zip(SAME_WAY) {
            let looks_elsewhere = |c: &Closest| (c.normal - best.normal).norm() > same_way;
            *other = ([*other, Some(challenger)].into_iter().flatten())
                .filter(looks_elsewhere)
                .max_by(|x, y| x.score.total_cmp(&y.score));
        }
    }

    fn gain(&self, other: &Option<Closest>) -> f64 {
        match (&self.best, other) {
            (Some(best), Some(other)) => (best.score - other.score).max(0.0),
            _ => f64::INFINITY,
        }
    }

    /// By how much the best separation is more than that along another normal.
    pub(super) fn gain_over_others(&self) -> f64 {
        self.gain(&self.others[0])
    }

    /// By how much the best separation is more than that of features which look another way altogether.
    pub(super) fn gain_over_other_ways(&self) -> f64 {
        self.gain(&self.others[1])
    }
}

/// The search for the features that determine the distance.
struct Search<'a, U> {
    a: &'a Core<'a, U, f64>,
    b: &'a Core<'a, U, f64>,
    size: f64,
    all: Leaders,
    /// Those with a face or a cap.
    faces: Leaders,
}

/// What the search has come to.
pub(super) struct Found {
    /// The features that determine the distance.
    pub(super) best: Closest,
    /// They, and what comes next.
    pub(super) all: Leaders,
    /// Those with a face or a cap.
    pub(super) faces: Leaders,
}

/// The features that determine the distance; `None` if it is at least `margin`.
pub(super) fn closest<U: Scalar>(a: &Core<U, f64>, b: &Core<U, f64>, margin: f64) -> Option<Found> {
    let between = a.pose.translation - b.pose.translation;
    let support = |d: &Vector3<f64>| {
        let ((i, p), (j, q)) = (a.relative_support(d), b.relative_support(&-d));
        SupportPoint {
            at: p - q + between,
            vertices: [i, j],
        }
    };
    let mut search = Search {
        a,
        b,
        size: 0.0,
        all: Leaders::default(),
        faces: Leaders::default(),
    };
    let is_curved = [a, b].iter().any(|core| is_curved_kind(core.shape.kind()));
    if let Some(mut polytope) = Polytope::new(&support) {
        search.size = polytope.size + search.radii();
        let levels: &[_] = if is_curved { &LEVELS } else { &[EXACT] };
        for (tolerance, same) in levels {
            let mut tried = ArrayVec::<Vector3<f64>, TRIALS>::new();
            while !tried.is_full() {
                // Others that are equally good are of use where the best do not meet, and say how far a change is.
                let depth = search.depth() + MEETING * search.size;
                let is_known = |d: &Vector3<f64>| tried.iter().any(|t| (t - d).norm() < *same);
                let Some(face) = polytope.nearest(|f| f.depth < depth && !is_known(&f.direction))
                else {
                    break;
                };
                let face = *face;
                let next = support(&face.direction);
                let reach = face.direction.dot(&next.at);
                if -reach - search.radii() >= margin {
                    return None;
                }
                if reach - face.depth > tolerance * polytope.size && polytope.add(next) {
                    continue;
                }
                search.polish(&polytope, &face, reach);
                if face.depth < 0.0 {
                    break;
                }
                // Shorter than by the features found: of the way out nearby others are to be found.
                if search.depth() > reach + MEETING * search.size && polytope.add(next) {
                    continue;
                }
                tried.push(face.direction);
            }
            // Of several ways out of a shallow overlap a coarse search may know one only.
            let is_fine = *tolerance < 1e-5 && *tolerance * search.size <= 0.1 * search.depth();
            if search.is_nearest(f64::NEG_INFINITY) || (is_fine && search.is_met()) {
                break;
            }
        }
    }
    let (all, faces) = (search.all, search.faces);
    all.best.map(|best| Found { best, all, faces })
}

impl<U: Scalar> Search<'_, U> {
    /// The depth of the origin along the normal of the best features.
    fn depth(&self) -> f64 {
        let least = (self.all.best).map_or(f64::NEG_INFINITY, |best| best.score);
        -least - self.radii()
    }

    /// By how much both shapes reach beyond their cores.
    fn radii(&self) -> f64 {
        self.a.core_radius() + self.b.core_radius()
    }

    /// The separation of the shapes along a unit vector.
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        let (a, b) = (self.a, self.b);
        let between = a.pose.translation - b.pose.translation;
        let gap = a.relative_support(&-n).1 - b.relative_support(n).1 + between;
        n.dot(&gap) - self.radii()
    }

    /// Whether the best contact is proven to be the nearest, of shapes whose depth is at least `least_depth`: its points
    /// belong to them, which are apart or no deeper than that.
    fn is_nearest(&self, least_depth: f64) -> bool {
        self.is_met() && self.depth() <= least_depth.max(-self.radii()) + MEETING * self.size
    }

    /// Whether the points of the best contact belong to the shapes.
    fn is_met(&self) -> bool {
        (self.all.best).is_some_and(|best| best.is_on_both && best.beyond <= MEETING * self.size)
    }

    /// Tries the features at a face of the polytope, until the way out is proven to be no longer than `least_depth`.
    fn polish(&mut self, polytope: &Polytope, face: &Face, least_depth: f64) {
        let n = -face.direction;
        let mut vertices = [Vertices::new(), Vertices::new()];
        for point in polytope.corners(face) {
            insert(&mut vertices[0], point.vertices[0]);
            insert(&mut vertices[1], point.vertices[1]);
        }
        for _ in 0..4 {
            let known = vertices.each_ref().map(|v| v.len());
            self.try_features(&mut vertices, &n, false);
            if self.is_nearest(least_depth) {
                return;
            }
            if !self.is_met() {
                self.try_features(&mut vertices, &n, true);
            }
            // Where a normal has led to others, these count too, and the corners of a face that is not met.
            if let Some(best) = self.all.best {
                let sides = [(self.a, best.normal), (self.b, -best.normal)];
                for (((core, towards), feature), vertices) in
                    sides.into_iter().zip(best.features).zip(&mut vertices)
                {
                    for face in [Some(feature), core.incident(&towards)]
                        .into_iter()
                        .flatten()
                    {
                        core.visit_corners(face, &mut |corner| insert(vertices, corner));
                    }
                }
            }
            if known == vertices.each_ref().map(|v| v.len()) {
                return;
            }
        }
    }

    /// Tries the features of vertices; adds those that are deepest along the normals of features that do not meet.
    fn try_features(&mut self, vertices: &mut [Vertices; 2], n: &Vector3<f64>, both_ends: bool) {
        let (a, b) = (self.a, self.b);
        let [of_a, of_b] = vertices.clone();
        features(a, (&of_a, both_ends), &-n, &mut |f| {
            features(
                b,
                (&of_b, both_ends),
                n,
                &mut |g| match (is_fixing(f), is_fixing(g)) {
                    (true, _) | (_, true) => {}
                    _ => self.consider([f, g], n, vertices),
                },
            );
        });
        // Under a face, whatever is deepest.
        for (core, of_core, sign) in [(a, &of_a, -1.0), (b, &of_b, 1.0)] {
            features(core, (of_core, both_ends), &(n * sign), &mut |face| {
                if let (true, Some(Constraint::Along(out))) =
                    (is_fixing(face), core.constraint(face))
                {
                    let (other, of_other) = if sign < 0.0 { (b, &of_b) } else { (a, &of_a) };
                    let mut consider = |feature| {
                        let pair = match sign < 0.0 {
                            true => [face, feature],
                            false => [feature, face],
                        };
                        self.consider(pair, n, vertices);
                    };
                    consider(other.free_feature(&-out));
                    // Of what lies flat on a cap, some may be beside it.
                    if matches!(face, ConvexFeature::Cap(_)) {
                        features(other, (of_other, both_ends), &-out, &mut consider);
                    }
                }
            });
        }
    }

    fn consider(
        &mut self,
        features: [ConvexFeature; 2],
        guess: &Vector3<f64>,
        vertices: &mut [Vertices; 2],
    ) {
        let Some(normal) = normal_of(features, self.a, self.b, &|| *guess) else {
            return;
        };
        let separation = self.separation(&normal);
        let Some(contact) = evaluate(features, normal, self.a, self.b) else {
            return;
        };
        let distance = -contact.penetration;
        // Features that are further apart than the shapes along their normal do not meet.
        let beyond = (distance - separation).abs();
        if beyond > MEETING * self.size {
            insert(&mut vertices[0], self.a.relative_support(&-normal).0);
            insert(&mut vertices[1], self.b.relative_support(&normal).0);
        }
        let is_face = features.iter().any(|f| is_fixing(*f));
        let preference = match is_face {
            true => 2.0,
            false => f64::from(u8::from(features.iter().all(|f| is_edge(*f)))),
        };
        let size = self.size;
        let mut found = Closest {
            features,
            normal,
            distance,
            score: separation - beyond + preference * PREFERENCE * size,
            beyond,
            is_on_both: false,
        };
        let may_win = |best: Closest| found.score + TIE * size > best.rank(size);
        if beyond <= TIE * size && self.all.best.is_none_or(may_win) {
            found.is_on_both = self.a.contains(&contact.p_WCa, ON_BOTH * size)
                && self.b.contains(&contact.p_WCb, ON_BOTH * size);
        }
        if is_face {
            self.faces.consider(found, size);
        }
        self.all.consider(found, size);
    }
}

fn is_curved_kind(kind: ShapeKind) -> bool {
    matches!(kind, ShapeKind::Cylinder | ShapeKind::Ellipsoid)
}

/// Features of a shape that may meet the other along the outward direction `d`; of a cylinder that this is about across,
/// perhaps the rims at both ends.
fn features<U: Scalar>(
    core: &Core<U, f64>,
    (vertices, both_ends): (&Vertices, bool),
    d: &Vector3<f64>,
    visit: &mut dyn FnMut(ConvexFeature),
) {
    match core.shape {
        Shape::Cylinder { .. } => {
            let along = core.pose.rotation.column(2).dot(d).abs();
            if along > 0.5 {
                visit(ConvexFeature::Cap(core.end(d)));
            } else {
                visit(ConvexFeature::Side);
            }
            visit(ConvexFeature::Rim(core.end(d)));
            if both_ends && along < ABOUT_ACROSS {
                visit(ConvexFeature::Rim(core.end(&-d)));
            }
        }
        Shape::Ellipsoid { .. } => visit(ConvexFeature::Surface),
        _ => {
            core.visit_features(vertices, visit);
            for &i in vertices {
                visit(ConvexFeature::Vertex(i));
            }
        }
    }
}

pub(super) fn is_fixing(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Face(..) | ConvexFeature::Cap(_))
}

fn is_edge(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Edge(..) | ConvexFeature::Side)
}
