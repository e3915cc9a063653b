//! What a fit has found, printed, drawn and written.

use crate::cube::Cube;
use crate::options::{Data, Options};
use crate::score::{Score, score};
use crate::support::fitted::{FittedStage, save_report};
use crate::support::{self, Failure};
use crate::tosses::Toss;
use crate::{free_flight, plots, report};
use dualbody::identification::{CrossValidation, Fit};

/// Prints estimates and the errors of tosses that were not fitted, and writes pictures, pages and the
/// report that the options ask for.
pub fn show(
    options: &Options,
    data: &Data,
    cube: &Cube,
    stages: &[FittedStage],
    validation: Option<&CrossValidation>,
) -> Result<(), Failure> {
    let (fitted, test): (Vec<&Toss>, Vec<&Toss>) =
        (data.fitted.iter().collect(), data.test.iter().collect());
    for stage in stages {
        println!("\nFit on {}\n{}", stage.name, stage.fit);
    }

    let last = &stages[stages.len() - 1].fit;
    if let Some(validation) = validation {
        print_validation(last, validation);
    }
    let values = last.values();
    let trial = cube.trial(&values)?;
    let guess: Vec<f64> = cube.unknowns.iter().map(|u| u.initial()).collect();
    let before = score(&cube.trial(&guess)?, cube.substeps, &test, |toss| {
        toss.samples[0]
    });
    let after = score(&trial, cube.substeps, &test, |toss| toss.samples[0]);
    let scale = cube.scale(&values);
    let smoothed = score(&trial, cube.substeps, &test, |toss| {
        free_flight::smoothed_start(toss, scale)
    });
    println!("Whole tosses that were not fitted, mean ± standard deviation over tosses:");
    print_score("first guess", &before);
    print_score("identified", &after);
    print_score("identified, start smoothed over the flight", &smoothed);

    let fitted_cube = plots::FittedCube {
        cube,
        trial: &trial,
        fit: last,
    };
    let plots = plots::write(&options.out, &fitted_cube, stages, &test, &after)?;
    println!(
        "\nPlots: {}",
        plots.map(|p| p.display().to_string()).join(", ")
    );
    if let Some(path) = &options.json {
        report::write(path, &fitted, &test, stages, validation, &smoothed, &after)?;
        println!("Report: {}", path.display());
    }
    let scores = [
        ("first guess", &before),
        ("identified", &after),
        ("identified, start smoothed over the flight", &smoothed),
    ];
    let page = fitted_cube.report(&test, &scores)?;
    save_report(&page, &options.out, "identify_contact")?;
    let scene = fitted_cube.scene(plots::typical(&test, &after))?;
    support::show(&scene, &options.out, "identify_contact")
}

fn print_validation(fit: &Fit, validation: &CrossValidation) {
    let groups = validation.groups.len();
    let settled = validation.groups.iter().filter(|group| group.is_settled());
    println!(
        "\nStandard errors by leaving out one of {groups} groups of tosses at a time; {} of the fits came to an end:",
        settled.count()
    );
    for (estimate, error) in fit.estimates.iter().zip(&validation.standard_errors) {
        let (name, value, unit) = (&estimate.name, estimate.value, &estimate.unit);
        match error {
            Some(error) => println!("  {name:<16} {value:11.4e} ± {error:.1e} {unit}"),
            None => println!("  {name:<16} {value:11.4e} {unit}, {}", estimate.status),
        }
    }
    for sentence in validation.differences() {
        println!("  {sentence}");
    }
    if let Some(rms) = validation.root_mean_square() {
        println!("Root mean square of the residuals of tosses that were left out: {rms:.4}\n");
    }
}

fn print_score(name: &str, score: &Score) {
    let (p, r) = (score.position(), score.rotation());
    println!(
        "  {name:<44} position {:5.1} ± {:4.1} % of the width, rotation {:5.1} ± {:4.1}°",
        p.mean, p.std, r.mean, r.std
    );
    for (toss, error) in &score.failures {
        println!("    toss {toss} of the test was left out: {error}");
    }
}
