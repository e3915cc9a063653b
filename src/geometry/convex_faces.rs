//! The faces of a convex hull, from its triangles.
//!
//! Triangles in one plane, to within a tolerance, become one polygon; vertices inside a face or along an
//! edge are dropped.

use nalgebra::Vector3;
use std::collections::HashMap;

/// Vertices nearer to a plane belong to it, relative to the largest extent.
const FLAT: f64 = 4e-6;

/// The faces of a closed surface of triangles, counterclockwise from outside, by the positions of
/// points; those points are vertices that occur in three faces or more.
pub(super) fn faces(points: &[Vector3<f64>], triangles: &[[usize; 3]]) -> Vec<Vec<usize>> {
    let mut of_edge = HashMap::new();
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        for edge in [(a, b), (b, c), (c, a)] {
            of_edge.insert(edge, index);
        }
    }
    let normals: Vec<Vector3<f64>> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|i| points[i]);
            (b - a).cross(&(c - a))
        })
        .collect();
    let used = || triangles.iter().flatten().map(|&i| points[i]);
    let low = used().fold(Vector3::repeat(f64::INFINITY), |m, p| m.inf(&p));
    let high = used().fold(Vector3::repeat(f64::NEG_INFINITY), |m, p| m.sup(&p));
    let tolerance = FLAT * (high - low).amax();

    let mut largest_first: Vec<usize> = (0..triangles.len()).collect();
    largest_first.sort_by(|&i, &j| normals[j].norm().total_cmp(&normals[i].norm()));
    let mut is_taken = vec![false; triangles.len()];
    let mut faces = Vec::new();
    for seed in largest_first {
        if std::mem::replace(&mut is_taken[seed], true) {
            continue;
        }
        let normal = normals[seed].normalize();
        let foot = points[triangles[seed][0]];
        let is_flat = |t: usize| {
            let mut heights = triangles[t]
                .iter()
                .map(|&i| normal.dot(&(points[i] - foot)));
            heights.all(|height| height.abs() <= tolerance)
        };
        let mut patch = vec![seed];
        let mut next = 0;
        while let Some(&index) = patch.get(next) {
            next += 1;
            let [a, b, c] = triangles[index];
            for edge in [(b, a), (c, b), (a, c)] {
                if let Some(&neighbour) = of_edge.get(&edge)
                    && !is_taken[neighbour]
                    && is_flat(neighbour)
                {
                    is_taken[neighbour] = true;
                    patch.push(neighbour);
                }
            }
        }
        match outline(&patch, triangles) {
            Some(polygon) => faces.push(polygon),
            None => faces.extend(patch.iter().map(|&index| triangles[index].to_vec())),
        }
    }
    drop_straight_corners(&mut faces);
    faces
}

/// The corners around a patch of triangles; `None` if its outline is not a single loop.
fn outline(patch: &[usize], triangles: &[[usize; 3]]) -> Option<Vec<usize>> {
    let edges = || {
        let around = |[a, b, c]: [usize; 3]| [(a, b), (b, c), (c, a)];
        patch
            .iter()
            .flat_map(move |&index| around(triangles[index]))
    };
    let inner: std::collections::HashSet<_> = edges().collect();
    let boundary = edges().filter(|&(a, b)| !inner.contains(&(b, a)));
    let mut following = HashMap::new();
    for (a, b) in boundary {
        if following.insert(a, b).is_some() {
            return None;
        }
    }
    let start = following.keys().copied().min()?;
    let (mut polygon, mut at) = (vec![start], *following.get(&start)?);
    while at != start {
        if polygon.len() >= following.len() {
            return None;
        }
        polygon.push(at);
        at = *following.get(&at)?;
    }
    (polygon.len() == following.len()).then_some(polygon)
}

/// Drops corners that belong to two faces only, along whose common edge they lie.
fn drop_straight_corners(faces: &mut [Vec<usize>]) {
    let mut count: HashMap<usize, usize> = HashMap::new();
    for &corner in faces.iter().flatten() {
        *count.entry(corner).or_default() += 1;
    }
    for face in faces {
        if face.iter().filter(|i| count[*i] > 2).count() >= 3 {
            face.retain(|i| count[i] > 2);
        }
    }
}
