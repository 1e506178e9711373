//! Pages of a source with the same text: they share one document. The source is locked, so one page at a time is placed.
//! Documents are written before pages, as others lock them.

use kb_rag_core::web::WebUrl;
use kb_rag_core::web::copies::{self, Known, Lead, Names, Place, Twin};
use pgrx::Uuid;

use super::document::{self, Found, Text};
use super::page::{self, Page};
use super::source::Source;
use crate::base::KnowledgeBase;
use crate::error::Result;

/// Writes the text of a page into the document that it shares with its copies, or into one of its own; returns its id. In a
/// catalog of kb_rag 0.3 each page has its own.
pub fn write(base: &KnowledgeBase, source: &Source, page: &Page, text: Text) -> Result<Uuid> {
    if !page::keeps_keys() {
        return document::write(base, source, text, &[]);
    }
    let now = Page::find(page.id)?.unwrap_or_else(|| page.clone());
    let found = document::known(base, source, now.document, &text)?;
    let ids: Vec<Uuid> = found.iter().map(|document| document.id).collect();
    let group = Group {
        source,
        page: &now,
        key: text.key,
        pages: page::leading_to(source, &ids, Some(text.key))?,
        found: &found,
    };
    let at_key = group.at_key();
    let twins: Vec<Twin<Uuid>> = group.twins();
    let (joined, mut target) = match copies::place(group.own(), at_key, &twins) {
        Place::With { document, joined } => (joined, Some(document)),
        Place::Own { hands_over } => (Vec::new(), at_key.map(|known| known.id).filter(|_| !hands_over)),
    };
    document::delete(base, source.id, &joined)?;
    let moved = group.moved(&joined);
    let mut released = Vec::new();
    for document in group.left(target, &joined) {
        let leads = group.leads(document, &moved);
        let is_renamed = name(base, source, document, &leads)?.is_some();
        if !is_renamed && document.key == text.key && target.is_none() {
            // Other documents have all URLs of the other pages: they are fetched as a whole the next time.
            target = Some(document.id);
            released = group.others(document, &moved);
        }
    }
    let target_of = target.and_then(|id| found.iter().find(|document| document.id == id));
    let leads = group.leads_of_target(target_of, &moved, &released);
    let names = match target_of {
        Some(document) => name(base, source, document, &leads)?,
        None => copies::names(&leads, |_| false),
    };
    let current = target_of.map_or(text.key, |document| document.key.as_str()).to_string();
    let Names { key, others } = names.unwrap_or(Names { key: current, others: Vec::new() });
    let id = match target_of.filter(|document| document.is_current && key != text.key) {
        // Only the page that it is named after says what its file is: those of the others differ.
        Some(document) if !document::is_any_outdated(base, vec![document.id])? => document.id,
        _ => {
            let url = WebUrl::parse(&key).ok();
            let filename = text.filename.map(|own| url.as_ref().and_then(WebUrl::file_name).unwrap_or(own));
            document::write(base, source, Text { key: &key, filename, ..text }, &others)?
        }
    };
    page::release(source.id, released)?;
    page::move_to(source.id, moved, id)?;
    now.place(group.key, Some(id), group.parted(id))?;
    Ok(id)
}

/// Writes that a page is a copy of the one that it names as canonical, which has this document, or is still to be fetched.
pub fn lead_to(
    base: &KnowledgeBase,
    source: &Source,
    page: &Page,
    key: &str,
    document: Option<Uuid>,
) -> Result<()> {
    if !page::keeps_keys() {
        return Ok(());
    }
    let now = Page::find(page.id)?.unwrap_or_else(|| page.clone());
    if document.is_some() && now.document == document && now.key.as_deref() == Some(key) {
        return Ok(());
    }
    let ids: Vec<Uuid> = now.document.iter().chain(&document).copied().collect();
    let known = if document.is_some() { document::keys(base, source.id, &ids)? } else { Vec::new() };
    let mut pages = page::leading_to(source, &ids, None)?;
    pages.retain(|other| other.id != now.id);
    pages.push(Page { document, key: Some(key.to_string()), ..now.clone() });
    for found in &known {
        name(base, source, found, &leads_of(source, found, &pages))?;
    }
    now.place(key, document, None)
}

/// Names documents after the pages that lead to them, without these pages: the URLs of others take their place.
pub fn without(base: &KnowledgeBase, source: &Source, documents: &[Uuid], pages: &[Uuid]) -> Result<()> {
    if documents.is_empty() || !page::keeps_keys() {
        return Ok(());
    }
    let mut left = page::leading_to(source, documents, None)?;
    left.retain(|page| !pages.contains(&page.id));
    for document in document::keys(base, source.id, documents)? {
        name(base, source, &document, &leads_of(source, &document, &left))?;
    }
    Ok(())
}

/// Names a document after the pages that lead to it. None if there are none, or none of their URLs is free.
fn name(base: &KnowledgeBase, source: &Source, document: &Found, leads: &[Lead]) -> Result<Option<Names>> {
    let taken = match leads.iter().any(|lead| lead.key != document.key) {
        true => {
            let keys = leads.iter().map(|lead| lead.key.clone()).collect();
            document::taken_keys(base, source, document.id, keys)?
        }
        false => Vec::new(),
    };
    let names = copies::names(leads, |key| taken.iter().any(|taken| taken == key));
    if let Some(names) = &names {
        document::rename(base, source, document, names)?;
    }
    Ok(names)
}

