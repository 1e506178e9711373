//! The URL of a page, in one form for all spellings of it.

use super::percent;
use core::fmt;
use core::str::FromStr;
use url::{ParseError, Position, Url};

/// The longest URL, in bytes. Sitemaps allow 2,048 characters; few servers take more than 8,000.
const MAX_BYTES: usize = 2000;
/// The longest text that is tried: a fragment or `..` may make the URL shorter.
const MAX_INPUT_BYTES: usize = 8 * MAX_BYTES;

/// Segments of a path that only a trap for crawlers has.
const MANY_SEGMENTS: usize = 20;
/// Endings of the names of files that have no text.
const WITHOUT_TEXT: [&str; 50] = [
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "eot", "exe", "flac",
    "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a", "mjs", "mkv", "mov", "mp3", "mp4",
    "mpeg", "msi", "ogg", "otf", "png", "pptx", "rar", "rpm", "svg", "tar", "tgz", "tif", "tiff", "ttf",
    "wav", "webm", "webp", "woff", "woff2", "zip",
];
/// How often a segment may stand in a path.
const REPETITIONS: usize = 3;

/// The http or https URL of a page: absolute, without user name, fragment, default port and empty query, `.` and `..`
/// resolved and percent-encoding as in RFC 3986, section 6.2.2. Graphic ASCII; at most 2,000 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebUrl(Url);

/// Why a text is no [`WebUrl`]. Its words follow `url "…"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlFault {
    /// Another scheme, or none.
    Scheme,
    /// A user name or a password would be shown to everyone who reads the source.
    UserName,
    /// More than 2,000 bytes.
    TooLong,
    /// Not a URL.
    Invalid(ParseError),
}

impl fmt::Display for UrlFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            UrlFault::Scheme => f.write_str("must begin with http:// or https://"),
            UrlFault::UserName => f.write_str("must not contain a user name"),
            UrlFault::TooLong => write!(f, "is longer than {MAX_BYTES} bytes"),
            UrlFault::Invalid(error) => write!(f, "is not a valid URL: {error}"),
        }
    }
}

impl core::error::Error for UrlFault {}

impl WebUrl {
    /// Reads an absolute URL, as browsers do (WHATWG URL Standard), with white space around it.
    ///
    /// # Errors
    /// For a text that is no URL of a web page.
    pub fn parse(text: &str) -> Result<Self, UrlFault> {
        let url = Url::parse(within_limit(text)?).map_err(|error| match error {
            ParseError::RelativeUrlWithoutBase => UrlFault::Scheme,
            error => UrlFault::Invalid(error),
        })?;
        Self::normalized(&url)
    }

    /// The URL that a link in this page leads to. None for one that leads to no web page, as `mailto:…` does.
    pub fn join(&self, href: &str) -> Option<Self> {
        let url = self.0.join(within_limit(href).ok()?).ok()?;
        Self::normalized(&url).ok()
    }

    fn normalized(url: &Url) -> Result<Self, UrlFault> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlFault::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlFault::UserName);
        }
        let path = percent::normalized(url.path().as_bytes());
        let query =
            url.query().map(|query| percent::normalized(query.as_bytes())).filter(|query| !query.is_empty());
        Self::of_parts(&url[..Position::BeforePath], &path, query.as_deref())
    }

    fn of_parts(origin: &str, path: &str, query: Option<&str>) -> Result<Self, UrlFault> {
        let mut text = format!("{origin}{path}");
        if let Some(query) = query {
            text.push('?');
            text.push_str(query);
        }
        if text.len() > MAX_BYTES {
            return Err(UrlFault::TooLong);
        }
        Url::parse(&text).map(Self).map_err(UrlFault::Invalid)
    }

    /// The whole URL, which is the key of its page.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Scheme, host and, where it is not the default one, port: `https://example.com:8443`.
    pub fn origin(&self) -> &str {
        &self.0[..Position::BeforePath]
    }

    /// The host in lower case; an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Host and port, the port also where it is that of the scheme: `example.com:443`.
    pub fn host_and_port(&self) -> String {
        format!("{}:{}", self.host(), self.0.port_or_known_default().unwrap_or_default())
    }

    /// The last segment of the path, where that looks like the name of a file: `guide.pdf`.
    pub fn file_name(&self) -> Option<&str> {
        self.path().rsplit('/').next().filter(|name| name.contains('.'))
    }

    /// False for the names of files that have no text: images, sounds, programs, archives.
    pub fn may_be_text(&self) -> bool {
        let ending = self.file_name().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
        ending.is_none_or(|ending| !WITHOUT_TEXT.iter().any(|other| ending.eq_ignore_ascii_case(other)))
    }

    /// The path; it begins with `/`.
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// The path and, after `?`, the query if there is one.
    pub fn path_and_query(&self) -> &str {
        &self.0[Position::BeforePath..Position::AfterQuery]
    }

    /// The same page without the parameters that only say where a visitor came from.
    #[must_use]
    pub fn for_crawl(self) -> Self {
        let Some(query) = self.0.query() else { return self };
        let kept = query.split('&').filter(|parameter| !is_tracking(parameter)).collect::<Vec<_>>().join("&");
        if kept.len() == query.len() {
            return self;
        }
        let kept = Some(kept.as_str()).filter(|kept| !kept.is_empty());
        // A shorter query is no fault.
        Self::of_parts(self.origin(), self.path(), kept).unwrap_or(self)
    }

    /// Whether it looks like one of the endless pages that a wrong relative link makes: more than 20 segments, or one of
    /// them more than three times.
    pub fn is_trap(&self) -> bool {
        let segments = self.path().split('/').filter(|segment| !segment.is_empty());
        let segments: Vec<_> = segments.take(MANY_SEGMENTS + 1).collect();
        let times = |segment| segments.iter().filter(|other| **other == segment).count();
        segments.len() > MANY_SEGMENTS || segments.iter().any(|segment| times(*segment) > REPETITIONS)
    }
}

