//! The vendors' own programs: installed by the binary under test from npm's registry, without npm and Node, and greeted in
//! their own languages. The first run downloads some 400 MB into the cache of `sa_testkit::installed`; later runs need no network.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod amp;
mod greeting;
mod model;
mod run;
mod usage;
mod versions;