/// How a page that leads to a document is known. What kb_rag 0.3 wrote does not say: it has the URL of the document.
fn lead(source: &Source, document: &Found, page: &Page) -> Lead {
    Lead {
        url: page.url.clone(),
        key: page.key.clone().unwrap_or_else(|| document.key.clone()),
        is_root: page.url == source.location,
    }
}

fn leads_of(source: &Source, document: &Found, pages: &[Page]) -> Vec<Lead> {
    let of = pages.iter().filter(|page| page.document == Some(document.id) && page.may_have_document());
    of.map(|page| lead(source, document, page)).collect()
}

/// A page whose text came, and what may concern it.
struct Group<'a> {
    source: &'a Source,
    page: &'a Page,
    /// The URL that it is known by.
    key: &'a str,
    /// The pages that lead to the documents found, and copies that wait for this one.
    pages: Vec<Page>,
    found: &'a [Found],
}

impl Group<'_> {
    fn known(&self, document: &Found) -> Known<Uuid> {
        let is_shared = self.leads(document, &[]).iter().any(|lead| lead.key != self.key);
        Known { id: document.id, is_same: document.is_same, is_shared }
    }

    fn own(&self) -> Option<Known<Uuid>> {
        let own = self.found.iter().find(|document| Some(document.id) == self.page.document);
        own.map(|document| self.known(document))
    }

    fn at_key(&self) -> Option<Known<Uuid>> {
        self.found.iter().find(|document| document.key == self.key).map(|document| self.known(document))
    }

    fn twins(&self) -> Vec<Twin<Uuid>> {
        let is_own = |document: &&Found| Some(document.id) == self.page.document;
        let twins = self.found.iter().filter(|document| document.is_current && !is_own(document));
        let has_parted = |document: &Found| {
            let mut of = self.pages.iter().filter(|page| page.document == Some(document.id));
            self.page.document.is_some() && of.any(|page| page.parted_from == self.page.document)
        };
        twins.map(|document| Twin { id: document.id, has_parted: has_parted(document) }).collect()
    }

    /// The other pages that come along: those of documents that go, and those that are known by the same URL.
    fn moved(&self, joined: &[Uuid]) -> Vec<Uuid> {
        let document = |page: &Page| self.found.iter().find(|found| Some(found.id) == page.document);
        let comes = |page: &&Page| {
            let key = page.key.as_deref().or_else(|| document(page).map(|found| found.key.as_str()));
            page.id != self.page.id
                && (key == Some(self.key) || page.document.is_some_and(|of| joined.contains(&of)))
        };
        self.pages.iter().filter(comes).map(|page| page.id).collect()
    }

    /// The documents that the page, or its URL, leaves.
    fn left(&self, target: Option<Uuid>, joined: &[Uuid]) -> Vec<&Found> {
        let is_left = |document: &&Found| {
            (Some(document.id) == self.page.document || document.key == self.key)
                && Some(document.id) != target
                && !joined.contains(&document.id)
        };
        self.found.iter().filter(is_left).collect()
    }

    /// The pages that lead to a document besides this one and those that come along with it.
    fn others(&self, document: &Found, moved: &[Uuid]) -> Vec<Uuid> {
        let stays = |page: &&Page| {
            page.id != self.page.id && page.document == Some(document.id) && !moved.contains(&page.id)
        };
        self.pages.iter().filter(stays).map(|page| page.id).collect()
    }

    fn leads(&self, document: &Found, moved: &[Uuid]) -> Vec<Lead> {
        let others = self.others(document, moved);
        let pages: Vec<Page> = self.pages.iter().filter(|page| others.contains(&page.id)).cloned().collect();
        leads_of(self.source, document, &pages)
    }

    /// The pages that will lead to the document of this one.
    fn leads_of_target(&self, document: Option<&Found>, moved: &[Uuid], released: &[Uuid]) -> Vec<Lead> {
        let away = [moved, released].concat();
        let mut leads = document.map_or(Vec::new(), |document| self.leads(document, &away));
        let url_of = |page: &Page| {
            let found = self.found.iter().find(|found| Some(found.id) == page.document);
            found.map(|found| lead(self.source, found, page))
        };
        let new = |page: &Page| Lead {
            url: page.url.clone(),
            key: self.key.to_string(),
            is_root: page.url == self.source.location,
        };
        let counts = |page: &Page| page.may_have_document() || page.document.is_none();
        let of_moved = self.pages.iter().filter(|page| moved.contains(&page.id) && counts(page));
        leads.extend(of_moved.map(|page| url_of(page).unwrap_or_else(|| new(page))));
        leads.push(new(self.page));
        leads
    }

    /// The document of other pages that this one leaves with its new text.
    fn parted(&self, document: Uuid) -> Option<Uuid> {
        let left = [self.own(), self.at_key()].into_iter().flatten();
        left.filter(|known| known.is_shared && known.id != document).map(|known| known.id).next()
    }
}
