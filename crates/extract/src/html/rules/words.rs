//! What the words of a short block say of it.

use dom_query::NodeRef;

use super::{Element, Page, is_named};

/// The longest text that is looked at, in characters without white space.
const SHORT: usize = 80;
/// Who texts are sent to.
const NETWORKS: [&str; 26] = [
    "drucken",
    "email",
    "facebook",
    "flipboard",
    "instagram",
    "linkedin",
    "mail",
    "mastodon",
    "pinterest",
    "pocket",
    "print",
    "qq",
    "reddit",
    "share",
    "telegram",
    "teilen",
    "threads",
    "tumblr",
    "tweet",
    "twitter",
    "viber",
    "vk",
    "wechat",
    "weibo",
    "whatsapp",
    "xing",
];
/// What else is written on buttons to share.
const BESIDE: [&str; 22] = [
    "a", "and", "article", "by", "copy", "e", "follow", "in", "link", "on", "page", "pdf", "post", "save",
    "story", "this", "to", "url", "us", "via", "with", "x",
];
/// What is written beside the date of a text.
const DATING: [&str; 12] =
    ["published", "updated", "modified", "posted", "last", "on", "at", "by", "first", "am", "pm", "date"];
/// How the credit of a picture begins.
const CREDITS: [&str; 6] = ["photo:", "photo by ", "photo credit", "image:", "image credit", "credit:"];
/// Who has pictures.
const AGENCIES: [&str; 7] = [
    "getty images",
    "shutterstock",
    "ap photo",
    "associated press",
    "rex features",
    "wireimage",
    "alamy stock",
];

/// The text of a short block, in one line.
fn short(page: &Page, node: &NodeRef, names: &[&str]) -> Option<String> {
    let characters = page.measures.get(node).characters;
    if characters == 0 || characters > SHORT || !is_named(node, names) {
        return None;
    }
    Some(node.text().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A heading that is the title of the document.
pub(super) fn is_headline(page: &Page, element: &Element) -> bool {
    let node = &element.node;
    let Some(title) = page.title else { return false };
    if !node.has_name("h1") {
        return false;
    }
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (title, heading) = (plain(title), plain(&node.text()));
    let rest = title.strip_prefix(&heading);
    // The name of the site may follow.
    !heading.is_empty()
        && rest.is_some_and(|rest| {
            rest.is_empty() || [" - ", " | ", " – ", " — ", " :: ", " · "].iter().any(|s| rest.starts_with(s))
        })
}

/// Nothing but names of networks, with a link to one.
pub(super) fn is_share(page: &Page, element: &Element) -> bool {
    let node = &element.node;
    if page.measures.get(node).links == 0 {
        return false;
    }
    let Some(text) =
        short(page, node, &["p", "div", "ul", "ol", "li", "section", "h2", "h3", "h4", "h5", "h6"])
    else {
        return false;
    };
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let mut has_network = false;
    words.peek().is_some()
        && words.all(|word| {
            let is_network = NETWORKS.contains(&word);
            has_network |= is_network;
            is_network || BESIDE.contains(&word) || word.bytes().all(|b| b.is_ascii_digit())
        })
        && has_network
}

/// "By Ann Example", with a name and no sentence.
pub(super) fn is_byline(page: &Page, element: &Element) -> bool {
    let Some(text) = short(page, &element.node, &["p", "div", "address"]) else { return false };
    let Some(name) =
        text.strip_prefix("By ").or_else(|| text.strip_prefix("by ")).or_else(|| text.strip_prefix("BY "))
    else {
        return false;
    };
    let words: Vec<_> = name.split_whitespace().collect();
    let is_name = |word: &&&str| word.chars().next().is_some_and(char::is_uppercase);
    text.len() < 50
        && words.len() <= 8
        && 2 * words.iter().filter(is_name).count() > words.len()
        && words.first().is_some_and(|first| is_name(&first))
        && !name.ends_with(['.', ':', '?', '!'])
        && !name.contains(". ")
        && !name.contains(", the ")
}

/// When the text was published: nothing but a date that says so.
pub(super) fn is_dateline(page: &Page, element: &Element) -> bool {
    let Some(text) = short(page, &element.node, &["p", "div"]) else { return false };
    let times: Vec<_> = element.node.descendants_it().filter(|inner| inner.has_name("time")).collect();
    let text = text.to_lowercase();
    if times.is_empty() {
        let starts = ["published:", "updated:", "last updated:", "posted:", "published on ", "posted on "];
        return text.len() < 50
            && starts.iter().any(|start| text.starts_with(start))
            && text.contains(|c: char| c.is_ascii_digit());
    }
    let mut rest = text;
    for time in &times {
        let time = time.text().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        rest = rest.replacen(&time, " ", 1);
    }
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let says = words.peek().is_some()
        || times.iter().any(|time| {
            time.has_attr("pubdate")
                || time
                    .attr("itemprop")
                    .is_some_and(|property| matches!(&*property, "datePublished" | "dateModified"))
        });
    says && words.all(|word| DATING.contains(&word))
}

/// "Photo: Ann Example", or the name of an agency.
pub(super) fn is_credit(page: &Page, element: &Element) -> bool {
    let Some(text) = short(page, &element.node, &["p", "div"]) else { return false };
    let text = text.to_lowercase();
    CREDITS.iter().any(|start| text.starts_with(start)) || AGENCIES.iter().any(|agency| text.contains(agency))
}
