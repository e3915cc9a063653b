//! Poses of bodies as a table.

use super::scene::Scene;
use crate::io::{quoted, write_whole};
use std::io::{Error, Write};
use std::path::Path;

impl Scene {
    /// Writes the poses of the bodies as CSV into a file, whole or not at all: a row for each frame of a
    /// motion and body, with the columns `motion`, `body`, `time` in s, `x`, `y`, `z` in m and the
    /// quaternion `qw`, `qx`, `qy`, `qz`, in single precision.
    ///
    /// # Errors
    /// Those of the file system; a file that was there before is then as it was.
    pub fn save_csv(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_whole(path.as_ref(), |file| {
            writeln!(file, "motion,body,time,x,y,z,qw,qx,qy,qz")?;
            for (index, motion) in self.motions.iter().enumerate() {
                let bodies: Vec<_> = self.bodies.iter().filter(|b| b.motion == index).collect();
                for (time, poses) in motion.times.iter().zip(&motion.poses) {
                    for (body, [x, y, z, qx, qy, qz, qw]) in bodies.iter().zip(poses) {
                        let (motion, body) = (quoted(&motion.name), quoted(&body.name));
                        writeln!(
                            file,
                            "{motion},{body},{time},{x},{y},{z},{qw},{qx},{qy},{qz}"
                        )?;
                    }
                }
            }
            Ok(())
        })
    }
}
