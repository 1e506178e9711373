//! Tests of the glue that only a backend can run: values through pgrx and back. Everything a user sees is tested in
//! tests/pg_regress.

// Tests: clippy does not see it where pgrx builds them into the library.
#![allow(clippy::unwrap_used)]

use pgrx::prelude::*;

use crate::jsonb::Jsonb;
use crate::vector::Vector;

#[pg_schema]
mod tests {
    use super::*;

    fn datum_round_trip<T: IntoDatum + FromDatum>(value: T) -> T {
        let datum = value.into_datum().unwrap();
        // SAFETY: the datum was made from a T just now.
        unsafe { T::from_datum(datum, false).unwrap() }
    }

    #[pg_test]
    fn a_vector_survives_a_datum() {
        for vector in [vec![1.0], vec![0.5, -0.25, 1e-30], (0..2000).map(|n| n as f32).collect()] {
            assert_eq!(datum_round_trip(Vector(vector.clone())).0, vector);
        }
    }

    #[pg_test]
    fn a_jsonb_survives_a_datum_and_knows_what_it_is() {
        for (text, is_object, is_empty) in [
            ("{}", true, true),
            ("{\"a\": [1, {\"b\": null}], \"n\": 12345678901234567890.5}", true, false),
            ("[]", false, false),
            ("[{}]", false, false),
            ("1", false, false),
            ("null", false, false),
        ] {
            let value = Spi::get_one_with_args::<Jsonb>("SELECT $1::jsonb", &[text.into()]).unwrap().unwrap();
            assert_eq!((value.is_object(), value.is_empty_object()), (is_object, is_empty), "{text}");
            let same = Spi::get_one_with_args::<bool>(
                "SELECT $1::jsonb = $2::jsonb",
                &[datum_round_trip(value).into(), text.into()],
            );
            assert_eq!(same, Ok(Some(true)), "{text}");
        }
    }

    #[pg_test]
    fn identifiers_are_version_7_and_ordered_by_time() {
        let first = crate::uuid::v7().unwrap();
        Spi::run("SELECT pg_catalog.pg_sleep(0.002)").unwrap();
        let second = crate::uuid::v7().unwrap();
        assert!(first < second);
        assert_eq!((first.as_bytes()[6] >> 4, first.as_bytes()[8] >> 6), (7, 2));
    }
}
