//! Where an element is not smooth.

/// How far a force element, an actuator or a sensor is from a state at which its force or its output
/// is not smooth.
///
/// On the kink itself, at a distance of zero, derivatives are those of one side, which the element's
/// documentation names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementKink<'a> {
    /// The name of the element.
    pub element: &'a str,
    /// What changes there, in words: `"upper stop"`.
    pub change: &'static str,
    /// How far the quantity is from where that happens, in `unit`; never negative.
    pub distance: f64,
    /// The SI unit of the quantity.
    pub unit: &'static str,
    /// The lowest order of derivatives that jumps: 0 if the force or the output itself does.
    pub order: usize,
}

impl<'a> ElementKink<'a> {
    /// Whether the element is on the kink, so that its derivatives are those of one side.
    pub fn is_one_sided(&self) -> bool {
        self.distance == 0.0
    }

    /// The one of the smaller distance, compared as numbers in SI units.
    pub(crate) fn nearer(self, other: Option<Self>) -> Option<Self> {
        match other {
            Some(other) if other.distance <= self.distance => Some(other),
            _ => Some(self),
        }
    }
}
