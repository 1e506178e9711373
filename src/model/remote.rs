//! Models of providers, called over HTTP.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use kb_rag_core::model_name::ModelName;
use kb_rag_core::plural::counted;
use kb_rag_core::provider::{Answer, Batch, Call, Facts, Input, Kind, Limits, Reading, Refusal, batch};
use kb_rag_http::Response;
use pgrx::pg_sys;

use super::service::{Failure, Service};
use super::{MAX_DIMENSIONS, unknown};
use crate::error::{Error, Result};
use crate::postgres::spi::Access;
use crate::provider::Provider;

/// The most bytes of a response: for each number of its vectors, and for everything else.
const BYTES_PER_NUMBER: usize = 40;
const BYTES_AROUND: usize = 1 << 20;
/// The most bytes of any response, which the backend has to hold in memory.
const MAX_BYTES: usize = 128 << 20;
/// Numbers of a vector where the model's dimensions are not known.
const UNKNOWN_DIMENSIONS: usize = 8192;
/// The most models whose dimensions a backend remembers.
const KEPT_DIMENSIONS: usize = 256;
/// The text that is embedded to learn the dimensions of a model.
const SAMPLE: &str = "dimensions";

thread_local! {
    /// The dimensions of unrecognized models, by base URL and model.
    static DIMENSIONS: RefCell<HashMap<(String, String), i32>> = RefCell::default();
}

/// A model of a provider, with everything that a call needs: it reads neither catalog nor settings any more.
#[derive(Clone)]
pub struct RemoteModel {
    name: ModelName,
    kind: Kind,
    service: Service,
    limits: Limits,
    facts: Facts,
    cuts_unknown: bool,
    price_per_million: Option<f64>,
}

/// Finds a model for `role`. 42704 if there is no such provider, 42501 if the role may not use it, 55000 if its key is
/// missing.
pub fn open(name: &ModelName, role: pg_sys::Oid) -> Result<RemoteModel> {
    let provider = find(name, role)?;
    let kind = provider.embedding()?;
    let model = name.model();
    Ok(RemoteModel {
        kind,
        service: Service::from_provider(&provider)?,
        limits: provider.limits(kind, model),
        facts: kind.facts(model),
        cuts_unknown: false,
        price_per_million: provider.price_of(kind, model),
        name: name.clone(),
    })
}

/// The provider of a model, for `role`, whether or not it has a key.
pub fn find(name: &ModelName, role: pg_sys::Oid) -> Result<Provider> {
    let Some(found) = Provider::find(name.provider(), Access::Read)? else {
        return Err(no_provider(name)?);
    };
    if !is_model_name(name.model()) {
        return Err(Error::invalid(format!("model name \"{name}\" is not valid"))
            .hint("A model name may contain only letters, digits and - _ . : / @ +."));
    }
    if !found.may_use(role) {
        return Err(Error::denied(format!("permission denied for provider \"{}\"", name.provider()))
            .detail(format!(
                "The provider was not granted to role \"{}\".",
                crate::postgres::role::role_name(role)?
            ))
            .hint("The owner of the provider can grant it with kb_provider_grant.")
            .of_provider());
    }
    Ok(found)
}

/// The error for a model whose provider does not exist: it was dropped if a base uses it, otherwise the name may be wrong.
fn no_provider(name: &ModelName) -> Result<Error> {
    let provider = name.provider();
    if !crate::provider::is_in_use(provider)? {
        return Ok(unknown(name));
    }
    Ok(Error::not_found(format!("provider \"{provider}\" does not exist")).hint(
        "Create it again with kb_provider_set, or change the model of its knowledge bases with kb_configure.",
    ))
}

/// Whether a name can be part of a URL without leading elsewhere.
fn is_model_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.:/@+".contains(&b);
    name.len() <= 200
        && name.bytes().all(plain)
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

impl RemoteModel {
    /// The full name, `provider/model`.
    pub fn name(&self) -> &ModelName {
        &self.name
    }

    /// Whether both use the same URL and the same key.
    pub fn has_same_endpoint(&self, other: &RemoteModel) -> bool {
        self.service.is_same_endpoint(&other.service)
    }

    /// Allows cutting vectors of an unrecognized model. Not for stored vectors: all of them must come from one model.
    pub fn allow_truncation(&mut self) {
        self.cuts_unknown = true;
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        self.name.provider()
    }

    /// The provider's URL.
    pub fn base_url(&self) -> &str {
        self.service.base_url()
    }

    /// The limits of one call.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The cost of this many tokens, if the price is known.
    pub fn cost(&self, tokens: u64) -> Option<f64> {
        self.price_per_million.map(|price| price * tokens as f64 / 1e6)
    }

    /// The vectors of as many texts as one call takes, or why that of a text cannot be used. Checks for interrupts while it waits; issues no SQL and needs no
    /// transaction. Messages never contain the key.
    pub fn call(
        &self,
        texts: &[String],
        dimensions: usize,
        input: Input,
    ) -> std::result::Result<Reading, Refusal> {
        self.attempt(texts, dimensions, input).map_err(Failure::into_refusal)
    }

