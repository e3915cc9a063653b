//! GJK and EPA: distance or penetration depth of a convex set and the origin, by its support points.
//!
//! A polytope of support points grows inside the set. Its face that is nearest to the origin is pushed out, to the
//! support point along its normal (if the origin is outside, along the line to the origin), until that
//! gains nothing. Of an origin inside this is the expanding polytope algorithm (van den Bergen 2001, *Game
//! Developers Conference*), of one outside that of Gilbert, Johnson & Keerthi (1988, *IEEE Journal of Robotics and
//! Automation* 4(2), 193–203) with all points kept. The polytope has a volume from the start, so that
//! nothing depends on whether the origin is far outside, on the boundary or inside.
//!
//! Distances along outward directions `m` bound the result from both sides: the support `h(m)` of the set along
//! any of them is at least the depth of the origin, which is at least that in the polytope.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

/// A support point of the difference of two shapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportPoint {
    pub(super) at: Vector3<f64>,
    /// The vertex of each shape that it comes from.
    pub(super) vertices: [u32; 2],
}

/// With more points a polytope does not grow.
const POINTS: usize = 160;
/// A closed surface of triangles has as many, and some more while it changes.
const FACES: usize = 2 * POINTS;

/// Points nearer to a plane, relative to the size, are in it.
const FLAT: f64 = 1e-14;

/// An origin that is less outside, relative to the size, is on the boundary.
const ON_BOUNDARY: f64 = 1e-11;

/// A triangle of the surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    corners: [usize; 3],
    /// Outward unit normal and the height of the plane along it; zero and infinite for corners in a line.
    normal: Vector3<f64>,
    height: f64,
    /// Of the origin outside: the unit vector to it from the nearest point; else the normal.
    pub(super) direction: Vector3<f64>,
    /// The depth of the origin along that direction.
    pub(super) depth: f64,
}

/// A polytope in a set.
pub(super) struct Polytope {
    points: ArrayVec<SupportPoint, POINTS>,
    faces: ArrayVec<Face, FACES>,
    pub(super) size: f64,
}

