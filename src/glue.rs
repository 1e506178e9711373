//! Tests of what only a backend can run: values through pgrx and back. tests/pg_regress tests what users see.

// These are tests, which clippy does not recognise where pgrx builds them into the library.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use pgrx::prelude::*;

use crate::base::Settings;
use crate::choice::Choice;
use crate::chunking::ChunkSettings;
use crate::jsonb::Jsonb;
use crate::search::STANDARD_RRF_K;
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

    /// The defaults of the arguments of a function, as text; None for NULL.
    fn argument_defaults(function: &str) -> HashMap<String, Option<String>> {
        let name = |n: i16| format!("SELECT proargnames[{n}] FROM pg_proc WHERE proname = '{function}'");
        let expression = |n: i16| {
            format!("SELECT pg_get_function_arg_default(oid, {n}) FROM pg_proc WHERE proname = '{function}'")
        };
        let mut defaults = HashMap::new();
        for n in 1..=32 {
            if let Some(expression) = Spi::get_one::<String>(&expression(n)).unwrap() {
                let argument = Spi::get_one::<String>(&name(n)).unwrap().unwrap();
                let value = Spi::get_one::<String>(&format!("SELECT ({expression})::text")).unwrap();
                defaults.insert(argument, value);
            }
        }
        defaults
    }

    #[pg_test]
    fn the_defaults_of_sql_are_those_of_the_settings() {
        let settings = Settings::default();
        let of_create = argument_defaults("kb_create");
        let of_configure = argument_defaults("kb_configure");
        for (name, value) in settings.values() {
            let expected = match name {
                // They depend on the session and the model; NULL stands for the default.
                "model" | "dimensions" | "text_config" => None,
                _ => Some(value.to_string()).filter(|text| text != "NULL"),
            };
            assert_eq!(of_create[name], expected, "kb_create: {name}");
            assert_eq!(of_configure[name], None, "kb_configure: {name}");
        }
        let of_chunk = argument_defaults("kb_chunk");
        let ChunkSettings { size, overlap, unit, .. } = settings.chunks;
        assert_eq!(of_chunk["chunk_size"], Some(size.to_string()));
        assert_eq!(of_chunk["chunk_overlap"], Some(overlap.to_string()));
        assert_eq!(of_chunk["unit"].as_deref(), Some(unit.name()));
        for function in ["kb_search", "kb_hybrid_search"] {
            assert_eq!(argument_defaults(function)["rrf_k"], Some(STANDARD_RRF_K.to_string()));
        }
    }

    thread_local! {
        /// How many parameters each planned statement had; None where it got no list.
        static PLANNED: std::cell::RefCell<Vec<Option<i32>>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    #[pg_guard]
    unsafe extern "C-unwind" fn note_parameters(
        query: *mut pgrx::pg_sys::Query,
        text: *const std::ffi::c_char,
        options: i32,
        parameters: pgrx::pg_sys::ParamListInfo,
    ) -> *mut pgrx::pg_sys::PlannedStmt {
        // SAFETY: as PostgreSQL calls a planner.
        unsafe {
            PLANNED.with_borrow_mut(|planned| planned.push(parameters.as_ref().map(|list| list.numParams)));
            pgrx::pg_sys::standard_planner(query, text, options, parameters)
        }
    }

    /// Other extensions that plan statements copy the parameter list. As in PostgreSQL, a statement without parameters
    /// must have no list.
    #[pg_test]
    fn a_statement_without_parameters_is_planned_without_a_list() {
        use crate::spi::{Access, Arg, Planning, connect};
        // SAFETY: restored below; statements planned in between are planned as before.
        unsafe { pgrx::pg_sys::planner_hook = Some(note_parameters) };
        let rows = connect(|c| {
            let mut rows = 0;
            let mut count = |_: &crate::spi::Slot| {
                rows += 1;
                Ok(())
            };
            c.stream("SELECT 1", Access::Read, Planning::Custom, &[], &mut count)?;
            c.stream("SELECT $1", Access::Read, Planning::Custom, &[Arg::new(1)], &mut count)?;
            Ok(rows)
        });
        // SAFETY: as above.
        unsafe { pgrx::pg_sys::planner_hook = None };
        assert_eq!(rows.unwrap(), 2);
        assert_eq!(PLANNED.take(), [None, Some(1)]);
    }
}