    fn attempt(
        &self,
        texts: &[String],
        dimensions: usize,
        input: Input,
    ) -> std::result::Result<Reading, Failure> {
        // For an unrecognized model, a vector longer than requested is rejected rather than cut: it may come from a
        // different model. For stored vectors, dimensions that this process happened to see do not matter.
        let must_fit = dimensions > 0 && !self.cuts_unknown;
        let natural = match must_fit {
            true => self.facts.dimensions.or(Some(dimensions)),
            false => self.natural_dimensions(),
        };
        let batch = Batch { model: self.name.model(), texts, dimensions, natural, input };
        let response = self.send(&self.kind.request(&batch), &batch)?;
        if response.status == 200 {
            return self.read(self.kind.read_answer(&response.body, &batch));
        }
        let Some(calls) = self.kind.fallback(response.status, &batch) else {
            return Err(self.service.refusal(self.kind, &response).into());
        };
        let mut bodies = Vec::with_capacity(calls.len());
        for call in &calls {
            let response = self.send(call, &batch)?;
            if response.status != 200 {
                return Err(self.service.refusal(self.kind, &response).into());
            }
            bodies.push(response.body);
        }
        self.read(self.kind.read_fallback(&bodies, &batch))
    }

    fn read<T>(&self, answer: std::result::Result<T, impl Into<Refusal>>) -> std::result::Result<T, Failure> {
        answer.map_err(|fault| Failure::Refused(self.service.without_secrets(fault.into())))
    }

    fn send(&self, call: &Call, batch: &Batch) -> std::result::Result<Response, Failure> {
        let numbers = batch.dimensions.max(self.natural_dimensions().unwrap_or(UNKNOWN_DIMENSIONS));
        let url = self.kind.url(self.service.base_url(), call);
        let limit = MAX_BYTES.min(BYTES_AROUND + batch.texts.len() * numbers * BYTES_PER_NUMBER);
        self.service.post(&url, &call.body, Duration::MAX, limit as u64)
    }

    /// The calls that some texts take.
    pub fn batches(&self, texts: &[String]) -> Vec<Range<usize>> {
        let lengths: Vec<usize> = texts.iter().map(String::len).collect();
        batch::split(&lengths, &self.limits)
    }

    /// The vectors of any number of texts, in as many calls as it takes.
    pub fn embed_batch(&self, texts: &[String], dimensions: i32, input: Input) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for range in self.batches(texts) {
            vectors.extend(self.answer(&texts[range], dimensions as usize, input)?.vectors);
        }
        Ok(vectors)
    }

    /// The answer to one call, or the error for the user.
    pub fn answer(&self, texts: &[String], dimensions: usize, input: Input) -> Result<Answer> {
        self.attempt(texts, dimensions, input)
            .and_then(|reading| self.read(reading.whole()))
            .map_err(|failure| self.service.error(failure))
    }

    /// The response for one text, with any number of dimensions.
    pub fn try_text(&self, text: &str) -> Result<Answer> {
        let anything = RemoteModel { facts: Facts { dimensions: None, ..self.facts }, ..self.clone() };
        anything.answer(&[text.to_string()], 0, Input::Document)
    }

    /// Warns if there is a reason not to use the model.
    pub fn warn_of_model(&self) {
        if let Some(notice) = self.facts.notice {
            pgrx::warning!("model \"{}\" should not be used: {notice}", self.name);
        }
    }

    /// How many dimensions a model of this name returns.
    pub fn known_dimensions(&self) -> Option<usize> {
        self.facts.dimensions
    }

    /// The dimensions of its vectors when `requested` are requested. For an unrecognized model, a call finds the
    /// default.
    pub fn dimensions(&self, requested: Option<i32>) -> Result<i32> {
        let max = self.facts.max_dimensions().map_or(MAX_DIMENSIONS, |max| max as i32);
        match requested {
            Some(n) if (1..=max).contains(&n) => return Ok(n),
            Some(n) => {
                return Err(Error::invalid(format!(
                    "model \"{}\" cannot return {}",
                    self.name,
                    counted(n, "dimension")
                ))
                .hint(format!("Use 1 to {max}.")));
            }
            None => {}
        }
        if let Some(known) = self.natural_dimensions() {
            return Ok(known as i32);
        }
        let answer = self.answer(&[SAMPLE.to_string()], 0, Input::Document)?;
        let found = answer.vectors.first().map_or(0, Vec::len) as i32;
        if !(1..=MAX_DIMENSIONS).contains(&found) {
            return Err(Error::bad_vector(format!("model \"{}\" returns {}", self.name, counted(found, "dimension")))
                .hint(format!("At most {MAX_DIMENSIONS} dimensions can be stored; request fewer with the argument dimensions.")));
        }
        DIMENSIONS.with_borrow_mut(|kept| {
            if kept.len() >= KEPT_DIMENSIONS {
                kept.clear();
            }
            kept.insert((self.base_url().to_string(), self.name.model().to_string()), found);
        });
        Ok(found)
    }

    /// The model's default number of dimensions, if its name or an earlier response tells it.
    fn natural_dimensions(&self) -> Option<usize> {
        let remembered = || {
            DIMENSIONS.with_borrow(|kept| {
                kept.get(&(self.base_url().to_string(), self.name.model().to_string())).copied()
            })
        };
        self.facts.dimensions.or_else(|| remembered().map(|n| n as usize))
    }
}
