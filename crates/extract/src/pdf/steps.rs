//! What drawing a page costs, counted before it is drawn.
//!
//! hayro tells its device what a page paints. Of all else it says nothing: operators that paint nothing, objects that it
//! fetches and unpacks, forms that are hidden or nested too deep. Forms that draw forms repeat that without end: so the
//! contents are walked first, each once, and what they cost is added up.

use std::collections::{BTreeMap, HashMap};

use hayro_syntax::content::UntypedIter;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};
use hayro_syntax::xref::XRef;

use super::check::{self, MAX_CONTENT, Unpacked};
use super::glyphs::CLIP_STEPS;

/// A page with more drawing steps is cut there.
pub const MAX_STEPS: u64 = 5_000_000;

/// Parsing so many bytes is one step.
pub const BYTES_PER_STEP: u64 = 16;

/// What one content may cost by itself where a page costs too much.
const MAX_CONTENT_STEPS: u64 = 2 * MAX_STEPS;

/// How deep the objects of a shading or a function are looked at.
const MAX_NESTED_OBJECTS: usize = 4;

/// How deep hayro draws forms in forms.
const MAX_DEPTH: usize = 50;

/// What drawing a page costs beside what its device is told.
#[derive(Debug, PartialEq, Eq)]
pub enum Cost {
    /// So many steps, and no more than a page may take.
    Steps(u64),
    /// More than a page may take. No form costs more than `form` by itself.
    TooMuch {
        /// The steps of the most expensive form, without the forms that it draws.
        form: u64,
    },
    /// One content costs too much by itself.
    Endless,
}

/// Counts what the page costs; `bytes` is the size of its content.
pub fn of_page(page: &Page<'_>, bytes: u64) -> Cost {
    let resources = page.resources();
    let has_annotations = page.raw().contains_key(b"Annots");
    let linear = bytes / BYTES_PER_STEP;
    if resources.x_objects.is_empty() && !needs_walk(resources) && !has_annotations {
        return if linear > MAX_STEPS { Cost::TooMuch { form: 0 } } else { Cost::Steps(linear) };
    }
    let mut walk = Walk::new(page.xref());
    if walk.page(page).is_none() {
        return Cost::Endless;
    }
    walk.cost(linear)
}

fn needs_walk(resources: &Resources<'_>) -> bool {
    let others = [&resources.ext_g_states, &resources.patterns, &resources.shadings, &resources.color_spaces];
    others.iter().any(|dict| !dict.is_empty())
}

/// A content with the resources that it is drawn with.
#[derive(Default)]
struct Node {
    /// Its steps, without those of the forms that it draws.
    steps: u64,
    /// The nodes that it draws, and how often.
    draws: Vec<(usize, u64)>,
}

/// A form that is still to be read.
struct Open<'a> {
    node: usize,
    form: Stream<'a>,
    scope: Scope<'a>,
}

/// The resources of a content.
#[derive(Clone)]
struct Scope<'a> {
    resources: Resources<'a>,
    /// The form that they are of; none if they are those of the page.
    owner: Option<ObjectIdentifier>,
}

/// The contents of a page. The first node is that of the page itself.
struct Walk<'a> {
    xref: &'a XRef,
    nodes: Vec<Node>,
    /// The nodes by their form and the owner of their resources.
    known: HashMap<(ObjectIdentifier, Option<ObjectIdentifier>), usize>,
    open: Vec<Open<'a>>,
    /// The sizes of streams, unpacked.
    sizes: HashMap<ObjectIdentifier, u64>,
    /// How many bytes were looked at so far.
    bytes: u64,
}

impl<'a> Walk<'a> {
    fn new(xref: &'a XRef) -> Self {
        Self {
            xref,
            nodes: vec![Node::default()],
            known: HashMap::new(),
            open: Vec::new(),
            sizes: HashMap::new(),
            bytes: 0,
        }
    }

