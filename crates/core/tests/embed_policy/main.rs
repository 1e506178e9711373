//! The policy of the workers, against a simulated provider and simulated tables.

// Helpers of tests fail their test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod arbitrary;
mod faults;
mod manual;
mod owner_code;
mod poison;
mod provider;
mod sessions;
mod world;
