//! What the names of an element (its classes and its id) say of it.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use dom_query::NodeRef;

/// The names of an element, each in lower case with its words joined: `PostMeta`, `post_meta` and `post-meta` all are
/// `-post-meta-`.
#[derive(Debug)]
pub(in crate::html) struct Element<'a> {
    pub(in crate::html) node: NodeRef<'a>,
    names: OnceCell<Vec<String>>,
}

/// How a name may begin at one of its words: the words, whether they are whole, and the kind that it is then.
type Beginning = (&'static str, bool, Kind);

/// The beginnings by their first letter.
static BEGINNINGS: LazyLock<HashMap<u8, Vec<Beginning>>> = LazyLock::new(|| {
    let mut beginnings: HashMap<u8, Vec<Beginning>> = HashMap::new();
    for names in &NAMES {
        let whole = names.words.iter().map(|words| (*words, true));
        for (words, is_whole) in whole.chain(names.starts.iter().map(|words| (*words, false))) {
            if let Some(first) = words.bytes().next() {
                beginnings.entry(first).or_default().push((words, is_whole, names.kind));
            }
        }
    }
    beginnings
});

/// A kind of names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Account,
    Advertisement,
    Author,
    Breadcrumbs,
    Comments,
    Cookies,
    Credit,
    Imprint,
    Menu,
    Related,
    Share,
}

/// Names of one kind.
#[derive(Debug)]
struct Names {
    kind: Kind,
    /// Words, or words that follow each other, anywhere in a name.
    words: &'static [&'static str],
    /// How words begin.
    starts: &'static [&'static str],
}

/// The names that say what an element is.
const NAMES: [Names; 11] = [
    Names {
        kind: Kind::Account,
        words: &[
            "login",
            "signin",
            "signup",
            "subscribe",
            "subscription",
            "newsletter",
            "newsletters",
            "paywall",
            "sign-in",
            "sign-up",
            "messenger-content",
        ],
        starts: &["newsletter"],
    },
    Names {
        kind: Kind::Advertisement,
        words: &["advert", "advertisement", "advertising", "sponsored"],
        starts: &["adsbygoogle"],
    },
    Names {
        kind: Kind::Author,
        words: &[
            "byline",
            "dateline",
            "timestamp",
            "coauthor",
            "coauthors",
            "pubdate",
            "votecell",
            "postprofile",
            "tagcloud",
            "post-meta",
            "entry-meta",
            "meta-info",
            "article-meta",
            "article-info",
            "story-info",
            "posted-in",
            "posted-on",
            "filed-under",
            "tag-cloud",
            "category-list",
            "cat-name",
            "post-cat",
            "post-cats",
            "entry-cat",
            "entry-cats",
            "print-header",
            "post-meta-infos",
            "blog-categories",
            "blog-author",
            "pdf-link",
            "message-user",
            "user-info",
            "post-signature",
            "user-signature",
            "message-cell-user",
            "message-action-bar",
        ],
        starts: &[],
    },
    Names { kind: Kind::Breadcrumbs, words: &["breadcrumb", "breadcrumbs"], starts: &[] },
    Names { kind: Kind::Comments, words: &["disqus", "comments-link"], starts: &["comment"] },
    Names {
        kind: Kind::Cookies,
        words: &[
            "consent",
            "gdpr",
            "cookiebanner",
            "cookieconsent",
            "cookienotice",
            "cookie-banner",
            "cookie-notice",
            "cookie-bar",
            "cookie-law",
            "cookie-policy",
            "cookie-popup",
            "cookie-message",
            "cookie-info",
            "cookie-modal",
            "cookie-overlay",
            "cookie-alert",
            "cookie-dialog",
            "cookie-disclaimer",
            "cookie-wrapper",
            "cookie-container",
            "cookie-settings",
            "cookie-preferences",
        ],
        starts: &["cookieconsent", "cookie-", "consent"],
    },
    Names {
        kind: Kind::Credit,
        words: &["credit", "credits", "photo-credit", "img-credit", "image-credit"],
        starts: &[],
    },
    Names {
        kind: Kind::Imprint,
        words: &[
            "footer",
            "copyright",
            "disclaimer",
            "legal",
            "site-footer",
            "page-footer",
            "privacy-notice",
        ],
        starts: &[],
    },
    Names {
        kind: Kind::Menu,
        words: &[
            "navbar",
            "navigation",
            "menu",
            "topnav",
            "sitenav",
            "crumb",
            "crumbs",
            "pagination",
            "pager",
            "top-nav",
            "main-menu",
            "site-nav",
            "site-header",
            "page-header",
        ],
        starts: &["navbar", "navigation"],
    },
    Names {
        kind: Kind::Related,
        words: &[
            "related",
            "recommend",
            "recommended",
            "recommendation",
            "recommendations",
            "recirculation",
            "recirc",
            "trending",
            "popular",
            "taboola",
            "outbrain",
            "mgid",
            "revcontent",
            "zergnet",
            "more-from",
            "you-may-like",
            "you-may-also",
            "most-read",
            "top-stories",
            "read-next",
            "up-next",
            "read-more-link",
            "body-read-more",
            "also-viewed",
            "also-bought",
        ],
        starts: &["related", "recommended"],
    },
    Names {
        kind: Kind::Share,
        words: &[
            "share",
            "shares",
            "sharing",
            "sharebar",
            "sharebox",
            "sharelinks",
            "sharethis",
            "sharedaddy",
            "social",
            "socials",
            "addtoany",
            "shareaholic",
            "dpsp",
            "wabtn",
            "sharebtn",
            "socialbtn",
        ],
        starts: &[
            "sharebutton",
            "sharetool",
            "shareicon",
            "socialshare",
            "socialmedia",
            "sociallink",
            "socialicon",
        ],
    },
];
/// Kinds of boxes that documentation has between its paragraphs.
const NOTE: [&str; 31] = [
    "admonition",
    "admonitionblock",
    "alert",
    "attention",
    "callout",
    "callouts",
    "caution",
    "danger",
    "error",
    "exampleblock",
    "hint",
    "important",
    "infobox",
    "information",
    "info",
    "note",
    "notebox",
    "notecard",
    "notes",
    "notice",
    "pullquote",
    "remark",
    "seealso",
    "sidebarblock",
    "sidenote",
    "success",
    "tip",
    "tips",
    "todo",
    "warn",
    "warning",
];
/// What is told of an author, as the word behind `author`, or before it.
const OF_AUTHOR: [&str; 18] = [
    "area",
    "avatar",
    "bio",
    "block",
    "box",
    "boxes",
    "card",
    "container",
    "description",
    "details",
    "info",
    "link",
    "meta",
    "name",
    "pp",
    "profile",
    "section",
    "wrap",
];
/// The places of a sidebar, as the word before it.
const SIDES: [&str; 7] = ["left", "main", "page", "primary", "right", "secondary", "widget"];