    /// Reads all contents of the page; none if that is too much.
    fn page(&mut self, page: &Page<'a>) -> Option<()> {
        let scope = Scope { resources: page.resources().clone(), owner: None };
        self.content(0, page.page_stream().unwrap_or_default(), &scope)?;
        if let Some(annotations) = page.raw().get::<Array<'_>>(b"Annots") {
            for annotation in annotations.iter::<Dict<'_>>() {
                let bytes = self.look(annotation.data().len() as u64)?;
                self.charge(0, bytes, 1)?;
                if let Some(form) = appearance(&annotation) {
                    self.draw(0, form, &scope, 1)?;
                }
            }
        }
        while let Some(Open { node, form, scope }) = self.open.pop() {
            let data = form.decoded_data().unwrap_or_default();
            let bytes = self.look(data.len() as u64)?;
            self.charge(node, bytes, 1)?;
            self.content(node, &data, &scope)?;
        }
        Some(())
    }

    /// Counts what a content fetches.
    fn content(&mut self, node: usize, content: &[u8], scope: &Scope<'a>) -> Option<()> {
        let mut fetched: BTreeMap<(Fetch, Vec<u8>), u64> = BTreeMap::new();
        let mut operators = UntypedIter::new(content);
        while let Some(instruction) = operators.next() {
            let Some(fetch) = Fetch::of(instruction.operator) else { continue };
            for operand in instruction.operands() {
                if let Object::Name(name) = operand {
                    *fetched.entry((fetch, name.to_vec())).or_default() += 1;
                }
            }
        }
        let resources = &scope.resources;
        for ((fetch, name), times) in fetched {
            let name = Name::new_unescaped(&name);
            let bytes = match fetch {
                Fetch::XObject => {
                    if let Some(object) = self.x_object(&name, scope) {
                        self.draw(node, object, scope, times)?;
                    }
                    0
                }
                Fetch::State => match resources.get_ext_g_state(&name) {
                    Some(state) => self.state(&state)?,
                    None => 0,
                },
                Fetch::Pattern => self.object(resources.get_pattern(&name), MAX_NESTED_OBJECTS)?,
                Fetch::Shading => self.object(resources.get_shading(&name), MAX_NESTED_OBJECTS)?,
                Fetch::Color => self.object(resources.get_color_space(&name), 0)?,
                Fetch::Font => self.object(resources.get_font(&name).map(Object::Dict), 0)?,
                Fetch::Properties => self.object(resources.properties.get(&name), 0)?,
            };
            self.charge(node, bytes, times)?;
        }
        Some(())
    }

    /// The object that `Do` draws. Drawing finds none where it led to itself, but only on that path.
    fn x_object(&self, name: &Name<'_>, scope: &Scope<'a>) -> Option<Stream<'a>> {
        let objects = &scope.resources.x_objects;
        objects.get(name).or_else(|| {
            let id: ObjectIdentifier = objects.get_ref(name)?.into();
            (Some(id) != scope.owner).then(|| self.xref.get(id))?
        })
    }

    /// Counts an object that is drawn by a node.
    fn draw(&mut self, node: usize, object: Stream<'a>, scope: &Scope<'a>, times: u64) -> Option<()> {
        let mut bytes = self.look(object.dict().data().len() as u64)?;
        let is_form = object.dict().get::<Name<'_>>(b"Subtype").is_some_and(|subtype| *subtype == *b"Form");
        if is_form {
            bytes += self.size(&object)?;
            let form = self.form(object, scope);
            self.nodes.get_mut(node)?.draws.push((form, times));
        }
        self.charge(node, bytes, times)
    }

    /// The node of a form.
    fn form(&mut self, form: Stream<'a>, scope: &Scope<'a>) -> usize {
        let id = form.obj_id();
        let scope = match form.dict().get::<Dict<'_>>(b"Resources") {
            Some(own) => Scope { resources: Resources::new(own), owner: Some(id) },
            None => scope.clone(),
        };
        *self.known.entry((id, scope.owner)).or_insert_with(|| {
            let node = self.nodes.len();
            self.nodes.push(Node::default());
            self.open.push(Open { node, form, scope });
            node
        })
    }

    /// The bytes of a graphics state: a mask is unpacked each time that it is set.
    fn state(&mut self, state: &Dict<'a>) -> Option<u64> {
        let mut bytes = self.look(state.data().len() as u64)?;
        let mask = state.get::<Dict<'_>>(b"SMask").unwrap_or_default();
        bytes += self.object(mask.get(b"G"), 0)?;
        for part in [mask.get(b"TR"), state.get(b"TR"), state.get(b"TR2")] {
            bytes += self.object(part, MAX_NESTED_OBJECTS)?;
        }
        Some(bytes)
    }

    /// The bytes of an object, with the streams in it that hayro unpacks: shadings and functions.
    fn object(&mut self, object: Option<Object<'a>>, depth: usize) -> Option<u64> {
        let nested = |walk: &mut Self, dict: &Dict<'a>| {
            let mut bytes = walk.look(dict.data().len() as u64)?;
            for key in [&b"Shading"[..], b"Function", b"Functions"] {
                if depth > 0 && dict.contains_key(key) {
                    bytes += walk.object(dict.get(key), depth - 1)?;
                }
            }
            Some(bytes)
        };
        match object {
            Some(Object::Dict(dict)) => nested(self, &dict),
            Some(Object::Stream(stream)) => Some(nested(self, stream.dict())? + self.size(&stream)?),
            Some(Object::Array(array)) => {
                let mut bytes = self.look(array.data().len() as u64)?;
                if depth > 0 {
                    for part in array.iter::<Object<'_>>() {
                        bytes += self.object(Some(part), depth - 1)?;
                    }
                }
                Some(bytes)
            }
            _ => Some(0),
        }
    }

    /// The size of a stream, unpacked.
    fn size(&mut self, stream: &Stream<'a>) -> Option<u64> {
        if let Some(bytes) = self.sizes.get(&stream.obj_id()) {
            return Some(*bytes);
        }
        let bytes = match check::unpacked(stream, MAX_CONTENT.saturating_sub(self.bytes)) {
            Unpacked::Whole(bytes) | Unpacked::Cut(bytes) => self.look(bytes)?,
            Unpacked::Unreadable => 0,
            Unpacked::TooLarge => return None,
        };
        self.sizes.insert(stream.obj_id(), bytes);
        Some(bytes)
    }

    /// Adds to the bytes that were looked at, which are limited.
    fn look(&mut self, bytes: u64) -> Option<u64> {
        self.bytes = self.bytes.saturating_add(bytes);
        (self.bytes <= MAX_CONTENT).then_some(bytes)
    }

    /// Adds to the steps of a node, which are limited.
    fn charge(&mut self, node: usize, bytes: u64, times: u64) -> Option<()> {
        let node = self.nodes.get_mut(node)?;
        let steps = (1 + bytes / BYTES_PER_STEP).saturating_mul(times);
        node.steps = node.steps.saturating_add(steps);
        (node.steps <= MAX_CONTENT_STEPS).then_some(())
    }

    /// What all of it costs, drawn as deep as hayro draws.
    fn cost(&self, own: u64) -> Cost {
        let mut costs: Vec<u64> = self.nodes.iter().map(|node| node.steps).collect();
        for _ in 0..MAX_DEPTH {
            let deeper: Vec<u64> = self.nodes.iter().map(|node| node.cost(&costs)).collect();
            let total = deeper.first().copied().unwrap_or_default().saturating_add(own);
            if total > MAX_STEPS {
                let form = self.nodes.iter().skip(1).map(|node| node.steps).max();
                return Cost::TooMuch { form: form.unwrap_or_default() };
            }
            if deeper == costs {
                break;
            }
            costs = deeper;
        }
        Cost::Steps(costs.first().copied().unwrap_or_default().saturating_add(own))
    }
}