/// The text without white space around it and without its fragment.
fn within_limit(text: &str) -> Result<&str, UrlFault> {
    let text = text.trim();
    let text = text.split_once('#').map_or(text, |(text, _)| text);
    if text.len() > MAX_INPUT_BYTES { Err(UrlFault::TooLong) } else { Ok(text) }
}

/// Whether a parameter is one that newsletters and advertisements add.
fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split_once('=').map_or(parameter, |(name, _)| name);
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    name.get(..4).is_some_and(|beginning| beginning.eq_ignore_ascii_case("utm_"))
        || ["gclid", "fbclid", "mc_cid", "mc_eid"].into_iter().any(is)
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl FromStr for WebUrl {
    type Err = UrlFault;

    fn from_str(text: &str) -> Result<Self, UrlFault> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> WebUrl {
        WebUrl::parse(text).unwrap()
    }

    #[test]
    fn knows_the_parts_of_an_address() {
        for (text, place, name, may_be_text) in [
            ("https://example.com/", "example.com:443", None, true),
            ("http://Example.com:8080/docs/Guide.PDF?page=2", "example.com:8080", Some("Guide.PDF"), true),
            ("http://[::1]/logo.SVG", "[::1]:80", Some("logo.SVG"), false),
            ("https://example.com/v1.2/zip", "example.com:443", None, true),
        ] {
            let url = url(text);
            assert_eq!(
                (url.host_and_port().as_str(), url.file_name(), url.may_be_text()),
                (place, name, may_be_text)
            );
        }
    }

    #[test]
    fn gives_one_form_to_all_spellings() {
        for (text, expected) in [
            (" HTTPS://Example.COM:443/a#b\n", "https://example.com/a"),
            ("http://example.com:80", "http://example.com/"),
            ("http://example.com:8080?", "http://example.com:8080/"),
            ("https://example.com/a/./b/../c?", "https://example.com/a/c"),
            ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
            ("https://example.com/%7euser/ü?q=%c3%bc", "https://example.com/~user/%C3%BC?q=%C3%BC"),
            ("https://example.com\\a", "https://example.com/a"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://example.com/a\tb\n?c d", "https://example.com/ab?c%20d"),
            ("https://example.com/\0a", "https://example.com/%00a"),
            ("https://example.com/%%341", "https://example.com/%2541"),
            ("https://[::1]/", "https://[::1]/"),
        ] {
            assert_eq!(url(text).as_str(), expected, "{text}");
        }
        assert_eq!(url(&format!("https://h/#{}", "x".repeat(10_000))).as_str(), "https://h/");
    }

    #[test]
    fn refuses_what_is_no_page() {
        for (text, words) in [
            ("", "must begin with http:// or https://"),
            ("example.com/a", "must begin with http:// or https://"),
            ("ftp://example.com/", "must begin with http:// or https://"),
            ("data:text/html,x", "must begin with http:// or https://"),
            ("https://me@example.com/", "must not contain a user name"),
            ("https://:secret@example.com/", "must not contain a user name"),
            ("https://example.com:99999/", "is not a valid URL: invalid port number"),
            ("https://", "is not a valid URL: empty host"),
        ] {
            assert_eq!(WebUrl::parse(text).unwrap_err().to_string(), words, "{text}");
        }
        let longest = format!("https://h/{}", "x".repeat(1990));
        assert_eq!(url(&longest).as_str(), longest);
        for text in [longest + "x", format!("https://h/{}", "ü".repeat(400)), "https://h/?".repeat(1 << 20)]
        {
            assert_eq!(WebUrl::parse(&text).unwrap_err().to_string(), "is longer than 2000 bytes");
        }
    }

    #[test]
    fn has_parts() {
        let page = url("https://Example.com:8443/a/b?c=d");
        assert_eq!(page.origin(), "https://example.com:8443");
        assert_eq!((page.host(), page.path()), ("example.com", "/a/b"));
        assert_eq!(page.path_and_query(), "/a/b?c=d");
        assert_eq!(url("https://h").path_and_query(), "/");
        assert_eq!(url("http://[::1]:80/").host(), "[::1]");
    }

    #[test]
    fn follows_links() {
        let page = url("https://h/a/b?c");
        for (href, expected) in [
            ("d", Some("https://h/a/d")),
            (" ../e#f ", Some("https://h/e")),
            ("?g", Some("https://h/a/b?g")),
            ("#top", Some("https://h/a/b?c")),
            ("", Some("https://h/a/b?c")),
            ("//other/x", Some("https://other/x")),
            ("http:x", Some("http://x/")),
            ("mailto:me@example.com", None),
            ("javascript:void(0)", None),
            ("tel:123", None),
            ("//me:secret@h/", None),
        ] {
            assert_eq!(page.join(href).as_ref().map(WebUrl::as_str), expected, "{href}");
        }
    }

    #[test]
    fn drops_tracking_parameters() {
        for (text, expected) in [
            ("https://h/a?utm_source=x&id=1&UTM_Medium=y&gclid=2", "https://h/a?id=1"),
            ("https://h/a?fbclid=1", "https://h/a"),
            ("https://h/a?b&utm%5Fterm=x&&c", "https://h/a?b&&c"),
            ("https://h/a?utmost=1&ugclid=2", "https://h/a?utmost=1&ugclid=2"),
            ("https://h/a", "https://h/a"),
        ] {
            assert_eq!(url(text).for_crawl().as_str(), expected);
        }
    }

    #[test]
    fn recognizes_traps() {
        assert!(url("https://h/a/b/a/b/a/b/a").is_trap());
        assert!(!url("https://h/a/b/a/b/a/").is_trap());
        assert!(
            url(&format!("https://h/{}", (0..21).map(|i| format!("{i}/")).collect::<String>())).is_trap()
        );
        assert!(
            !url(&format!("https://h/{}", (0..20).map(|i| format!("{i}/")).collect::<String>())).is_trap()
        );
        assert!(!url("https://h/////////").is_trap());
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "(https?|ftp|HTTP):/{0,3}[a-z.@:0-9ü]{0,8}[/?#&=%.a-f2E\\\\ \u{0}-\u{7f}]{0,30}",
            "https?://h/\\PC{0,20}",
            "https?://h[/.%2eEuüc5fF?']{0,30}",
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn reading_its_text_is_the_identity(text in texts()) {
            let Ok(url) = WebUrl::parse(&text) else { return Ok(()) };
            prop_assert_eq!(&WebUrl::parse(url.as_str()), &Ok(url.clone()));
            prop_assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
            prop_assert!(url.as_str().bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'));
            prop_assert!(url.path().starts_with('/') && !url.host().is_empty());
            prop_assert!(!url.path().split('/').any(|segment| segment == ".."));
            let crawled = url.clone().for_crawl();
            prop_assert_eq!(crawled.clone().for_crawl(), crawled);
        }

        #[test]
        fn links_stay_in_the_web(base in texts(), href in texts()) {
            let Ok(base) = WebUrl::parse(&base) else { return Ok(()) };
            let Some(url) = base.join(&href) else { return Ok(()) };
            prop_assert!(["http://", "https://"].iter().any(|scheme| url.as_str().starts_with(scheme)));
            prop_assert_eq!(&WebUrl::parse(url.as_str()), &Ok(url.clone()));
        }
    }
}
