//! Which bases of this server a search covers, and what the ranking of the others has to know of them.

use kb_rag_core::spread::{About, Circle, Exact, Id, OwnStatistics, Scope, Statistics, StatisticsTold};

use super::{id, request, uuid};
use crate::base::{Embed, KnowledgeBase, Ranker};
use crate::choice::Choice;
use crate::cluster;
use crate::error::Result;
use crate::model;
use crate::postgres::guc;
use crate::postgres::spi::{self, Connection};
use crate::search::keyword::Keyword;
use crate::search::visible::Visible;
use crate::search::{Mode, Request, scope};

/// The bases in scope.
pub fn statistics(common: &Statistics<Id>, own: &OwnStatistics) -> Result<StatisticsTold<Id>> {
    let request = request(&common.question)?;
    let told = |bases: &[KnowledgeBase], circle| {
        let of = guc::with_settings(&[], || {
            spi::connect(|connection| bases.iter().map(|base| about(connection, &request, base)).collect())
        })?;
        Ok(StatisticsTold { of, circle })
    };
    cluster::alone(|| match &common.scope {
        Scope::Names => scope::of_names(&own.names, |bases| told(bases, Circle::default())),
        Scope::Agent(agent) => scope::of_agent(uuid(*agent), told),
        Scope::All { leaves_out_untrusted } => scope::of_own_circle(|bases, circle| {
            if *leaves_out_untrusted { told(&scope::trusted(bases)?, circle) } else { told(bases, circle) }
        }),
    })
}

fn about(connection: &Connection, request: &Request, base: &KnowledgeBase) -> Result<About<Id>> {
    base.require_read()?;
    let settings = &base.settings;
    let of_keywords = if request.mode == Mode::Semantic {
        Default::default()
    } else {
        let visible = Visible::of_base(connection, base)?;
        let ranker = request.ranker.unwrap_or(Ranker::Bm25);
        Keyword::statistics(connection, request, base, &visible, ranker)?
    };
    let (pool, has_words) = of_keywords;
    let mut frequencies: Vec<(String, Exact)> =
        pool.frequencies.into_iter().map(|(lexeme, found)| (lexeme, Exact(found))).collect();
    frequencies.sort_by(|(a, _), (b, _)| a.cmp(b));
    let of_model = model::thresholds(&settings.space.model)
        .map(|of| [of.gate, of.filter, of.exact].map(|found| found.map(Exact)));
    Ok(About {
        id: id(base.id),
        name: base.name.clone(),
        model: settings.space.model.to_string(),
        dimensions: settings.space.dimensions,
        ranker: settings.ranker.name().to_string(),
        match_threshold: settings.match_threshold.map(Exact),
        answer_threshold: settings.answer_threshold.map(Exact),
        of_model,
        makes_vectors: settings.embed != Embed::Off,
        is_logged: settings.log_searches,
        chunks: Exact(pool.chunks),
        length: Exact(pool.length),
        frequencies,
        has_words,
    })
}
