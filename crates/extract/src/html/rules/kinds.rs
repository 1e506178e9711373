//! Kinds of names, such as those of share buttons.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a name says of an element.
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
            "navheader",
            "navfooter",
            "sphinxsidebar",
            "document-toc",
            "reference-toc",
            "rst-other-versions",
            "browse-horizontal",
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

/// The kinds of a name, one bit each.
pub(super) fn kinds(name: &str) -> u32 {
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
