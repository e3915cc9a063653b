//! Polygons in triangles.

use super::collada_polygons::fan;
use nalgebra::Vector3;

/// Polygons with more corners are fans: to find an ear takes the longer the more corners there are.
const MOST_CORNERS: usize = 200;

/// The triangles of a polygon, of which `corners` are positions in `points`; none of fewer than three.
///
/// A quadrilateral is cut along its shorter diagonal, as MuJoCo's reader of OBJ does. From others ears are cut: triangles of
/// three successive corners that turn as the polygon does and hold no other corner. What has no ear, as it crosses itself
/// or has no area, is a fan.
pub(super) fn triangles(points: &[Vector3<f64>], corners: &[usize]) -> Vec<[usize; 3]> {
    let between = |a: usize, b: usize| points[b] - points[a];
    if let &[a, b, c, d] = corners {
        return match between(a, c).norm_squared() < between(b, d).norm_squared() {
            true => vec![[a, b, c], [a, c, d]],
            false => vec![[a, b, d], [b, c, d]],
        };
    }
    if corners.len() > MOST_CORNERS {
        return fan(corners).collect();
    }
    let mut rest = corners.to_vec();
    let areas = fan(corners).map(|[a, b, c]| between(a, b).cross(&between(a, c)));
    let normal: Vector3<f64> = areas.sum();
    let turn = |a: usize, b: usize, c: usize| normal.dot(&between(a, b).cross(&between(b, c)));
    let mut triangles = Vec::with_capacity(corners.len().saturating_sub(2));
    while rest.len() >= 3 {
        let count = rest.len();
        let around = |k: usize| {
            [
                rest[(k + count - 1) % count],
                rest[k],
                rest[(k + 1) % count],
            ]
        };
        let is_ear = |k: &usize| {
            let [a, b, c] = around(*k);
            let holds =
                |p: usize| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && !rest.iter().any(|&p| ![a, b, c].contains(&p) && holds(p))
        };
        // From the second corner on: what is left of a triangle begins with its first.
        let ear = (1..=count).map(|k| k % count).find(is_ear).unwrap_or(1);
        triangles.push(around(ear));
        rest.remove(ear);
    }
    triangles
}
