//! Convex shapes that overlap a little: the way out is the shortest, wherever it leads.
//!
//! Of shapes that touch in their features no others are nearer; of shapes that overlap others may be, however little
//! they overlap.

use super::convex_pair::{distance_and_normal, random_pairs};
use super::oracle::{Noise, climb};
use super::support::*;
use nalgebra::{Matrix3, Vector3};

/// Moves shapes along their normal until they overlap by 10⁻⁵ to 10⁻² of their size, and looks for a shorter way out
/// from where they touched and from where they leave. What is gained is at most a part of the size.
fn check(each: usize, tolerance: f64) {
    let mut noise = Noise(7);
    for mut pair in random_pairs(each) {
        let (apart, touching) = distance_and_normal(&pair);
        let scale = pair.X_WA.translation.norm() + apart.abs();
        let depth = 10_f64.powf(-5.0 + 3.0 * noise.next()) * scale;
        pair.X_WA.translation -= touching * (apart + depth);
        let (distance, normal) = distance_and_normal(&pair);
        for start in [touching, normal] {
            let other = climb(&pair, start, 1e-9, &mut noise);
            assert!(
                other < distance + tolerance * scale,
                "{other:e} {distance:e} {pair:?}"
            );
        }
    }
}

#[test]
fn the_way_out_is_the_shortest() {
    check(60, 1e-11);
}

/// Features that meet are preferred to others that are better by up to 10⁻⁷ of the size.
#[test]
#[ignore = "a minute"]
fn the_way_out_of_many_overlaps_is_the_shortest() {
    check(5000, 1e-8);
}

/// The side of the cylinder meets a corner of the box at 9.9·10⁻⁵, five times as deep as the way out.
#[test]
fn not_the_first_features_that_meet() {
    #[rustfmt::skip]
    let R_A = Matrix3::from_column_slice(&[
        -0.14635807165734604, 0.28435489924367224, -0.9474817181016553,
        0.1355735995047363, 0.9545237743112719, 0.26552620095179597,
        0.9798975017715235, -0.08959160424216744, -0.17825327618656095,
    ]);
    #[rustfmt::skip]
    let R_B = Matrix3::from_column_slice(&[
        0.9715173199928625, -0.037625778417525485, -0.2339623853365348,
        0.23419696800791598, 0.3030150906231971, 0.9237605940017765,
        0.03613692197441688, -0.9522426978733368, 0.30319625198396494,
    ]);
    let p_A = Vector3::new(-0.18254357623790257, 0.6881979759333018, 0.6164061112710054);
    let pair = Pair {
        a: cylinder(0.5567612961676267, 0.4178682931429011),
        X_WA: Pose::new(R_A, p_A),
        b: cuboid(0.2561087609842877, 0.4081470670617274, 0.6448216543770411),
        X_WB: Pose::new(R_B, Vector3::zeros()),
    };
    let distance = pair.signed_distance();
    assert!((distance + 1.7615e-5).abs() < 1e-7, "{distance:e}");
    let way_out = climb(&pair, distance_and_normal(&pair).1, 1e-9, &mut Noise(1));
    assert!(way_out < distance + 1e-11, "{way_out:e} {distance:e}");
}
