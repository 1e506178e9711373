//! Pages whose text is known: trees of elements in which each word occurs once.

use crate::soup::Random;

/// A page, the words that are shown, in their order, and words that are not.
#[derive(Debug, Default)]
pub struct Tree {
    pub page: String,
    pub shown: Vec<String>,
    pub hidden: Vec<String>,
    words: usize,
}

/// Elements within a line.
const INLINE: [&str; 26] = [
    "a href=/x",
    "abbr",
    "b",
    "bdi",
    "cite",
    "code",
    "data value=1",
    "del",
    "dfn",
    "em",
    "i",
    "ins",
    "kbd",
    "label",
    "mark",
    "meter",
    "output",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "time",
    "u",
    "var",
];
/// Elements around blocks. None says that it is the content, so that the extractor of the main content has no choice.
const AROUND: [&str; 13] = [
    "blockquote",
    "center",
    "details",
    "div",
    "div class=note",
    "div class='admonition tip'",
    "fieldset",
    "figure",
    "section",
    "section class=warning",
    "div id=part",
    "div class='alert alert-info'",
    "address",
];
/// How text is hidden that nothing opens.
const HIDDEN: [&str; 7] = [
    "div hidden",
    "p style='display:none'",
    "span aria-hidden=true",
    "p style='font-size:0'",
    "div style='height:0;overflow:hidden'",
    "template",
    "p style='position:absolute; left:-9999px'",
];

impl Tree {
    /// A page with its content in an element that may say so.
    pub fn random(random: &mut Random) -> Tree {
        let mut tree = Tree::default();
        let main = ["main", "article", "div role=main"][random.below(3)];
        tree.page
            .push_str("<!DOCTYPE html><html><head><meta charset=utf-8><title>Other</title></head><body>");
        if random.below(2) == 0 {
            tree.page.push_str("<nav><ul><li><a href=/>");
            tree.secret();
            tree.page.push_str("</a></ul></nav>");
        }
        tree.element(main, |tree| {
            tree.element("h1", |tree| tree.text(random, 3));
            for _ in 0..1 + random.below(14) {
                tree.block(random, 0);
            }
        });
        if random.below(2) == 0 {
            tree.page.push_str("<footer>");
            tree.secret();
            tree.page.push_str("</footer>");
        }
        tree
    }

    /// What differs between the words of the page and those of a content.
    pub fn differences(&self, content: &str) -> Vec<String> {
        let is_of_page = |word: &&str| {
            word.strip_prefix('w')
                .and_then(|word| word.strip_suffix('e'))
                .is_some_and(|n| n.parse::<usize>().is_ok())
        };
        let found: Vec<_> = content.split(|c: char| !c.is_alphanumeric()).filter(is_of_page).collect();
        let mut differences = Vec::new();
        for word in &self.shown {
            match found.iter().filter(|found| *found == word).count() {
                1 => (),
                count => differences.push(format!("{word} is {count} times in it")),
            }
        }
        differences.extend(
            self.hidden.iter().filter(|word| found.contains(&word.as_str())).map(|w| format!("{w} is in it")),
        );
        if differences.is_empty() && found != self.shown {
            differences.push("the order is another".to_owned());
        }
        differences
    }

    fn element(&mut self, tag: &str, content: impl FnOnce(&mut Tree)) {
        let name = tag.split(' ').next().unwrap_or(tag);
        self.page.push_str(&format!("<{tag}>"));
        content(self);
        self.page.push_str(&format!("</{name}>"));
    }

    fn word(&mut self) -> String {
        self.words += 1;
        format!("w{}e", self.words)
    }

    fn secret(&mut self) {
        let word = self.word();
        self.page.push_str(&word);
        self.hidden.push(word);
    }

    fn text(&mut self, random: &mut Random, most: usize) {
        for _ in 0..1 + random.below(most) {
            let word = self.word();
            self.page.push_str(&word);
            self.page.push(' ');
            self.shown.push(word);
        }
    }

    fn line(&mut self, random: &mut Random, depth: usize) {
        for _ in 0..1 + random.below(3) {
            if depth < 3 && random.below(3) == 0 {
                let tag = INLINE[random.below(INLINE.len())];
                // What follows struck text decides whether it is written.
                self.element(tag, |tree| match tag {
                    // Nor is it a list of links.
                    "del" | "s" | "a href=/x" => tree.text(random, 2),
                    _ => tree.line(random, depth + 1),
                });
                self.page.push_str(if matches!(tag, "del" | "s") { " so. " } else { " " });
                if tag == "a href=/x" {
                    self.text(random, 1);
                    self.text(random, 1);
                    self.text(random, 9);
                }
            } else {
                self.text(random, 25);
            }
        }
    }

    fn block(&mut self, random: &mut Random, depth: usize) {
        match random.below(if depth < 4 { 12 } else { 5 }) {
            0..=2 => self.element("p", |tree| tree.line(random, 0)),
            3 => self.line(random, 0),
            4 => {
                let tag = ["h2", "h3", "h4", "pre", "p"][random.below(5)];
                self.element(tag, |tree| tree.text(random, 4));
            }
            5 => self.element(HIDDEN[random.below(HIDDEN.len())], Tree::secret),
            6 => self.list(random, depth),
            7 | 8 => self.table(random, depth),
            9 => self.element("dl", |tree| {
                for _ in 0..1 + random.below(3) {
                    tree.element("dt", |tree| tree.text(random, 2));
                    tree.element("dd", |tree| tree.line(random, 0));
                }
            }),
            10 => self.element("figure", |tree| {
                tree.page.push_str("<img src=a.png>");
                tree.element("figcaption", |tree| tree.line(random, 0));
            }),
            _ => {
                let tag = AROUND[random.below(AROUND.len())];
                self.element(tag, |tree| {
                    if tag == "details" {
                        // The summary opens what is hidden beside it.
                        tree.element("summary", |tree| tree.text(random, 4));
                        return tree.element("div", |tree| tree.block(random, depth + 1));
                    }
                    for _ in 0..1 + random.below(3) {
                        tree.block(random, depth + 1);
                    }
                });
            }
        }
    }

    fn list(&mut self, random: &mut Random, depth: usize) {
        let tag = ["ul", "ol", "ol start=7", "ol type=a", "ol reversed"][random.below(5)];
        self.element(tag, |tree| {
            for number in 0..1 + random.below(4) {
                let item = if number == 1 { "li value=30" } else { "li" };
                tree.element(item, |tree| {
                    tree.line(random, 0);
                    if random.below(3) == 0 {
                        tree.block(random, depth + 1);
                    }
                });
            }
        });
    }

    fn table(&mut self, random: &mut Random, depth: usize) {
        self.element("table", |tree| {
            if random.below(3) == 0 {
                tree.element("caption", |tree| tree.text(random, 4));
            }
            for _ in 0..1 + random.below(5) {
                tree.element("tr", |tree| {
                    for _ in 0..1 + random.below(4) {
                        let span =
                            ["", "", "", " colspan=2", " rowspan=3", " colspan=9 rowspan=2"][random.below(6)];
                        let cell = format!("{}{span}", ["td", "th"][random.below(2)]);
                        tree.element(&cell, |tree| match random.below(8) {
                            0 => tree.block(random, depth + 1),
                            1 => tree.list(random, depth + 2),
                            2 => (),
                            _ => tree.text(random, 3),
                        });
                    }
                });
            }
        });
    }
}
