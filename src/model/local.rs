//! Models in a directory on the server, computed in this process. Opened on first use and kept for the backend's life.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use kb_rag_core::model_name::ModelName;
use kb_rag_core::plural::counted;
use kb_rag_encoder::{Encoder, InputType};

use super::{DEFAULT, near};
use crate::error::{Error, Result};
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::role;
use crate::settings;

/// A model whose files are open.
pub struct LocalModel {
    pub name: ModelName,
    pub encoder: Rc<Encoder>,
}

/// The models that kb_rag has packages of, installed or not.
pub const PACKAGED: [&str; 2] = [DEFAULT, "local/multilingual-e5-small"];

thread_local! {
    static OPEN: RefCell<HashMap<PathBuf, Rc<Encoder>>> = RefCell::new(HashMap::new());
}

/// Opens `directory` of the directories of models, or returns the model if it is already open.
pub fn open(name: &ModelName, directory: &str) -> Result<LocalModel> {
    let roots = settings::model_directories();
    if !is_plain_name(directory) {
        return Err(unknown(name, &roots));
    }
    let paths: Vec<PathBuf> = roots.iter().map(|root| root.join(directory)).collect();
    // Those that are open stay so, even if their files are gone.
    if let Some(encoder) = OPEN.with_borrow(|open| paths.iter().find_map(|path| open.get(path).cloned())) {
        return Ok(LocalModel { name: name.clone(), encoder });
    }
    let path = paths.into_iter().find(|path| path.is_dir()).ok_or_else(|| unknown(name, &roots))?;
    let encoder = Encoder::open(&path).map(Rc::new).map_err(|e| {
        Error::not_ready(format!("model \"{name}\" cannot be opened"))
            .detail(e.to_string())
            .hint("Install the model's files again, for example with make install.")
    })?;
    OPEN.with_borrow_mut(|open| open.insert(path, encoder.clone()));
    Ok(LocalModel { name: name.clone(), encoder })
}

/// Only a name directly below a directory of models: no separator, no hidden directory.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// The names of the installed models.
pub fn installed() -> Vec<String> {
    let mut found: Vec<String> = settings::model_directories()
        .into_iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("local/{}", entry.file_name().to_string_lossy()))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn unknown(name: &ModelName, roots: &[PathBuf]) -> Error {
    let found = installed();
    if !found.is_empty() {
        if PACKAGED.contains(&name.as_str()) {
            return Error::not_found(format!("model \"{name}\" is not installed")).hint(format!(
                "Install its package, or run make install MODELS={}; installed local models: {}.",
                name.model(),
                found.join(", ")
            ));
        }
        return Error::not_found(format!("model \"{name}\" does not exist"))
            .hint(near::hint(name, format!("Installed local models: {}.", found.join(", "))));
    }
    let error = Error::not_ready(format!("model \"{name}\" is not installed"))
        .hint("No local model is installed: run make install, or set kb_rag.model_path.");
    // Only superusers may see the setting.
    if role::is_superuser(role::current_role()) {
        let places: Vec<String> = roots.iter().map(|root| format!("\"{}\"", root.display())).collect();
        error.detail(format!("Looked in {}.", places.join(", ")))
    } else {
        error
    }
}

impl LocalModel {
    /// The vector of one text. Where fewer dimensions are requested, it is cut to the first `dimensions` numbers and
    /// scaled to length 1 again.
    pub fn embed(&self, text: &str, dimensions: usize, input: InputType) -> Result<Vec<f32>> {
        let mut vector = self.encoder.encode(text, input, &mut check_for_interrupts).map_err(|e| {
            Error::not_ready(format!("model \"{}\" cannot embed", self.name)).detail(e.to_string())
        })?;
        if dimensions < vector.len() {
            vector.truncate(dimensions);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            if !length.is_normal() {
                return Err(Error::bad_vector(format!(
                    "the vector cut to {} is all zeros",
                    counted(dimensions, "dimension")
                )));
            }
            vector.iter_mut().for_each(|x| *x /= length);
        }
        Ok(vector)
    }
}
