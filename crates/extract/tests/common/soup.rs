//! Pages of random tags, and random changes of pages.

/// Parts of pages, many of them wrong.
const PARTS: [&str; 84] = [
    "<p>",
    "</p>",
    "<div class='main content'>",
    "</div>",
    "<ul>",
    "<li>",
    "</ul>",
    "<ol start=7>",
    "</li>",
    "<table>",
    "<tr>",
    "<td>",
    "<td colspan=3 rowspan=2>",
    "<th>",
    "</table>",
    "</tr>",
    "</td>",
    "<caption>",
    "<tbody>",
    "<h1>",
    "</h1>",
    "<h2 id=a>",
    "</h2>",
    "<pre>",
    "</pre>",
    "<code class=language-c>",
    "</code>",
    "<b>",
    "</b>",
    "<i>",
    "<a href='x'>",
    "</a>",
    "<span style='display:none'>",
    "</span>",
    "<p hidden>",
    "<section aria-hidden=true>",
    "</section>",
    "<br>",
    "<img alt='x' src=y>",
    "<script>SECRETSCRIPT<!--",
    "</script>",
    "<style>SECRETSTYLE{",
    "</style>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<select>",
    "<option>",
    "</select>",
    "<form>",
    "</form>",
    "<input>",
    "<button>",
    "</button>",
    "<svg>",
    "<foreignObject>",
    "</svg>",
    "<math>",
    "<mi>",
    "</math>",
    "<textarea>",
    "</textarea>",
    "<title>",
    "</title>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "<",
    ">",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "\0",
    "\u{c}",
    "\u{ad}",
    "<article>",
    "<main>",
    "<blockquote>",
    "<details>",
    "word word, word. ",
    "A longer sentence with several words in it, so that there is something to find in this page. ",
];

/// Numbers at random, from a seed (xorshift, Marsaglia 2003).
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }
}

/// A page of random parts.
pub fn soup(random: &mut Random) -> Vec<u8> {
    let parts = 1 + random.below(400);
    let mut page = Vec::new();
    for _ in 0..parts {
        let part = PARTS[random.below(PARTS.len())];
        let times = if random.below(60) == 0 { 1 + random.below(200) } else { 1 };
        page.extend(part.repeat(times).bytes());
    }
    page
}

/// Changes a page at some places.
pub fn mutate(page: &[u8], random: &mut Random) -> Vec<u8> {
    let mut page = page[..page.len().min(200_000)].to_vec();
    for _ in 0..1 + random.below(30) {
        let at = random.below(page.len() + 1);
        let end = page.len().min(at + 1 + random.below(300));
        match random.below(6) {
            0 => drop(page.drain(at..end)),
            1 => {
                let copy = page[at..end].to_vec();
                let to = random.below(page.len() + 1);
                page.splice(to..to, copy);
            }
            2 => {
                let part = PARTS[random.below(PARTS.len())];
                page.splice(at..at, part.bytes());
            }
            3 if at < page.len() => page[at] = random.below(256) as u8,
            4 => page.truncate(at.max(100)),
            _ => {
                let part = PARTS[random.below(PARTS.len())].repeat(random.below(100));
                page.splice(at..at, part.bytes());
            }
        }
    }
    page
}