impl<'a> Element<'a> {
    pub(in crate::html) fn new(node: NodeRef<'a>) -> Element<'a> {
        Element { node, names: OnceCell::new() }
    }

    fn names(&self) -> &[String] {
        self.names.get_or_init(|| {
            let mut names = Vec::new();
            if let Some(class) = self.node.class() {
                names.extend(class.split_ascii_whitespace().map(joined));
            }
            names.extend(self.node.id_attr().map(|id| joined(&id)));
            names
        })
    }

    /// Whether a name is of a kind.
    pub(super) fn is(&self, kind: Kind) -> bool {
        self.names().iter().any(|name| kinds(name) & (1 << kind as u32) != 0)
    }

    /// Whether it is a box such as a note or a warning: the first or the last word of one of its classes says so.
    pub(in crate::html) fn is_note(&self) -> bool {
        let Some(class) = self.node.class() else { return false };
        class.split_ascii_whitespace().map(joined).any(|name| {
            let mut words = words(&name);
            let is = |word: Option<&str>| word.is_some_and(|word| NOTE.contains(&word));
            let first = words.next();
            is(first) || is(words.next_back()) || has(&name, "admonition") || has(&name, "callout")
        })
    }
}

/// The kinds of a name, one bit each.
fn kinds(name: &str) -> u32 {
    let mut kinds = 0;
    for (at, _) in name.match_indices('-') {
        let rest = &name[at + 1..];
        let Some(beginnings) = rest.bytes().next().and_then(|first| BEGINNINGS.get(&first)) else { continue };
        for (words, is_whole, kind) in beginnings {
            if rest.strip_prefix(words).is_some_and(|rest| !is_whole || rest.starts_with('-')) {
                kinds |= 1 << *kind as u32;
            }
        }
    }
    kinds
}

pub(super) fn is_comments(element: &Element) -> bool {
    element.is(Kind::Comments) && !element.names().iter().any(|name| name.contains("-commentar"))
}

pub(super) fn is_menu(element: &Element) -> bool {
    element.is(Kind::Menu)
        || element.names().iter().any(|name| {
            name.starts_with("-nav-") && !name.starts_with("-nav-content-")
                || name.ends_with("-nav-") && !has(name, "in")
        })
}

pub(super) fn is_advertisement(element: &Element) -> bool {
    let first = |name: &String| matches!(words(name).next(), Some("ad" | "ads" | "sponsor" | "promo"));
    element.is(Kind::Advertisement) || element.names().iter().any(first)
}

/// A widget of Elementor has any content.
pub(super) fn is_sidebar(element: &Element) -> bool {
    element.names().iter().any(|name| {
        let mut before = None;
        words(name).any(|word| {
            let found = match word {
                "sidebar" => before.is_none_or(|before| SIDES.contains(&before)),
                "widget" => before != Some("elementor"),
                _ => false,
            };
            before = Some(word);
            found
        })
    })
}

/// `author-ann` only says who wrote what is in it.
pub(super) fn is_author(element: &Element) -> bool {
    element.is(Kind::Author)
        || element.names().iter().any(|name| {
            let words: Vec<_> = words(name).collect();
            let is_of = |at: Option<usize>| {
                at.and_then(|at| words.get(at)).is_some_and(|word| OF_AUTHOR.contains(word))
            };
            (0..words.len()).any(|at| {
                words[at] == "author" && (words.len() == 1 || is_of(Some(at + 1)) || is_of(at.checked_sub(1)))
            })
        })
}

/// Whether a word is in a name.
fn has(name: &str, word: &str) -> bool {
    words(name).any(|found| found == word)
}

fn words(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    name.split('-').filter(|word| !word.is_empty())
}

/// A name in lower case, with `-` before, between and after its words.
fn joined(name: &str) -> String {
    let mut joined = String::with_capacity(name.len() + 4);
    joined.push('-');
    let mut before = ' ';
    for c in name.chars() {
        let ends = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if ends && !joined.ends_with('-') {
            joined.push('-');
        }
        if c.is_alphanumeric() {
            joined.extend(c.to_lowercase());
        }
        before = c;
    }
    if !joined.ends_with('-') {
        joined.push('-');
    }
    joined
}
