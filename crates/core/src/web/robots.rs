//! What a site lets a crawler read: robots.txt (RFC 9309), with the widely used Crawl-delay and Sitemap.

use super::WebUrl;
use super::glob::Glob;
use super::percent;
use core::time::Duration;

/// As much of a file as is read, in bytes; the RFC asks for at least this.
const MAX_BYTES: usize = 500 * 1024;
const MAX_SITEMAPS: usize = 20;
/// The longest address of a sitemap, in bytes.
const MAX_SITEMAP_URL_BYTES: usize = 2000;

/// The rules of a site for one crawler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    group: Group,
    sitemaps: Vec<String>,
}

/// What stands under the name of a crawler.
#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allows: bool,
    /// Its length, which is how specific it is.
    octets: usize,
    pattern: Glob,
}

impl Robots {
    /// The rules of a site without robots.txt.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// The rules of a site whose robots.txt is not known.
    pub fn disallow_all() -> Self {
        let group = Group { rules: vec![Rule::read(false, b"/")], delay: None };
        Self { group, sitemaps: Vec::new() }
    }

    /// The rules after an answer to the request for robots.txt: a file that does not exist allows all, a server in trouble
    /// nothing. 429 is trouble too: the server asks for fewer requests. Redirects were followed before.
    pub fn of_status(status: u16, body: &[u8], agent: &str) -> Self {
        match status {
            200..=299 => Self::parse(body, agent),
            429 => Self::disallow_all(),
            300..=499 => Self::allow_all(),
            _ => Self::disallow_all(),
        }
    }

    /// Reads the first 500 KiB of a file. `agent` is the value of User-Agent, of which the part before `/` counts: the groups
    /// with just this name, or else those of `*`.
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let agent = product_token(agent.as_bytes());
        let mut own: Option<Group> = None;
        let mut any = Group::default();
        let mut sitemaps = Vec::new();
        let (mut for_own, mut for_any, mut in_names) = (false, false, false);
        for (field, value) in lines(body) {
            if field.eq_ignore_ascii_case(b"sitemap") {
                push_sitemap(&mut sitemaps, value);
                continue;
            }
            if field.eq_ignore_ascii_case(b"user-agent") {
                let name = product_token(value);
                (for_own, for_any) = (in_names && for_own, in_names && for_any);
                for_own |= !agent.is_empty() && name.eq_ignore_ascii_case(agent);
                for_any |= name == b"*";
                in_names = true;
                if for_own {
                    own.get_or_insert_default();
                }
                continue;
            }
            let Some(line) = Line::read(field, value) else { continue };
            in_names = false;
            if let Some(own) = own.as_mut().filter(|_| for_own) {
                own.add(&line);
            }
            if for_any {
                any.add(&line);
            }
        }
        Self { group: own.unwrap_or(any), sitemaps }
    }

    /// Whether the crawler may read a page of the site: the longest rule that matches says it, and one that allows before
    /// one that does not.
    pub fn allows(&self, url: &WebUrl) -> bool {
        if url.path() == "/robots.txt" {
            return true;
        }
        let forms = forms(url);
        let rules = self.group.rules.iter();
        let matching = rules.filter(|rule| forms.iter().any(|form| rule.pattern.matches(form)));
        matching.max_by_key(|rule| (rule.octets, rule.allows)).is_none_or(|rule| rule.allows)
    }

    /// The time between two requests that the site asks for; it can be very long.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.group.delay
    }

    /// The sitemaps of the site as written, in graphic ASCII; a few sites write them without their host. At most 20.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// A line of a group.
enum Line {
    Rule(Rule),
    Delay(Duration),
    /// A rule without a pattern: no rule, but the names of the group end here.
    Nothing,
}

impl Line {
    fn read(field: &[u8], value: &[u8]) -> Option<Self> {
        let is = |name: &str| field.eq_ignore_ascii_case(name.as_bytes());
        if is("crawl-delay") {
            return Some(seconds(value).map_or(Self::Nothing, Self::Delay));
        }
        let allows = is("allow");
        (allows || is("disallow")).then(|| match value {
            [] => Self::Nothing,
            pattern => Self::Rule(Rule::read(allows, pattern)),
        })
    }
}

