//! Marks places in a text.

use std::ops::Range;

/// Places of a text, given in bytes in any order, in their order. Those that overlap or touch become one. A place that is not one of
/// the text is left out.
pub fn joined(text: &str, mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.retain(|place| place.start < place.end && text.get(place.clone()).is_some());
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut().filter(|last| place.start <= last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => joined.push(place),
        }
    }
    joined
}

/// The text with `marks` before and after each of the places, as [`joined`] gives them.
pub fn highlighted(text: &str, joined: &[Range<usize>], marks: [&str; 2]) -> String {
    let [start, stop] = marks;
    let mut marked = String::with_capacity(text.len() + joined.len() * (start.len() + stop.len()));
    let mut from = 0;
    for place in joined {
        marked.push_str(text.get(from..place.start).unwrap_or_default());
        marked.push_str(start);
        marked.push_str(text.get(place.clone()).unwrap_or_default());
        marked.push_str(stop);
        from = place.end;
    }
    marked.push_str(text.get(from..).unwrap_or_default());
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_marked_once() {
        let marks = ["<", ">"];
        let marked = |text: &str, places| highlighted(text, &joined(text, places), marks);
        assert_eq!(marked("a bc d", vec![2..4, 0..1, 2..3]), "<a> <bc> d");
        assert_eq!(marked("知识库", vec![3..9, 0..6]), "<知识库>");
        assert_eq!(marked("é", vec![0..1, 1..2, 5..9, 0..0]), "é");
    }

    proptest! {
        #[test]
        fn the_text_stays(text in "[a-zé知 ]{0,20}", places in prop::collection::vec((0usize..30, 0usize..30), 0..6)) {
            let places = places.into_iter().map(|(start, end)| start..end).collect();
            let marked = highlighted(&text, &joined(&text, places), ["<", ">"]);
            prop_assert_eq!(marked.replace(['<', '>'], ""), text);
            let marks: String = marked.chars().filter(|c| "<>".contains(*c)).collect();
            prop_assert_eq!(&marks, &"<>".repeat(marks.len() / 2));
        }
    }
}
