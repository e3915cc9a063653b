//! Time steps with actuators and sensors, their gradients and recordings.

mod discrete_plant;
mod plant_adjoint;
mod recording;

pub use discrete_plant::{DiscretePlant, PlantWorkspace};
pub use plant_adjoint::{PlantAdjoint, PlantGradient, PlantObjective};
pub use recording::Recording;
