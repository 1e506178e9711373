//! The statistics of a query under row security: counted over the chunks that the caller may see, or estimated for them.

use std::collections::BTreeSet;

use kb_rag_core::visible::Sample;
use kb_rag_core::websearch;

use super::index::Index;
use super::query::Query;
use super::{Keyword, MAX_LEXEMES};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::keyword_index;
use crate::postgres::spi::Connection;
use crate::postgres::test_point::test_limit;
use crate::search::visible::{self, Estimated, Listed};

/// So many chunks are checked for the frequencies of a query, shared by its lexemes, and so many for one lexeme.
const CHECKED: usize = 1_024;
const CHECKED_OF_LEXEME: [usize; 2] = [16, 64];
/// So many chunks that another text search configuration finds are looked at, and so many of them are checked by one statement.
const MAX_OF_CONFIG: usize = 20_000;
const BATCH: usize = 1_000;

type InConfigs<'a> = &'a dyn Fn(&[String]) -> Result<Query>;

impl Keyword {
    /// As for a base that has no other chunks than those that are visible.
    pub(super) fn prepare_listed(
        &mut self,
        connection: &Connection,
        base: &KnowledgeBase,
        listed: &Listed,
        in_configs: InConfigs,
    ) -> Result<()> {
        let (query, index) = base.read_as_owner(|| {
            let query = in_configs(&listed.size.text_configs)?;
            let mut index = Index::for_base(base)?;
            if query.lexemes.len() <= MAX_LEXEMES {
                index.read(&query)?;
            }
            Ok((query, index))
        })?;
        if self.is_counted(&query) {
            let frequencies = if query.lexemes.len() <= MAX_LEXEMES {
                index.frequencies_among(&query, &listed.numbers)?
            } else {
                let schema = base.quoted_schema();
                base.read(|| keyword_index::visible_frequencies(connection, &schema, &query.lexemes))?
            };
            self.pool.add(&listed.size, &query.lexemes, frequencies);
        }
        self.queries.push(query);
        self.indexes.push(Some(index));
        Ok(())
    }

    /// With statistics that are estimated from samples.
    pub(super) fn prepare_estimated(
        &mut self,
        connection: &Connection,
        base: &KnowledgeBase,
        estimated: &Estimated,
        in_configs: InConfigs,
    ) -> Result<()> {
        let mut index = base.read_as_owner(|| Index::for_base(base))?;
        let configs = configs(connection, base, estimated, &mut index, in_configs)?;
        let query = base.read_as_owner(|| in_configs(&configs))?;
        let frequencies = if query.lexemes.len() > MAX_LEXEMES {
            // They only decide which of hundreds of words are kept.
            let of_all = base.read_as_owner(|| index.segments.frequencies(&query.lexemes))?;
            of_all.into_iter().map(|frequency| frequency * estimated.of_all.share()).collect()
        } else {
            base.read_as_owner(|| index.read(&query))?;
            if self.is_counted(&query) {
                estimate(connection, base, estimated, &index, &query)?
            } else {
                vec![0.0; query.lexemes.len()]
            }
        };
        self.pool.add(&estimated.size, &query.lexemes, frequencies);
        self.queries.push(query);
        self.indexes.push(Some(index));
        Ok(())
    }
}

/// The lexemes of a query, those of its phrases and exclusions too.
fn looked_up(query: Query) -> BTreeSet<String> {
    let of_conditions =
        query.conditions.into_iter().flat_map(|conditions| websearch::lexemes(&conditions.condition));
    query.lexemes.into_iter().chain(of_conditions).collect()
}

/// In how many visible chunks each lexeme of a query is.
fn estimate(
    connection: &Connection,
    base: &KnowledgeBase,
    estimated: &Estimated,
    index: &Index,
    query: &Query,
) -> Result<Vec<f64>> {
    let of_all = index.frequencies(query);
    let [least, most] = CHECKED_OF_LEXEME.map(|checked| test_limit("checked_of_lexeme", checked));
    let size = (CHECKED / query.lexemes.len().max(1)).clamp(least, most);
    let samples = index.samples(query, size)?;
    base.read(|| {
        // One statement for all; each sample is then counted from what is known.
        estimated.visible_of(connection, base, &samples.concat())?;
        let counted = samples.iter().zip(of_all).map(|(sample, frequency)| {
            let visible = estimated.visible_of(connection, base, sample)?.len();
            let found = kb_rag_core::visible::Visible { sampled: sample.len(), visible };
            Ok(found.frequency(frequency, estimated.of_all).min(estimated.size.chunks as f64))
        });
        counted.collect()
    })
}

/// The text search configurations of visible chunks: those of the sample, and those of chunks that have a lexeme which only the
/// configuration makes of the query. A configuration without such chunks finds nothing, and one of hidden chunks alone must not
/// change what is found.
fn configs(
    connection: &Connection,
    base: &KnowledgeBase,
    estimated: &Estimated,
    index: &mut Index,
    in_configs: InConfigs,
) -> Result<Vec<String>> {
    let mut configs = estimated.size.text_configs.clone();
    let others = index.segments.size.text_configs.clone();
    for other in others.into_iter().filter(|other| !estimated.size.text_configs.contains(other)) {
        let with_other: Vec<String> = configs.iter().cloned().chain([other.clone()]).collect();
        let numbers = base.read_as_owner(|| {
            let known = looked_up(in_configs(&configs)?);
            let lexemes: Vec<String> =
                looked_up(in_configs(&with_other)?).difference(&known).take(MAX_LEXEMES).cloned().collect();
            if lexemes.is_empty() {
                return Ok(Vec::new());
            }
            let query = Query { lexemes, ..Query::default() };
            index.read(&query)?;
            let mut sample = Sample::new(test_limit("of_config", MAX_OF_CONFIG));
            index.matching_numbers(&query)?.into_iter().for_each(|number| sample.offer(number));
            visible::of_config(connection, base, sample.into_numbers(), &other)
        })?;
        for batch in numbers.chunks(BATCH) {
            if !base.read(|| estimated.visible_of(connection, base, batch))?.is_empty() {
                configs.push(other);
                break;
            }
        }
    }
    configs.sort_unstable();
    Ok(configs)
}
