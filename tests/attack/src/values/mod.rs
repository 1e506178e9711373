//! Hostile values by type, as SQL that stays short however large the value is.

mod pools;

use crate::catalog::Argument;
use crate::random::Random;
use pools::*;

/// Generates values from random choices.
pub struct Values<'a> {
    /// The choices.
    pub random: &'a mut Random,
    /// Knowledge bases; an argument that names a base usually gets one of these.
    pub bases: &'a [&'a str],
}

impl Values<'_> {
    /// A value for an argument or a column; one in ten is NULL.
    pub fn for_argument(&mut self, argument: &Argument) -> String {
        let Argument { name, type_name, modifier } = argument;
        let value = if self.random.percent(10) {
            "NULL".to_string()
        } else {
            self.not_null(name, type_name, *modifier)
        };
        format!("({value})::{type_name}")
    }

    /// One type for all arguments of a call that accept any type.
    pub fn any_type(&mut self) -> &'static str {
        self.random.pick(ANY).0
    }

    fn not_null(&mut self, name: &str, type_name: &str, modifier: i32) -> String {
        if name == "knowledge_base" || name == "name" && type_name == "pg_catalog.text" {
            return self.base();
        }
        if let Some(word) = self.word(name) {
            return word;
        }
        let quoted = |values: &[&str], random: &mut Random| format!("'{}'", random.pick(values));
        let bare = type_name.rsplit('.').next().unwrap_or_default();
        match bare {
            "text" | "varchar" | "bpchar" => self.text(),
            "jsonb" | "json" => self.random.pick(JSON).to_string(),
            "int2" | "int4" | "int8" | "oid" | "numeric" => quoted(INTEGERS, self.random),
            "float4" | "float8" => quoted(FLOATS, self.random),
            "bool" => self.random.pick(&["true", "false"]).to_string(),
            "uuid" => self.random.pick(UUIDS).to_string(),
            "regclass" => self.random.pick(TABLES).to_string(),
            "regconfig" => self.random.pick(CONFIGURATIONS).to_string(),
            "name" => self.random.pick(NAMES).to_string(),
            "interval" => quoted(INTERVALS, self.random),
            "timestamptz" | "timestamp" => quoted(TIMES, self.random),
            "vector" | "halfvec" => self.vector(modifier),
            "tsvector" => self.random.pick(TSVECTORS).to_string(),
            "bytea" => self.random.pick(BYTES).to_string(),
            "_text" => self.random.pick(TEXT_ARRAYS).to_string(),
            "_uuid" => self.random.pick(UUID_ARRAYS).to_string(),
            "_name" => self.random.pick(NAME_ARRAYS).to_string(),
            "_int4" | "_int8" | "_float4" | "_float8" => self.random.pick(NUMBER_ARRAYS).to_string(),
            _ => match ANY.iter().find(|(any, _)| *any == type_name) {
                Some((_, values)) => self.random.pick(values).to_string(),
                // A type that is not in the lists: NULL is valid for every type.
                None => "NULL".to_string(),
            },
        }
    }

    fn base(&mut self) -> String {
        match self.random.below(20) {
            0 => self.text(),
            1 => "'gone'".to_string(),
            _ => format!("'{}'", self.random.pick(self.bases)),
        }
    }

    /// A word that is valid for an argument of this name, in four of five cases.
    fn word(&mut self, name: &str) -> Option<String> {
        let known = WORDS.iter().find(|(part, _)| !name.is_empty() && name.contains(part))?.1;
        self.random.percent(80).then(|| format!("'{}'", self.random.pick(known)))
    }

    fn text(&mut self) -> String {
        if self.random.percent(20) {
            return self.any_characters();
        }
        self.random.pick(TEXTS).to_string()
    }

    /// Code points of all planes.
    fn any_characters(&mut self) -> String {
        let mut text = "U&'".to_string();
        for _ in 0..self.random.below(40) {
            let code = match self.random.below(3) {
                0 => self.random.within(1, 0xd7ff),
                1 => self.random.within(1, 0x7f),
                _ => self.random.within(0xe000, 0x10_ffff),
            };
            text.push_str(&format!("\\+{code:06x}"));
        }
        text + "'"
    }

    /// A vector of the right length in half of the cases where that is known.
    fn vector(&mut self, dimensions: i32) -> String {
        if dimensions > 0 && self.random.percent(50) {
            let number = self.random.pick(&["0", "1", "-1", "1e-45", "3e38", "1e20"]);
            return format!("array_fill({number}::float4, ARRAY[{dimensions}])");
        }
        self.random.pick(VECTORS).to_string()
    }
}
