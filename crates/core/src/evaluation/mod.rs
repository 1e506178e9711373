//! Measuring searches on questions whose answers are known. Nothing here searches: ranks come in, figures go out.

pub mod copies;
pub mod draft;
pub mod figures;
pub mod quote;
pub mod random;
pub mod split;
pub mod statistics;

pub use figures::{Figures, MEASURES, Measure};
pub use quote::Quote;
pub use statistics::{Comparison, Interval, Verdict, holm};
