//! Programs and their settings, by language.

use crate::file_kind::kind::{Handling, Kind};

/// A program in a language that has no row.
pub const SOURCE_CODE: Kind = code("source code", "");

/// JSON, also of types that are based on it.
pub const JSON: Kind =
    code("JSON", "json json5 jsonc").with_types("application/json application/json5 application/ld+json");

pub(super) const KINDS: [Kind; 67] = [
    SOURCE_CODE,
    JSON,
    code("Ada", "adb ads"),
    code("Assembler", "asm s"),
    code("Awk", "awk"),
    code("Batch", "bat cmd"),
    code("C", "c h"),
    code("C#", "cs"),
    code("C++", "cc cpp cxx hh hpp hxx"),
    code("Clojure", "clj cljs"),
    code("CMake", "cmake").with_names("cmakelists.txt"),
    code("Crystal", "cr"),
    code("CSS", "css").with_types("text/css"),
    code("CUDA", "cu"),
    code("D", "d"),
    code("Dart", "dart"),
    code("Docker", "").with_names("dockerfile"),
    code("Elixir", "ex exs"),
    code("Elm", "elm"),
    code("Emacs Lisp", "el"),
    code("Erlang", "erl hrl"),
    code("F#", "fs"),
    code("Fortran", "f90"),
    code("Go", "go"),
    code("GraphQL", "gql graphql").with_types("application/graphql"),
    code("Groovy", "gradle groovy").with_names("jenkinsfile"),
    code("Haskell", "hs"),
    code("HCL", "hcl tf"),
    code("INI", "cfg ini"),
    code("Java", "java"),
    code("JavaScript", "cjs js jsx mjs").with_types(
        "application/ecmascript application/javascript application/x-javascript text/ecmascript text/javascript",
    ),
    code("Julia", "jl"),
    code("Kotlin", "kt kts"),
    code("Less", "less"),
    code("Lisp", "lisp"),
    code("Lua", "lua"),
    code("Make", "").with_names("gnumakefile makefile"),
    code("Nim", "nim"),
    code("Nix", "nix"),
    code("Objective-C", "m mm"),
    code("OCaml", "ml mli"),
    code("Pascal", "pas"),
    code("Perl", "pl pm").with_types("application/x-perl"),
    code("PHP", "php").with_types("application/x-httpd-php application/x-php"),
    code("PowerShell", "ps1"),
    code("Protocol Buffers", "proto"),
    code("Python", "py pyi").with_types("application/x-python"),
    code("R", "r"),
    code("Racket", "rkt"),
    code("Ruby", "rb").with_names("gemfile rakefile vagrantfile").with_types("application/x-ruby"),
    code("Rust", "rs"),
    code("Sass", "sass scss"),
    code("Scala", "scala"),
    code("Scheme", "scm"),
    code("shell", "bash fish sh").with_types("application/x-sh application/x-shellscript"),
    code("Solidity", "sol"),
    code("SQL", "sql").with_types("application/sql"),
    code("Svelte", "svelte"),
    code("Swift", "swift"),
    code("Tcl", "tcl"),
    code("TOML", "toml").with_types("application/toml"),
    code("TypeScript", "ts tsx")
        .with_types("application/typescript application/x-typescript text/typescript"),
    code("Vim", "vim"),
    code("Visual Basic", "vb"),
    code("Vue", "vue"),
    code("YAML", "yaml yml").with_types("application/x-yaml application/yaml text/yaml"),
    code("Zig", "zig"),
];

const fn code(language: &'static str, endings: &'static str) -> Kind {
    Kind::new(language, Handling::Code, endings)
}
