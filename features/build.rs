//! Without a build script cargo would not count the build dependencies.

fn main() {}
