//! Vectors that users bring along, for cosine distance.

/// Why a vector is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has this many dimensions.
    Dimensions(usize),
    /// It contains NaN or infinity.
    NotFinite,
    /// It has no direction.
    Zero,
}

/// A vector of `dimensions` numbers scaled to length 1. One of nearly that length stays as it is.
pub fn unit(values: &[f32], dimensions: usize) -> Result<Vec<f32>, Fault> {
    /// Models give lengths as close to 1 as this.
    const TOLERANCE: f64 = 1e-3;
    if values.len() != dimensions {
        return Err(Fault::Dimensions(values.len()));
    }
    if !values.iter().all(|x| x.is_finite()) {
        return Err(Fault::NotFinite);
    }
    // In f64, the squares of the least and the greatest f32 neither vanish nor overflow.
    let length = values.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(Fault::Zero);
    }
    if (length - 1.0).abs() <= TOLERANCE {
        return Ok(values.to_vec());
    }
    Ok(values.iter().map(|&x| (f64::from(x) / length) as f32).collect())
}

/// Whether two vectors of length 1 differ by no more than rounding to 16 bits does.
pub fn are_same(a: &[f32], b: &[f32]) -> bool {
    const MAX_DISTANCE: f64 = 1e-3;
    let squares = a.iter().zip(b).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2));
    a.len() == b.len() && squares.sum::<f64>() <= MAX_DISTANCE * MAX_DISTANCE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_no_direction_is_refused() {
        assert_eq!(unit(&[1.0], 2), Err(Fault::Dimensions(1)));
        assert_eq!(unit(&[], 2), Err(Fault::Dimensions(0)));
        assert_eq!(unit(&[0.0, -0.0], 2), Err(Fault::Zero));
        assert_eq!(unit(&[1.0, f32::NAN], 2), Err(Fault::NotFinite));
        assert_eq!(unit(&[f32::INFINITY, 0.0], 2), Err(Fault::NotFinite));
    }

    #[test]
    fn extremes_keep_their_direction() {
        assert_eq!(unit(&[f32::MAX, 0.0], 2), Ok(vec![1.0, 0.0]));
        assert_eq!(unit(&[0.0, f32::from_bits(1)], 2), Ok(vec![0.0, 1.0]));
        assert_eq!(unit(&[3.0, 4.0], 2), Ok(vec![0.6, 0.8]));
    }

    #[test]
    fn a_vector_of_a_model_stays_as_it_is() {
        assert_eq!(unit(&[0.6, 0.8001], 2), Ok(vec![0.6, 0.8001]));
    }

    proptest! {
        #[test]
        fn the_length_is_one(values in prop::collection::vec(-1e30_f32..1e30, 1..40)) {
            if let Ok(vector) = unit(&values, values.len()) {
                let length = vector.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
                prop_assert!((length - 1.0).abs() < 2e-3);
                prop_assert!(are_same(&vector, &vector));
            }
        }

        #[test]
        fn a_scaled_vector_is_the_same(values in prop::collection::vec(-1.0_f32..1.0, 2..40), factor in 0.01_f32..100.0) {
            let scaled: Vec<f32> = values.iter().map(|x| x * factor).collect();
            if let (Ok(a), Ok(b)) = (unit(&values, values.len()), unit(&scaled, values.len())) {
                // Each may be as far from length 1 as is tolerated.
                let cosine: f64 = a.iter().zip(&b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
                prop_assert!(cosine > 0.99);
            }
        }

        #[test]
        fn another_direction_is_not_the_same(values in prop::collection::vec(0.1_f32..1.0, 2..40)) {
            let a = unit(&values, values.len()).unwrap();
            let mut other = a.clone();
            other[0] = -other[0];
            prop_assert!(!are_same(&a, &other));
            prop_assert!(!are_same(&a, &a[1..]));
        }
    }
}
