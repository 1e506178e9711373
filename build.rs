//! How the library is linked, for every way to build it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // pgrx describes the SQL objects in a section that no code refers to. The linker must keep it: cargo-pgrx sets this
    // too, but as a flag of all crates, so that none could be shared with builds by cargo alone.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "macos") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--no-gc-sections");
    }
}
