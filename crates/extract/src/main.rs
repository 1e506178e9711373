//! kb-rag-extract: reads a file from standard input and writes its text to standard output, in the frames of
//! [`kb_rag_core::extract_protocol`]. The server starts it for each file. It reads nothing before it has given up its privileges.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod hypot;
mod memory;
mod sandbox;
mod serve;

use std::process::ExitCode;

#[global_allocator]
static MEMORY: memory::Limited = memory::Limited;

const USAGE: &str = "\
kb-rag-extract reads files for the PostgreSQL extension kb_rag, which starts it.

usage: kb-rag-extract --version
       kb-rag-extract --check-sandbox FILE  shows what the kernel denies to it: each line must say \"denied\"
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--version"] => {
            println!("kb-rag-extract {}", serve::VERSION);
            ExitCode::SUCCESS
        }
        ["--check-sandbox", file] => sandbox::check(file),
        ["--serve", parent] => serve::serve(parent),
        ["--help"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
