//! What the rows before the first touch say.

use crate::elbow::{CENTER, HINGE, SIZE};
use crate::tosses::{Row, Toss};
use dualbody::math::rotation;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// Clearance of the lowest corner below which blocks may touch, m: measured heights differ from toss to toss by
/// some millimetres, and blocks fall another centimetre between two rows.
const CLEARANCE: f64 = 0.015;
/// Fewest rows that say something of an acceleration.
const FEWEST: usize = 8;

/// The number of rows before the first touch.
pub fn rows(toss: &Toss) -> usize {
    (toss.rows.iter())
        .take_while(|row| clearance(row) > CLEARANCE)
        .count()
}

/// The acceleration in m/s² with which the common centre of the blocks falls in the measured lengths, the
/// median of the parabolas of all flights; `None` without flights.
pub fn gravity(tosses: &[&Toss]) -> Option<f64> {
    let mut accelerations = Vec::new();
    for toss in tosses {
        let flight = &toss.rows[..rows(toss)];
        if flight.len() < FEWEST {
            continue;
        }
        let (mut normal, mut right) = (SMatrix::<f64, 3, 3>::zeros(), SVector::zeros());
        for row in flight {
            let t = row.time - flight[0].time;
            let basis = SVector::<f64, 3>::new(1.0, t, 0.5 * t * t);
            normal += basis * basis.transpose();
            right += basis * center(row).z;
        }
        if let Some(inverse) = normal.try_inverse() {
            accelerations.push((inverse * right)[2]);
        }
    }
    accelerations.sort_by(f64::total_cmp);
    accelerations.get(accelerations.len() / 2).copied()
}

/// Orientation and centre of each block.
fn blocks(row: &Row) -> [(Matrix3<f64>, Vector3<f64>); 2] {
    let one = rotation::matrix_from_quaternion(&row.orientation);
    let two = one * rotation::exp(&(Vector3::y() * row.angle));
    let hinge = row.position + one * HINGE;
    [(one, row.position), (two, hinge + two * CENTER)]
}

/// The centre of both blocks, which are equally heavy.
fn center(row: &Row) -> Vector3<f64> {
    let [(_, one), (_, two)] = blocks(row);
    (one + two) / 2.0
}

/// Height of the lowest corner over the table.
fn clearance(row: &Row) -> f64 {
    let lowest =
        |(r, p): (Matrix3<f64>, Vector3<f64>)| p.z - 0.5 * r.row(2).abs().transpose().dot(&SIZE);
    blocks(row)
        .map(lowest)
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}
