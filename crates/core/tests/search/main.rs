//! The policy of searching, against a simulated database.

// Helpers of tests fail their test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arbitrary;
mod asked;
mod gates;
mod model;
mod results;
mod spread;
mod world;