impl Node {
    /// Its steps with those of the forms that it draws, which cost so much.
    fn cost(&self, costs: &[u64]) -> u64 {
        let form = |node: &usize| costs.get(*node).copied().unwrap_or_default().saturating_add(CLIP_STEPS);
        let forms = self.draws.iter().map(|(node, times)| form(node).saturating_mul(*times));
        forms.fold(self.steps, u64::saturating_add)
    }
}

/// What an operator fetches by a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fetch {
    XObject,
    State,
    Pattern,
    Shading,
    Color,
    Font,
    Properties,
}

impl Fetch {
    fn of(operator: &[u8]) -> Option<Self> {
        Some(match operator {
            b"Do" => Self::XObject,
            b"gs" => Self::State,
            b"scn" | b"SCN" => Self::Pattern,
            b"sh" => Self::Shading,
            b"cs" | b"CS" => Self::Color,
            b"Tf" => Self::Font,
            b"BDC" => Self::Properties,
            _ => return None,
        })
    }
}

/// The form that shows an annotation, as hayro chooses it.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    match annotation.get::<Dict<'_>>(b"AP")?.get::<Object<'_>>(b"N")? {
        Object::Stream(stream) => Some(stream),
        Object::Dict(states) => annotation
            .get::<Name<'_>>(b"AS")
            .and_then(|state| states.get::<Stream<'_>>(state))
            .or_else(|| states.get::<Stream<'_>>(b"Off")),
        _ => None,
    }
}
