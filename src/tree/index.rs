//! Typed indices of the elements of a tree.

macro_rules! element_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(usize);

        impl $name {
            /// The element at this position.
            pub const fn new(position: usize) -> Self {
                $name(position)
            }

            /// The position of the element, in the order in which elements were added.
            pub const fn get(self) -> usize {
                self.0
            }
        }
    };
}

element_index! {
    /// A body of a tree. Body 0 is the world.
    BodyIndex
}

element_index! {
    /// A joint of a tree.
    JointIndex
}

element_index! {
    /// A frame that was added to a tree.
    FrameIndex
}

impl BodyIndex {
    /// The world.
    pub const WORLD: BodyIndex = BodyIndex(0);
}
