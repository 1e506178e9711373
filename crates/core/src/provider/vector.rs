//! Checks vectors and converts them to the requested length and dimensions.

use super::{Batch, Fault};

/// Checks, truncates and normalizes the vectors of a batch, in the order of its texts. `asked` is the number
/// of dimensions requested from the provider, if any. Numbers that are not finite, and zeros, concern one text; an
/// error concerns all of them.
pub fn check(
    vectors: Vec<Vec<f32>>,
    batch: &Batch,
    asked: Option<usize>,
) -> Result<Vec<Result<Vec<f32>, Fault>>, Fault> {
    if vectors.len() != batch.texts.len() {
        return Err(Fault::Count { expected: batch.texts.len(), found: vectors.len() });
    }
    let first = vectors.first().map_or(0, Vec::len);
    vectors.iter().try_for_each(|vector| check_dimensions(vector.len(), first, batch, asked))?;
    let usable = |(text, vector)| use_vector(text, vector, batch.dimensions);
    let vectors: Vec<_> = vectors.into_iter().enumerate().map(usable).collect();
    match vectors.first() {
        Some(Err(fault)) if vectors.iter().all(Result::is_err) => Err(fault.clone()),
        _ => Ok(vectors),
    }
}

/// Truncates and normalizes the vector of one text.
fn use_vector(text: usize, mut vector: Vec<f32>, dimensions: usize) -> Result<Vec<f32>, Fault> {
    if vector.iter().any(|number| !number.is_finite()) {
        return Err(Fault::NotFinite(Some(text)));
    }
    if dimensions > 0 {
        vector.truncate(dimensions);
    }
    normalize(&mut vector).ok_or(Fault::Zero(text))?;
    Ok(vector)
}

/// A longer vector may be truncated if it comes from this model: one that ignored the request for fewer
/// dimensions, or has no such option. The first numbers of another model's vector mean nothing.
fn check_dimensions(found: usize, first: usize, batch: &Batch, asked: Option<usize>) -> Result<(), Fault> {
    let wanted = batch.dimensions;
    let expected = match wanted {
        0 => batch.natural.unwrap_or(first),
        _ => asked.unwrap_or(wanted),
    };
    let known = batch.natural.is_none_or(|natural| found == natural);
    let fits = found == expected || found == wanted || (wanted > 0 && found > wanted && known);
    // All vectors of an answer come from the same model.
    if fits && found == first && found > 0 { Ok(()) } else { Err(Fault::Dimension { expected, found }) }
}

/// Brings a vector to length 1; `None` when it is zero.
fn normalize(vector: &mut [f32]) -> Option<()> {
    // Squares of 32-bit floats neither overflow nor vanish in 64 bits.
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if length == 0.0 {
        return None;
    }
    vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    fn checked(
        vectors: &[&[f32]],
        dimensions: usize,
        natural: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, Fault> {
        read(vectors, dimensions, natural)?.into_iter().collect()
    }

    fn read(
        vectors: &[&[f32]],
        dimensions: usize,
        natural: Option<usize>,
    ) -> Result<Vec<Result<Vec<f32>, Fault>>, Fault> {
        let texts = vec!["text".to_owned(); vectors.len()];
        let batch = Batch { model: "m", texts: &texts, dimensions, natural, input: Input::Document };
        check(vectors.iter().map(|vector| vector.to_vec()).collect(), &batch, None)
    }

    #[test]
    fn one_that_is_not_finite_or_zero_leaves_the_others() {
        for (wrong, fault) in [([0.0, f32::NAN], Fault::NotFinite(Some(1))), ([0.0; 2], Fault::Zero(1))] {
            let read = read(&[&[3.0, 4.0], &wrong, &[0.0, 2.0]], 2, None);
            assert_eq!(read, Ok(vec![Ok(vec![0.6, 0.8]), Err(fault), Ok(vec![0.0, 1.0])]));
        }
        let all = read(&[&[f32::NAN, 1.0], &[0.0, 0.0]], 2, None);
        assert_eq!(all, Err(Fault::NotFinite(Some(0))));
    }

    #[test]
    fn have_length_one_whatever_came() {
        assert_eq!(checked(&[&[3.0, 4.0]], 2, None), Ok(vec![vec![0.6, 0.8]]));
        assert_eq!(checked(&[&[f32::MAX, f32::MAX]], 2, None).unwrap()[0], [0.70710677; 2]);
        assert_eq!(checked(&[&[1e-45, 0.0]], 2, None), Ok(vec![vec![1.0, 0.0]]));
    }

    #[test]
    fn longer_ones_of_the_model_are_cut() {
        assert_eq!(checked(&[&[3.0, 4.0, 5.0]], 2, None), Ok(vec![vec![0.6, 0.8]]));
        assert_eq!(checked(&[&[3.0, 4.0, 5.0]], 2, Some(3)), Ok(vec![vec![0.6, 0.8]]));
    }

    #[test]
    fn those_of_another_model_are_refused() {
        let fault = |expected, found| Err(Fault::Dimension { expected, found });
        assert_eq!(checked(&[&[3.0, 4.0, 5.0]], 2, Some(4)), fault(2, 3));
        assert_eq!(checked(&[&[3.0]], 2, None), fault(2, 1));
        assert_eq!(checked(&[&[]], 2, None), fault(2, 0));
        assert_eq!(checked(&[&[1.0, 2.0], &[1.0, 2.0, 3.0]], 2, None), fault(2, 3));
    }

    #[test]
    fn zero_takes_what_comes() {
        assert_eq!(checked(&[&[3.0, 4.0], &[0.0, 1.0]], 0, None), Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));
        assert_eq!(checked(&[&[3.0], &[0.0, 1.0]], 0, None), Err(Fault::Dimension { expected: 1, found: 2 }));
        assert_eq!(checked(&[&[3.0]], 0, Some(2)), Err(Fault::Dimension { expected: 2, found: 1 }));
        assert_eq!(checked(&[&[]], 0, None), Err(Fault::Dimension { expected: 0, found: 0 }));
    }

    #[test]
    fn name_the_text_that_is_wrong() {
        assert_eq!(checked(&[&[3.0, 4.0], &[0.0, f32::NAN]], 2, None), Err(Fault::NotFinite(Some(1))));
        assert_eq!(
            checked(&[&[3.0, 4.0], &[0.0, f32::NEG_INFINITY]], 2, None),
            Err(Fault::NotFinite(Some(1)))
        );
        assert_eq!(checked(&[&[3.0, 4.0], &[0.0, 0.0]], 2, None), Err(Fault::Zero(1)));
        // Zero only after truncation.
        assert_eq!(checked(&[&[0.0, 0.0, 1.0]], 2, None), Err(Fault::Zero(0)));
    }
}
