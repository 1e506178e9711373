//! Searches over several servers find what the same search finds on one.

use std::collections::BTreeMap;

use kb_rag_core::legibility;
use kb_rag_core::lexeme::Held;
use kb_rag_core::search::{
    Action, Arguments, Base, Candidate, Fusion, Hit, Mode, Query, READ_HITS, Search, Window,
};
use kb_rag_core::spread::{
    About, Ask, Bytes, Exact, Failure, Floats, Found, Home, Known, Placed, Shares, Told, Unexpected, With,
    answer_of, of_answer, protocol_of, request_of,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arbitrary::{asked, world};
use crate::results::{arguments, simple};
use crate::world::{Chunk, Ended, Model, World, around};

/// As it comes out on the other side.
fn wire<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = request_of(&(), value).unwrap();
    let (protocol, rest) = protocol_of(serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(protocol, answer_of(&()).0);
    let ((), value) = of_answer(rest).unwrap();
    value
}

fn failure(message: &str) -> Failure {
    Failure { sqlstate: 133, message: message.into(), detail: None, hint: Some("none".into()) }
}

/// Servers, each with some of the bases of a world.
struct Servers<'w> {
    world: &'w World,
    homes: Vec<Home>,
    with: With,
    trips: usize,
    /// How many bases were asked for a vector.
    opened: usize,
    /// A server that cannot open the models of which others have bases.
    closed: usize,
}