impl Group {
    fn add(&mut self, line: &Line) {
        match line {
            Line::Rule(rule) => self.rules.push(rule.clone()),
            // Of several the most polite one.
            Line::Delay(delay) => self.delay = self.delay.max(Some(*delay)),
            Line::Nothing => {}
        }
    }
}

impl Rule {
    /// A pattern matches the beginnings of paths, unless it ends with `$`.
    fn read(allows: bool, pattern: &[u8]) -> Self {
        let (text, is_whole) = pattern.strip_suffix(b"$").map_or((pattern, false), |text| (text, true));
        let parts = text.split(|&byte| byte == b'*').map(|part| literal(&percent::normalized(part)));
        let mut parts: Vec<_> = parts.collect();
        let octets = parts.iter().map(|part| part.len() + 1).sum::<usize>() - 1 + usize::from(is_whole);
        if !is_whole {
            parts.push(String::new());
        }
        Self { allows, octets, pattern: Glob::of_parts(parts) }
    }
}

/// Patterns write the characters that are special in them as codes; so does a URL that is compared with them.
fn literal(text: &str) -> String {
    text.replace('*', "%2A").replace('$', "%24")
}

/// The path and query of a URL as patterns may write them: slashes and colons of the query as they are, as codes, and as
/// this URL has them.
fn forms(url: &WebUrl) -> Vec<String> {
    let text = literal(url.path_and_query());
    let mut forms = Vec::new();
    if let Some((path, query)) = text.split_once('?') {
        forms.push(format!("{path}?{}", query.replace('/', "%2F").replace(':', "%3A")));
        forms.push(format!("{path}?{}", query.replace("%2F", "/").replace("%3A", ":")));
    }
    forms.retain(|form| *form != text);
    forms.push(text);
    forms
}

/// The names and values of the lines.
fn lines(body: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let read = match body.get(..MAX_BYTES) {
        // Half a line might forbid more than the whole.
        Some(read) => read.iter().rposition(|byte| b"\r\n".contains(byte)).and_then(|end| read.get(..end)),
        None => Some(body),
    };
    let read = read.unwrap_or_default();
    let read = read.strip_prefix("\u{feff}".as_bytes()).unwrap_or(read);
    read.split(|byte| b"\r\n".contains(byte)).filter_map(|line| {
        let line = line.split(|&byte| byte == b'#').next()?;
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (field, value) = line.split_at_checked(colon)?;
        Some((field.trim_ascii(), value.get(1..)?.trim_ascii()))
    })
}

/// The name of a crawler without its version.
fn product_token(agent: &[u8]) -> &[u8] {
    let ends = |byte: &u8| *byte == b'/' || byte.is_ascii_whitespace();
    agent.trim_ascii_start().split(ends).next().unwrap_or_default()
}

fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds = core::str::from_utf8(value).ok()?.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn push_sitemap(sitemaps: &mut Vec<String>, address: &[u8]) {
    if sitemaps.len() < MAX_SITEMAPS && (1..=MAX_SITEMAP_URL_BYTES).contains(&address.len()) {
        let address = percent::normalized(address);
        if !sitemaps.contains(&address) {
            sitemaps.push(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allows(body: &str, agent: &str, path: &str) -> bool {
        let url = WebUrl::parse("https://example.com/").unwrap().join(path).unwrap();
        Robots::parse(body.as_bytes(), agent).allows(&url)
    }

    /// RFC 9309, section 5.1.
    const SIMPLE: &str = "\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
";

    #[test]
    fn follows_the_simple_example() {
        for (agent, path, expected) in [
            ("other", "/publications/a", true),
            ("other", "/publications/a.gif", true),
            ("other", "/a.gif", false),
            ("other", "/a.gif?b", true),
            ("other", "/example/", false),
            ("other", "/", true),
            ("FooBot/2.1 (+https://example.com)", "/example/page.html", true),
            ("foobot", "/example/allowed.gif", true),
            ("foobot", "/publications/", false),
            ("barbot", "/example/page.html", false),
            ("bazbot", "/example/page.html", false),
            ("bazbot", "/example/page", true),
            ("quxbot", "/example/page.html", true),
            ("foobot", "/robots.txt", true),
        ] {
            assert_eq!(allows(SIMPLE, agent, path), expected, "{agent} {path}");
        }
    }

    #[test]
    fn the_longest_match_decides() {
        // RFC 9309, section 5.2.
        let body = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
        assert!(!allows(body, "foobot", "/example/page/disallowed.gif"));
        assert!(allows(body, "foobot", "/example/page/a"));
        assert!(allows("User-agent: *\nDisallow: /a\nAllow: /a", "x", "/a"));
        assert!(allows("User-agent: *\nAllow: /a$\nDisallow: /", "x", "/a"));
        assert!(!allows("User-agent: *\nAllow: /a$\nDisallow: /", "x", "/a/"));
        assert!(allows("User-agent: *\nDisallow:", "x", "/a"));
    }

    #[test]
    fn compares_encoded_characters() {
        // RFC 9309, section 2.2.2 and 2.2.3.
        for (rule, path, expected) in [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz", true),
            ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true),
            ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", true),
            ("/*=https://", "/foo/bar?baz=https://foo.bar", true),
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
            ("/foo/bar/%e3%83%84", "/foo/bar/ツ", true),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
            ("/a%2fb", "/a/b", false),
            ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true),
            ("/path/file-with-a-%2A.html", "/path/file-with-a-x.html", false),
            ("/path/foo-%24", "/path/foo-$", true),
            ("/a$b", "/a$b", true),
            ("/*/b$", "/a/c/b", true),
            ("/*/b$", "/a/c/bc", false),
            ("a", "/a", false),
            ("/A", "/a", false),
        ] {
            let body = format!("user-agent: *\ndisallow: {rule}");
            assert_eq!(!allows(&body, "x", path), expected, "{rule} {path}");
        }
        let latin = Robots::parse(b"user-agent: *\ndisallow: /\xfc", "x");
        assert!(!latin.allows(&WebUrl::parse("https://h/%FC").unwrap()));
    }

    #[test]
    fn merges_groups_and_ignores_other_lines() {
        let body = "\u{feff}# a comment\r\nUSER-AGENT : kb_rag/1.0 # me\rUnknown: /\r\nSitemap: https://h/s.xml\r\n\
            User-agent: other\r\nno colon\r\nDisallow: /a # b\r\n\r\nUser-agent: *\r\nDisallow: /\r\n\r\n\
            User-agent: KB_RAG\r\nDisallow: /b\r\n";
        for (path, expected) in [("/a", false), ("/b", false), ("/c", true)] {
            assert_eq!(allows(body, "kb_rag", path), expected, "{path}");
        }
        assert!(allows(body, "other", "/b") && !allows(body, "other", "/a"));
        assert!(!allows(body, "kb_rag_2", "/c") && !allows(body, "", "/c") && !allows(body, "kb", "/c"));
        assert!(!allows("user-agent: *\nuser-agent: me\ndisallow: /", "me", "/a"));
        // Rules before any name are nobody's.
        assert!(allows("Disallow: /", "x", "/a"));
    }

    #[test]
    fn reads_delays_and_sitemaps() {
        let delay = |value: &str| {
            Robots::parse(format!("user-agent: *\ncrawl-delay: {value}").as_bytes(), "x").crawl_delay()
        };
        assert_eq!(delay("1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(delay("10"), Some(Duration::from_secs(10)));
        for nonsense in ["", "-1", "nan", "inf", "1e400", "1e30", "two", "1 s"] {
            assert_eq!(delay(nonsense), None, "{nonsense}");
        }
        // A delay belongs to the names before it alone.
        let body = "user-agent: *\ncrawl-delay: 3\n\nuser-agent: bad\ndisallow: /";
        assert!(allows(body, "x", "/a"));
        let body: String = (0..30).map(|i| format!("Sitemap: https://h/{}.xml\n", i / 2 * 2)).collect();
        let robots = Robots::parse((body.clone() + "sitemap: /ü\0.xml\nsitemap:\n").as_bytes(), "x");
        assert_eq!(robots.sitemaps().len(), 16);
        assert_eq!(robots.sitemaps().last().unwrap(), "/%C3%BC%00.xml");
        let body: String = (0..30).map(|i| format!("Sitemap: https://h/{i}.xml\n")).collect();
        assert_eq!(Robots::parse(body.as_bytes(), "x").sitemaps().len(), MAX_SITEMAPS);
    }

    #[test]
    fn status_decides_without_a_file() {
        let page = WebUrl::parse("https://h/a").unwrap();
        for (status, expected) in
            [(200, false), (404, true), (403, true), (301, true), (429, false), (503, false)]
        {
            let robots = Robots::of_status(status, b"user-agent: *\ndisallow: /a", "x");
            assert_eq!(robots.allows(&page), expected, "{status}");
        }
        assert!(Robots::disallow_all().allows(&WebUrl::parse("https://h/robots.txt").unwrap()));
    }

    #[test]
    fn reads_whole_lines_of_the_first_500_kib() {
        let page = WebUrl::parse("https://h/a").unwrap();
        let head = "user-agent: *\n";
        let body = |line: &str, end: usize| {
            format!("{head}{}\n{line}", "x".repeat(end - head.len() - 1 - line.len()))
                + "private\ndisallow: /a"
        };
        assert!(Robots::parse(body("disallow: /", MAX_BYTES).as_bytes(), "x").allows(&page));
        assert!(!Robots::parse(body("disallow: /a\n", MAX_BYTES).as_bytes(), "x").allows(&page));
        assert!(Robots::parse("x".repeat(MAX_BYTES * 2).as_bytes(), "x").allows(&page));
    }

    #[test]
    fn time_is_linear_in_patterns() {
        let page = WebUrl::parse(&format!("https://h/{}", "a".repeat(1900))).unwrap();
        let rule = format!("disallow: /{}b\n", "*a".repeat(1000));
        let body = "user-agent: *\n".to_owned() + &rule.repeat(MAX_BYTES / rule.len());
        assert!(Robots::parse(body.as_bytes(), "x").allows(&page));
    }

    proptest! {
        #[test]
        fn never_panics(body in proptest::collection::vec(any::<u8>(), 0..200), agent in any::<String>()) {
            Robots::parse(&body, &agent).allows(&WebUrl::parse("https://h/a?b").unwrap());
        }

        #[test]
        fn reads_any_lines(lines in "((user-agent|disallow|allow|crawl-delay|sitemap|x): ?[*/a$%2:.]{0,6}[\r\n#]{1,2}){0,8}") {
            let robots = Robots::parse(lines.as_bytes(), "a");
            robots.allows(&WebUrl::parse("https://h/a%2F/$?a").unwrap());
            let is_graphic = |address: &String| address.bytes().all(|byte| byte.is_ascii_graphic());
            prop_assert!(robots.sitemaps().iter().all(is_graphic));
        }

        #[test]
        fn the_longest_beginning_decides(
            rules in proptest::collection::vec((any::<bool>(), "/[ab/]{0,4}"), 0..6),
            path in "/[ab][ab/]{0,6}",
        ) {
            let line = |(allow, path): &(bool, String)| format!("{}: {path}\n", if *allow { "allow" } else { "disallow" });
            let body = "user-agent: *\n".to_owned() + &rules.iter().map(line).collect::<String>();
            let matching = rules.iter().filter(|(_, rule)| path.starts_with(rule));
            let expected = matching.map(|(allow, rule)| (rule.len(), *allow)).max().is_none_or(|(_, allow)| allow);
            prop_assert_eq!(allows(&body, "x", &path), expected);
        }
    }
}
