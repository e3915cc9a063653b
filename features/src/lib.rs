//! Nothing: what matters is the manifest.
