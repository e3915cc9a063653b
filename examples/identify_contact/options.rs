//! The command line, and the tosses that it names.

use crate::cube::{Cube, Extras};
use crate::support::Failure;
use crate::support::arguments::Arguments;
use crate::tosses::{self, Toss};
use std::path::PathBuf;

/// What `--help` says of the options.
pub const OPTIONS: &str = "\
options:
  --data FILE    tosses (CSV); every second one is fitted, the others are the test,
                 unless --test is given. Default: 48 tosses simulated with MuJoCo
  --test FILE    tosses to test on; all of --data are then fitted
  --json FILE    write estimates, standard errors, history and scores
  --scale        estimate the ratio of measured to true lengths
  --inertia      estimate the moment of inertia
  --radius       estimate the rounding of the corners
  --tilt         estimate the slope of the table
  --static-friction
                 estimate static friction apart from dynamic friction
                 (without these five: scale, inertia and rounding)
  --contact      estimate none of these
  --substeps N   simulated steps between two samples (default 4)
  --fit-tosses N fit the first N tosses of the fitting set only
  --out DIR      folder for the plots (default out)
  --quick        fit six tosses only, to see that it works";

const EMBEDDED: &str = include_str!("../data/mujoco_tosses.csv");

/// What is fitted, to what, and where the results go.
#[derive(Debug)]
pub struct Options {
    pub data: Option<PathBuf>,
    pub test: Option<PathBuf>,
    pub json: Option<PathBuf>,
    pub extras: Extras,
    pub substeps: usize,
    pub fit_tosses: usize,
    pub out: PathBuf,
}

/// Tosses to fit and tosses to test on, all with the same time between samples.
pub struct Data {
    pub fitted: Vec<Toss>,
    pub test: Vec<Toss>,
    interval: f64,
}

impl Options {
    /// Takes the options off a command line.
    pub fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let quick = arguments.flag("--quick");
        let mut extras = Extras {
            scale: arguments.flag("--scale"),
            inertia: arguments.flag("--inertia"),
            radius: arguments.flag("--radius"),
            tilt: arguments.flag("--tilt"),
            static_friction: arguments.flag("--static-friction"),
        };
        let contact_alone = arguments.flag("--contact");
        if contact_alone && extras != Extras::default() {
            return Err("--contact excludes the other options of what to estimate".into());
        }
        if !contact_alone && extras == Extras::default() {
            extras = Extras::BEST;
        }
        let options = Options {
            extras,
            data: arguments.option("--data")?,
            test: arguments.option("--test")?,
            json: arguments.output_file("--json")?,
            substeps: arguments.option("--substeps")?.unwrap_or(4),
            fit_tosses: (arguments.option("--fit-tosses")?).unwrap_or(if quick {
                6
            } else {
                usize::MAX
            }),
            out: arguments.output_folder()?,
        };
        if options.substeps == 0 || options.fit_tosses == 0 {
            return Err("--substeps and --fit-tosses must be at least 1".into());
        }
        Ok(options)
    }
    /// Reads the tosses.
    pub fn load(&self) -> Result<Data, Failure> {
        let data = match &self.data {
            Some(path) => tosses::read(path)?,
            None => tosses::parse("examples/data/mujoco_tosses.csv", EMBEDDED)?,
        };
        let interval = data[0].interval();
        let (mut fitted, test): (Vec<Toss>, Vec<Toss>) = match &self.test {
            Some(path) => (data, tosses::read(path)?),
            None => {
                let (even, odd): (Vec<_>, Vec<_>) =
                    (data.into_iter().enumerate()).partition(|(i, _)| i % 2 == 0);
                let tosses = |numbered: Vec<(usize, Toss)>| {
                    numbered.into_iter().map(|(_, toss)| toss).collect()
                };
                (tosses(even), tosses(odd))
            }
        };
        if test.is_empty() {
            return Err("one toss alone cannot be fitted and tested, give --test".into());
        }
        fitted.truncate(self.fit_tosses);
        let slower = (fitted.iter().chain(&test))
            .find(|toss| (toss.interval() - interval).abs() > 0.01 * interval);
        if let Some(toss) = slower {
            return Err(format!(
                "toss {} has a sample every {} s, the others every {interval} s",
                toss.number,
                toss.interval()
            )
            .into());
        }
        Ok(Data {
            fitted,
            test,
            interval,
        })
    }

    /// The model of the tosses.
    pub fn cube(&self, data: &Data) -> Result<Cube, Failure> {
        Cube::new(data.interval, self.substeps, self.extras)
    }
}
