//! `kb-rag-quantize MODEL_DIRECTORY` makes `model.int8.safetensors` from the `model.safetensors` in that
//! directory. `kb-rag-quantize --check MODEL_DIRECTORY` writes nothing there: it embeds a few texts, compares
//! the vectors of the two, and prints what the model is.

mod check;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kb_rag_encoder::{Variant, quantize};

fn main() -> ExitCode {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let is_check = arguments.first().is_some_and(|argument| argument.as_os_str() == "--check");
    arguments.drain(..usize::from(is_check));
    let [directory] = arguments.as_slice() else {
        eprintln!("usage: kb-rag-quantize [--check] MODEL_DIRECTORY");
        return ExitCode::from(2);
    };
    match if is_check { check::check(directory) } else { run(directory) } {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("kb-rag-quantize: {line}");
            ExitCode::FAILURE
        }
    }
}

fn run(directory: &Path) -> Result<String, String> {
    let bytes = quantize(directory).map_err(|error| error.to_string())?;
    let path = directory.join(Variant::Int8.file());
    let megabytes = bytes.len() as f64 / 1e6;
    if fs::read(&path).is_ok_and(|present| present == bytes) {
        return Ok(format!("{}: up to date, {megabytes:.1} MB", path.display()));
    }
    replace(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("{}: written, {megabytes:.1} MB", path.display()))
}

/// Writes a file beside `path` and renames it, so that a process that has mapped the old file keeps it
/// intact.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    let written = File::create_new(&new)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // If both steps fail, the first error is the one to report.
        let _ = fs::remove_file(&new);
    }
    written
}
