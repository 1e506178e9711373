//! The most informative lexemes of a long question.
//!
//! The inverse document frequency of a lexeme measures its information: the fewer chunks contain it, the more
//! it says. A question of thousands of words is ranked by its most informative lexemes, in bounded time.

/// The lexemes of a question that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Their indexes among the lexemes given, in ascending order.
    pub places: Vec<usize>,
    /// The number of other lexemes that occur in some chunk.
    pub left_out: usize,
}

/// Keeps at most `max` lexemes: those in the fewest chunks, ties by index. A lexeme that is in no chunk is
/// dropped, as it adds to no score. `frequencies` gives the number of chunks that contain each. With no more
/// than `max` lexemes, all are kept.
pub fn most_informative(frequencies: &[f64], max: usize) -> Kept {
    if frequencies.len() <= max {
        return Kept { places: (0..frequencies.len()).collect(), left_out: 0 };
    }
    let mut occurring: Vec<(usize, f64)> =
        frequencies.iter().copied().enumerate().filter(|(_, frequency)| *frequency > 0.0).collect();
    occurring.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let left_out = occurring.len().saturating_sub(max);
    let mut places: Vec<usize> = occurring.into_iter().take(max).map(|(place, _)| place).collect();
    places.sort_unstable();
    Kept { places, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::inverse_document_frequency;
    use proptest::prelude::*;

    #[test]
    fn a_short_question_stays_whole() {
        let kept = most_informative(&[0.0, 5.0, 3.0], 3);
        assert_eq!(kept, Kept { places: vec![0, 1, 2], left_out: 0 });
        assert_eq!(most_informative(&[], 3).places, Vec::<usize>::new());
    }

    #[test]
    fn a_long_one_keeps_what_is_rare_and_there() {
        let kept = most_informative(&[0.0, 5.0, 3.0, 1.0, 0.0, 3.0, f64::NAN, -1.0], 2);
        assert_eq!(kept, Kept { places: vec![2, 3], left_out: 2 });
        assert_eq!(most_informative(&[0.0, 0.0, 7.0], 1), Kept { places: vec![2], left_out: 0 });
    }

    proptest! {
        #[test]
        fn keeps_the_most_informative(
            counts in prop::collection::vec(0u8..12, 0..60),
            max in 0usize..40,
        ) {
            let frequencies: Vec<f64> = counts.iter().map(|count| f64::from(*count)).collect();
            let kept = most_informative(&frequencies, max);
            prop_assert_eq!(&kept, &most_informative(&frequencies, max));
            prop_assert!(kept.places.len() <= max);
            prop_assert!(kept.places.windows(2).all(|pair| pair[0] < pair[1]));
            if frequencies.len() <= max {
                prop_assert_eq!(kept.places.len(), frequencies.len());
                return Ok(());
            }
            let others: Vec<usize> = (0..frequencies.len()).filter(|place| !kept.places.contains(place)).collect();
            let idf = |place: &usize| inverse_document_frequency(12.0, frequencies[*place]);
            let occurs = |place: &&usize| frequencies[**place] > 0.0;
            prop_assert!(kept.places.iter().all(|place| occurs(&place)));
            prop_assert_eq!(others.iter().filter(occurs).count(), kept.left_out);
            let least = kept.places.iter().map(idf).fold(f64::INFINITY, f64::min);
            prop_assert!(others.iter().filter(occurs).all(|place| idf(place) <= least));
            prop_assert!(kept.left_out == 0 || kept.places.len() == max);
        }
    }
}