impl Polytope {
    /// A tetrahedron of support points; `None` for a set without a volume.
    pub(super) fn new(support: &impl Fn(&Vector3<f64>) -> SupportPoint) -> Option<Self> {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let ends = axes.map(|axis| [support(&axis), support(&-axis)]);
        let extent = |pair: &[SupportPoint; 2]| (pair[0].at - pair[1].at).norm();
        let widest = |x: &&[_; 2], y: &&[_; 2]| extent(x).total_cmp(&extent(y));
        let [first, second] = *ends.iter().max_by(widest)?;
        let size = extent(&[first, second]);
        let along = (second.at - first.at).try_normalize(f64::MIN_POSITIVE)?;
        let across = axes[along.iamin()].cross(&along).normalize();
        let beside = [across, -across, along.cross(&across), across.cross(&along)];
        let beside = beside.map(|d| support(&d));
        let furthest = |of: &dyn Fn(&SupportPoint) -> f64,
                        points: &mut dyn Iterator<Item = SupportPoint>| {
            points
                .map(|p| (of(&p), p))
                .max_by(|x, y| x.0.total_cmp(&y.0))
        };
        let from_line = |p: &SupportPoint| (p.at - first.at).cross(&along).norm();
        let (width, third) = furthest(&from_line, &mut beside.into_iter())?;
        let normal = along
            .cross(&(third.at - first.at))
            .try_normalize(f64::MIN_POSITIVE)?;
        let height = |p: &SupportPoint| normal.dot(&(p.at - first.at));
        let above = [support(&normal), support(&-normal)];
        let (thickness, fourth) = furthest(&|p| height(p).abs(), &mut above.into_iter())?;
        if !(width.min(thickness) > 1e-12 * size && size.is_finite()) {
            return None;
        }
        let base = if height(&fourth) > 0.0 {
            [first, third, second]
        } else {
            [first, second, third]
        };
        let mut polytope = Polytope {
            points: base.into_iter().chain([fourth]).collect(),
            faces: ArrayVec::new(),
            size,
        };
        for corners in [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]] {
            polytope.add_face(corners);
        }
        for end in ends.iter().flatten() {
            polytope.add(*end);
        }
        Some(polytope)
    }

    fn add_face(&mut self, corners: [usize; 3]) {
        let [a, b, c] = corners.map(|i| self.points[i].at);
        // Of the two shorter edges.
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let (l_ab, l_bc, l_ca) = (ab.norm_squared(), bc.norm_squared(), ca.norm_squared());
        let (foot, cross, product) = if l_ab >= l_bc && l_ab >= l_ca {
            (c, bc.cross(&ca), l_bc * l_ca)
        } else if l_bc >= l_ca {
            (a, ca.cross(&ab), l_ca * l_ab)
        } else {
            (b, ab.cross(&bc), l_ab * l_bc)
        };
        let length = cross.norm();
        let mut face = Face {
            corners,
            normal: Vector3::zeros(),
            height: f64::INFINITY,
            direction: Vector3::zeros(),
            depth: f64::INFINITY,
        };
        if length * length > 1e-24 * product {
            face.normal = cross / length;
            face.height = face.normal.dot(&foot);
            (face.direction, face.depth) = (face.normal, face.height);
            if face.height < -ON_BOUNDARY * self.size {
                let nearest = nearest_in_triangle([a, b, c], &face.normal);
                if let Some(p) = nearest {
                    let distance = p.norm();
                    (face.direction, face.depth) = (-p / distance, -distance);
                }
            }
        }
        let _ = self.faces.try_push(face);
    }

    /// Whether the origin, outside, sees a face.
    fn is_seen(&self, face: &Face) -> bool {
        face.height < -ON_BOUNDARY * self.size
    }

    /// The face that determines how deep the origin is in the polytope, of those that fulfil a condition; of an origin
    /// outside, the nearest of those that it sees.
    pub(super) fn nearest(&self, condition: impl Fn(&Face) -> bool) -> Option<&Face> {
        let faces = || self.faces.iter();
        let seen = faces().filter(|f| self.is_seen(f));
        match seen.max_by(|x, y| x.depth.total_cmp(&y.depth)) {
            Some(face) => condition(face).then_some(face),
            None => (faces().filter(|f| f.depth.is_finite() && condition(f)))
                .min_by(|x, y| x.depth.total_cmp(&y.depth)),
        }
    }

    /// The support points at the corners of a face.
    pub(super) fn corners(&self, face: &Face) -> [SupportPoint; 3] {
        face.corners.map(|i| self.points[i])
    }

    /// Takes a point of the set in; `false` if it is no gain, or there is no room.
    pub(super) fn add(&mut self, point: SupportPoint) -> bool {
        if self.points.is_full() || self.faces.len() + 64 > FACES {
            return false;
        }
        let above = |f: &Face| f.normal.dot(&point.at) - f.height;
        let faces = || self.faces.iter().enumerate();
        let highest = faces()
            .filter(|(_, f)| f.height.is_finite())
            .max_by(|x, y| above(x.1).total_cmp(&above(y.1)));
        let tolerance = FLAT * self.size;
        let Some((seed, _)) = highest.filter(|(_, f)| above(f) > tolerance) else {
            return false;
        };
        let eye = self.points.len();
        self.points.push(point);
        // What is seen and connected to the face that is seen best is removed.
        let mut outline = ArrayVec::<(usize, usize), FACES>::new();
        let mut next = Some(seed);
        while let Some(index) = next {
            let [a, b, c] = self.faces.swap_remove(index).corners;
            for edge in [(a, b), (b, c), (c, a)] {
                // Edges between two faces that are seen cancel.
                let opposite = outline.iter().position(|&(p, q)| (q, p) == edge);
                match opposite {
                    Some(at) => {
                        outline.swap_remove(at);
                    }
                    None => {
                        let _ = outline.try_push(edge);
                    }
                }
            }
            next = self.faces.iter().position(|f| {
                let [a, b, c] = f.corners;
                (f.height.is_infinite() || f.normal.dot(&point.at) - f.height > tolerance)
                    && [(b, a), (c, b), (a, c)]
                        .iter()
                        .any(|edge| outline.contains(edge))
            });
        }
        for (a, b) in outline {
            self.add_face([a, b, eye]);
        }
        true
    }
}

/// The point of a triangle that is nearest to the origin; `None` if it is inside.
fn nearest_in_triangle(corners: [Vector3<f64>; 3], normal: &Vector3<f64>) -> Option<Vector3<f64>> {
    let [a, b, c] = corners;
    let edges = [(a, b), (b, c), (c, a)];
    let is_beyond = |(p, q): &(Vector3<f64>, Vector3<f64>)| normal.dot(&p.cross(q)) < 0.0;
    if !edges.iter().any(is_beyond) {
        return None;
    }
    let on_edge = |(p, q): (Vector3<f64>, Vector3<f64>)| {
        let d = q - p;
        p + d * (-p.dot(&d) / d.norm_squared()).clamp(0.0, 1.0)
    };
    let by_distance =
        |x: &Vector3<f64>, y: &Vector3<f64>| x.norm_squared().total_cmp(&y.norm_squared());
    edges.map(on_edge).into_iter().min_by(by_distance)
}
