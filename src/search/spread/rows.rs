//! Reads the rows of results where they are.

use std::collections::{BTreeMap, HashMap};

use kb_rag_core::search::{Candidate, Hit};
use kb_rag_core::spread::{Copy, Exact, Id, Row, RowAsked, Rows, RowsAsked, RowsTold};

use super::bases::Bases;
use crate::cluster::{Nodes, Question, Stop};
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::search::{Duplicate, Duplicates, FoundChunk, Request, part};

const ROWS: Question<Rows<Id>, RowsAsked<Id>, RowsTold<Id>> =
    Question { function: "part_rows", here: part::rows };

/// Reads rows.
pub struct Reader<'a> {
    request: &'a Request<'a>,
    nodes: &'a Nodes,
    bases: &'a Bases,
}

impl<'a> Reader<'a> {
    pub fn new(request: &'a Request<'a>, nodes: &'a Nodes, bases: &'a Bases) -> Reader<'a> {
        Reader { request, nodes, bases }
    }

    /// The rows of hits, in their order, and the hits that are gone.
    pub fn read(&mut self, hits: &[Hit<Id>]) -> Result<(Vec<FoundChunk>, Vec<Candidate<Id>>), Stop> {
        if hits.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let common = Rows {
            question: part::question_of(self.request, self.bases.ranker),
            agent: self.request.agent.map(part::id),
            is_named: self.request.names_bases(),
            window: self.request.window,
            has_snippets: self.request.has_snippets,
        };
        let answers = self.nodes.ask(&ROWS, &common, self.asked(hits))?;
        let (mut rows, mut copies) = (HashMap::new(), HashMap::new());
        for (group, told) in answers {
            let place = |base| self.bases.place(group, base);
            for row in told.rows {
                let id = place(row.base).map(|base| Candidate { chunk: row.id, base });
                rows.extend(id.map(|id| (id, row)));
            }
            for copy in told.copies {
                let id = place(copy.base).map(|base| Candidate { chunk: copy.id, base });
                copies.extend(id.map(|id| (id, copy)));
            }
        }
        let gone = hits.iter().map(|hit| hit.id).filter(|id| !rows.contains_key(id)).collect();
        let chunks = hits.iter().filter_map(|hit| Some(self.chunk(hit, rows.remove(&hit.id)?, &copies)));
        Ok((chunks.collect::<Result<_>>()?, gone))
    }

    fn asked(&self, hits: &[Hit<Id>]) -> BTreeMap<i32, RowsAsked<Id>> {
        let mut asked: BTreeMap<i32, RowsAsked<Id>> = BTreeMap::new();
        let of = |id: &Candidate<Id>| {
            let home = self.bases.homes[id.base];
            let (group, bases) = &self.bases.nodes[home.node];
            let new = || RowsAsked { bases: bases.clone(), rows: Vec::new(), copies: Vec::new() };
            (*group, home.base, new())
        };
        for hit in hits {
            let (group, base, new) = of(&hit.id);
            asked.entry(group).or_insert(new).rows.push(RowAsked {
                base,
                id: hit.id.chunk,
                similarity: hit.similarity.filter(|_| hit.is_reliable).map(Exact),
                window: hit.window.as_ref().map(|window| (window.start, window.end)),
            });
        }
        for copy in hits.iter().flat_map(|hit| &hit.copies) {
            let (group, base, new) = of(copy);
            asked.entry(group).or_insert(new).copies.push((base, copy.chunk));
        }
        asked
    }

    fn chunk(
        &self,
        hit: &Hit<Id>,
        row: Row<Id>,
        copies: &HashMap<Candidate<Id>, Copy<Id>>,
    ) -> Result<FoundChunk> {
        let name = |id: &Candidate<Id>| self.bases.of[id.base].name.clone();
        let duplicate = |id: &Candidate<Id>| {
            let copy = copies.get(id)?;
            Some(Duplicate {
                chunk_id: part::uuid(copy.id).to_string(),
                document_id: part::uuid(copy.document_id).to_string(),
                knowledge_base: name(id),
                source: copy.source.clone(),
            })
        };
        let merges = self.request.duplicates == Duplicates::Merge;
        let rank = |rank: u32| i32::try_from(rank).unwrap_or(i32::MAX);
        Ok(FoundChunk {
            chunk_id: part::uuid(row.id),
            document_id: part::uuid(row.document_id),
            knowledge_base: name(&hit.id),
            title: row.title,
            source: row.source,
            content: row.content,
            score: hit.score,
            similarity: hit.similarity,
            is_reliable: hit.is_reliable,
            relevance: row.relevance.map(|Exact(relevance)| relevance),
            keyword_score: hit.keyword_score,
            semantic_rank: hit.semantic_rank.map(rank),
            keyword_rank: hit.keyword_rank.map(rank),
            metadata: Jsonb::from_text(&row.metadata)?,
            source_type: row.source_type,
            heading: row.heading,
            page: row.page,
            ordinal: row.ordinal,
            start_char: row.start_char,
            end_char: row.end_char,
            context: row.context,
            snippet: row.snippet,
            duplicates: merges.then(|| hit.copies.iter().filter_map(duplicate).collect()),
            text_config: row.text_config,
        })
    }
}