impl<'w> Servers<'w> {
    fn new(world: &'w World, nodes: &[usize], with: With) -> Servers<'w> {
        let mut count: BTreeMap<usize, usize> = BTreeMap::new();
        let homes = (0..world.bases.len()).map(|base| {
            let node = nodes[base];
            let place = count.entry(node).or_default();
            *place += 1;
            Home { node, base: *place - 1 }
        });
        Servers { homes: homes.collect(), world, with, trips: 0, opened: 0, closed: usize::MAX }
    }

    fn found(&self, base: usize, place: usize, (id, score): (u32, f64), by_keyword: bool) -> Found<u32> {
        let chunk = self.world.chunk(base, id);
        let with = self.with;
        let mut found = Found::new(id, score);
        found.document = with.documents.then_some(chunk.document);
        found.text = chunk.text.filter(|_| with.texts).map(|text| Bytes(vec![text; 32]));
        if by_keyword {
            found.coverage = (with.coverage && place == 0).then(|| chunk.held.into());
            found.held = (with.held && place < 20).then(|| chunk.held.into());
        } else {
            found.keyword_score = with.scores.then_some(Exact(chunk.keyword));
            found.reading = (place < READ_HITS).then(|| self.reading(base));
        }
        found
    }

    /// Such that it gives the weight of the model.
    fn reading(&self, base: usize) -> (usize, usize) {
        match self.world.models[self.world.bases[base].space] {
            Model::Reads(weight) if weight == legibility::weight(0.33) => (33, 100),
            Model::Reads(0.0) => (60, 100),
            _ => (10, 100),
        }
    }

    fn tell(&mut self, node: usize, ask: &Ask<u32>) -> Told<u32> {
        let home = Home { node, base: ask.base() };
        let base = self.homes.iter().position(|known| *known == home).unwrap();
        let world = self.world;
        let model = world.models[world.bases[base].space];
        let chunks =
            |ids: &[u32]| -> Vec<&'w Chunk> { ids.iter().map(|id| world.chunk(base, *id)).collect() };
        match ask {
            Ask::Keyword { depth, needed, .. } => {
                let hits = world.by_keyword(base, *depth, *needed).into_iter().enumerate();
                let hits = hits.map(|(place, hit)| self.found(base, place, hit, true)).collect();
                Told::Found { hits, method: None }
            }
            Ask::Nearest { depth, .. } => {
                let hits = world.nearest(base, *depth).into_iter().enumerate();
                let hits = hits.map(|(place, hit)| self.found(base, place, hit, false)).collect();
                Told::Found { hits, method: Some("vector index".into()) }
            }
            Ask::Open { checks_question, .. } => {
                self.opened += 1;
                let space = world.bases[base].space;
                let of_space = self.homes.iter().zip(&world.bases).filter(|(_, base)| base.space == space);
                if node == self.closed && of_space.clone().any(|(home, _)| home.node != node) {
                    return Told::Failed { failure: failure("closed"), is_opened: false };
                }
                let vector = || Some(Floats(vec![0.25, -1e-30]));
                match model {
                    Model::Reads(_) => Told::Opened { vector: vector(), microseconds: 5000 },
                    Model::Illiterate => {
                        Told::Opened { vector: vector().filter(|_| !checks_question), microseconds: 5000 }
                    }
                    Model::Missing => Told::Failed { failure: failure("missing"), is_opened: false },
                    Model::Silent => Told::Failed { failure: failure("silent"), is_opened: true },
                }
            }
            Ask::Coverage { ids, .. } | Ask::Held { ids, .. } => {
                Told::Shares(chunks(ids).iter().map(|chunk| (chunk.id, Shares::from(chunk.held))).collect())
            }
            Ask::Read { ids, .. } => Told::Readings(ids.iter().map(|id| (*id, self.reading(base))).collect()),
            Ask::Similarities { ids, .. } => {
                let score = |chunk: &&Chunk| Some((chunk.id, Exact(chunk.similarity?)));
                Told::Scores(chunks(ids).iter().filter_map(score).collect())
            }
            Ask::KeywordScores { ids, .. } => {
                Told::Scores(chunks(ids).iter().map(|chunk| (chunk.id, Exact(chunk.keyword))).collect())
            }
            Ask::Documents { ids, .. } => {
                Told::Documents(chunks(ids).iter().map(|chunk| (chunk.id, chunk.document)).collect())
            }
            Ask::Texts { ids, .. } => {
                let text = |chunk: &&Chunk| Some((chunk.id, Bytes(vec![chunk.text?; 32])));
                Told::Texts(chunks(ids).iter().filter_map(text).collect())
            }
            Ask::Places { ids, window, .. } => {
                let place = |chunk: &&Chunk| {
                    let place = chunk.place.clone()?;
                    let around = around(*window, &place);
                    let (chunk_at, around) = ((place.start, place.end), (around.start, around.end));
                    Some((chunk.id, Placed { document: chunk.document, chunk: chunk_at, around }))
                };
                Told::Places(chunks(ids).iter().filter_map(place).collect())
            }
            Ask::Queue { .. } => {
                Told::Flag(world.chunks.iter().any(|chunk| chunk.base == base && chunk.is_queued))
            }
            Ask::Lacking { .. } => Told::Flag(
                world
                    .chunks
                    .iter()
                    .any(|chunk| chunk.base == base && chunk.keyword > 0.0 && chunk.similarity.is_none()),
            ),
        }
    }

    /// A search over the servers. `own` is the one that searches, which makes no trip.
    fn search(&mut self, query: Query, own: usize) -> Ended {
        let world = self.world;
        let mut search: Search<u32, &'static str> = Search::new(query, world.bases.clone(), world.depth);
        let spaces = world.bases.iter().map(|base| base.space).collect();
        let mut known = Known::new(self.homes.clone(), spaces, Some(own), self.with);
        let (mut batches, mut remarks) = (Vec::new(), Vec::new());
        loop {
            let actions = search.next_actions();
            remarks.append(&mut search.take_remarks());
            if actions.is_empty() {
                break;
            }
            batches.push(actions.iter().map(|action| format!("{action:?}")).collect());
            assert!(batches.len() < 200);
            loop {
                let asks = known.asks(&actions);
                if asks.is_empty() {
                    break;
                }
                self.trips += usize::from(asks.keys().any(|node| *node != own));
                for (node, asks) in asks {
                    let told: Vec<Told<u32>> =
                        wire(&asks).iter().map(|ask| wire(&self.tell(node, ask))).collect();
                    known.learn(node, &asks, told).unwrap();
                }
            }
            for action in actions {
                let error =
                    |failure: &Failure| if failure.message == "silent" { "silent" } else { "missing" };
                known.answer(&mut search, action, error).unwrap();
            }
        }
        Ended { embedding_time: search.embedding_time(), result: search.end(), remarks, batches }
    }
}

fn with(query_uses: bool, asked: &crate::arbitrary::Asked) -> With {
    With {
        coverage: query_uses,
        held: query_uses,
        scores: query_uses,
        documents: asked.arguments.max_per_document.is_some(),
        texts: asked.arguments.merges_copies,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn servers_find_what_one_finds(
        mut world in world(60),
        asked in asked(),
        nodes in prop::collection::vec(0_usize..3, 3),
        own in 0_usize..3,
        comes_along in any::<bool>(),
        closed in 0_usize..6,
        readings in prop::collection::vec(prop::sample::select(vec![1.0, 0.0, legibility::weight(0.33)]), 2),
    ) {
        for (model, weight) in world.models.iter_mut().zip(readings) {
            if let Model::Reads(_) = model {
                *model = Model::Reads(weight);
            }
        }
        let one = world.search(asked.query());
        let mut servers = Servers::new(&world, &nodes, with(comes_along, &asked));
        servers.closed = closed;
        let many = servers.search(asked.query(), own);
        prop_assert_eq!(&one.result, &many.result);
        prop_assert_eq!(format!("{:?}", one.remarks), format!("{:?}", many.remarks));
        prop_assert_eq!(one.embedding_time, many.embedding_time);
        prop_assert_eq!(&one.batches, &many.batches);
        // A model is asked once unless it cannot be opened.
        let opened = world.models.iter().filter(|model| **model != Model::Missing).count();
        let missing = world.models.len() - opened;
        let is_closed = usize::from(closed < 3);
        prop_assert!(servers.opened <= opened * (1 + is_closed) + 3 * missing);
        // The lists by keyword, with the vectors of the question; those by vectors with all scores; and what only later steps know to
        // ask.
        let rounds = many.asked("Keyword(").max(many.asked("Nearest")).div_ceil(world.bases.len().max(1));
        let windows = many.batches.iter().filter(|batch| batch.iter().any(|action| action.starts_with("Places"))).count();
        let lacking = many.asked("Lacking") + many.batches.iter().filter(|batch| batch.iter().any(|action| action.starts_with("Queue"))).count();
        let only_vectors = usize::from(many.asked("Keyword(") == 0);
        let bound = 2 * rounds + only_vectors + windows + lacking + 3 * missing + is_closed;
        if comes_along {
            prop_assert!(servers.trips <= bound, "{} trips, {rounds} rounds: {:?}", servers.trips, many.batches);
        }
    }

    /// Results that are gone make room for the next ones.
    #[test]
    fn what_is_gone_is_replaced(world in world(60), mut asked in asked(), gone in prop::collection::btree_set(0_usize..12, 1..5)) {
        asked.keep_all();
        let more = world.search(asked.with_count(asked.arguments.count + gone.len()).query());
        let mut search: Search<u32, &'static str> = Search::new(asked.query(), world.bases.clone(), world.depth);
        world.run(&mut search);
        let Some(hits) = search.results() else { return Ok(()) };
        let gone: Vec<Candidate<u32>> = gone.into_iter().filter_map(|place| Some(hits.get(place)?.id)).collect();
        search.without(&gone);
        world.run(&mut search);
        let left = search.end().unwrap();
        let expected = more.hits().iter().filter(|hit| !gone.contains(&hit.id)).take(asked.arguments.count);
        let shown = |hit: &Hit<u32>| (hit.id, hit.score, hit.similarity, hit.keyword_rank, hit.semantic_rank);
        prop_assert_eq!(left.iter().map(shown).collect::<Vec<_>>(), expected.map(shown).collect::<Vec<_>>());
    }

    /// A copy takes the place of a result that is gone, and documents are counted again.
    #[test]
    fn what_is_gone_hides_nothing(world in world(60), asked in asked(), first in 0_usize..6) {
        let mut search: Search<u32, &'static str> = Search::new(asked.query(), world.bases.clone(), world.depth);
        world.run(&mut search);
        let Some(hits) = search.results() else { return Ok(()) };
        let gone: Vec<Candidate<u32>> = hits.get(first).map(|hit| hit.id).into_iter().collect();
        search.without(&gone);
        world.run(&mut search);
        let left = search.end().unwrap();
        prop_assert!(left.iter().all(|hit| !gone.contains(&hit.id) && hit.copies.iter().all(|copy| !gone.contains(copy))));
        if asked.arguments.window.is_none() {
            prop_assert!(left.len() + gone.len() >= hits.len());
        }
    }
}

/// A list that ended with the last result goes on where a result is gone.
#[test]
fn a_short_list_goes_on_without_what_is_gone() {
    let chunk = |id: u32| Chunk {
        id,
        base: 0,
        document: id,
        text: None,
        place: None,
        keyword: 1.0 / f64::from(id + 1),
        held: Held { words: 1.0, codes: 0.0, rare_codes: 0.0 },
        similarity: None,
        is_missed: false,
        is_queued: false,
    };
    let base = Base { space: 0, threshold: None, gate: None, exact: None, makes_vectors: false };
    let chunks = (0..30).map(chunk).collect();
    let world =
        World { bases: vec![base], models: vec![Model::Reads(1.0)], chunks, depth: 40, is_broken: false };
    let query = Query::plain(Arguments {
        mode: Mode::Keyword,
        fusion: Fusion::RelativeScore,
        rrf_k: 10.0,
        keyword_weight: 1.0,
        semantic_weight: 1.0,
        count: 5,
        offset: 0,
        max_per_document: None,
        merges_copies: false,
        window: None,
        threshold: None,
    });
    let mut search: Search<u32, &'static str> = Search::new(query, world.bases.clone(), world.depth);
    world.run(&mut search);
    let ids = |search: &Search<u32, &'static str>| -> Vec<u32> {
        search.results().unwrap().iter().map(|hit| hit.id.chunk).collect()
    };
    assert_eq!(ids(&search), [0, 1, 2, 3, 4]);
    search.without(&[Candidate { chunk: 1, base: 0 }, Candidate { chunk: 3, base: 0 }]);
    world.run(&mut search);
    assert_eq!(ids(&search), [0, 2, 4, 5, 6]);
}

#[test]
fn an_answer_must_be_to_what_was_asked() {
    let homes = vec![Home { node: 0, base: 0 }];
    let mut known: Known<u32> = Known::new(homes, vec![0], None, With::default());
    let ask = [Ask::Queue { base: 0 }];
    assert_eq!(known.learn(0, &ask, vec![Told::Scores(Vec::new())]), Err(Unexpected));
    assert_eq!(known.learn(0, &ask, Vec::new()), Err(Unexpected));
    assert_eq!(known.learn(1, &ask, vec![Told::Flag(true)]), Err(Unexpected));
    assert_eq!(known.learn(0, &ask, vec![Told::Flag(true)]), Ok(()));
    let texts = [Ask::Texts { base: 0, ids: vec![7] }];
    assert_eq!(known.learn(0, &texts, vec![Told::Texts(vec![(7, Bytes(vec![1]))])]), Err(Unexpected));
}

#[test]
fn a_request_is_an_array_that_begins_with_the_protocol() {
    let asks = vec![Ask::Places { base: 0, ids: vec![1_u32], window: Window::Neighbors(2) }];
    let text = request_of(&"common", &asks).unwrap();
    assert_eq!(text, r#"[1,"common",[{"places":{"base":0,"ids":[1],"window":{"Neighbors":2}}}]]"#);
    for other in ["{}", "[]", "[\"1\"]", "[-1]", "1"] {
        assert_eq!(protocol_of(serde_json::from_str(other).unwrap()), None, "{other}");
    }
    assert_eq!(protocol_of(serde_json::from_str("[7, {}]").unwrap()).unwrap().0, 7);
    let about: Result<About<u32>, _> = serde_json::from_str("{}");
    assert!(about.is_err());
    let unasked: Action<u32> = Action::Queue(kb_rag_core::search::Queue { base: 0 });
    let known: Known<u32> = Known::new(vec![Home { node: 4, base: 0 }], vec![0], None, With::default());
    assert_eq!(known.asks(&[unasked]), BTreeMap::from([(4, vec![Ask::Queue { base: 0 }])]));
}

/// A base that lists no more than is wanted has better chunks than the last ones of another base.
#[test]
fn what_is_gone_from_two_bases_is_replaced_in_order() {
    let mut world = simple([0.4, 0.3, 0.2, 0.1].map(|keyword| (keyword, None)).to_vec(), None);
    world.bases.push(world.bases[0]);
    world.chunks[3].base = 1;
    let query = Query::plain(arguments(Mode::Keyword, Fusion::ReciprocalRank, 2));
    let mut search: Search<u32, &'static str> = Search::new(query, world.bases.clone(), world.depth);
    world.run(&mut search);
    let first = search.results().unwrap()[0].id;
    search.without(&[first]);
    world.run(&mut search);
    let left: Vec<u32> = search.end().unwrap().iter().map(|hit| hit.id.chunk).collect();
    assert_eq!(left, [1, 2]);
}
