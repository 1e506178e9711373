use dom_query::Document;

use super::*;

/// The text that is left of a page, its words apart.
fn shown(html: &str) -> String {
    let html = format!("<body><h1>Answers</h1><p>{}</p>{html}", "text ".repeat(30));
    let document = Document::from(html);
    remove(&document, &Measures::of(&document.body().unwrap()));
    let text = document.body().unwrap().text();
    let text = text.split_once("text text").unwrap().1.replace("text", " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_control_opens_is_shown() {
    for (html, expected) in [
        ("<button aria-controls=a>Q </button><div id=a hidden>A</div>", "Q A"),
        ("<button aria-controls='x a'>Q </button><div id=a style='Display: none !important'>A</div>", "Q A"),
        ("<a role=button href=#a>Q </a><div id=a aria-hidden=true>A</div>", "Q A"),
        (
            "<h3 id=h><button data-bs-toggle=collapse data-bs-target=#a>Q </button></h3><div id=a style='height: 0px'>A</div>",
            "Q A",
        ),
        ("<h3 id=h><button>Q </button></h3><div aria-labelledby=h style='max-height:0'>A</div>", "Q A"),
        (
            "<div id=h role=button aria-expanded=false>Q </div><div style='height:0'><div><p aria-labelledby=h>A</div></div>",
            "Q A",
        ),
        ("<button aria-expanded=false>Q </button><div hidden>A</div>", "Q A"),
        ("<h3><button aria-expanded=false>Q </button></h3><div hidden>A</div>", "Q A"),
        ("<details><summary>Q </summary><div hidden>A</div></details>", "Q A"),
        (
            "<div><ul role=tablist><li role=tab>Q <li role=tab>R </ul><div><div role=tabpanel>A </div><div role=tabpanel hidden>B</div></div></div>",
            "Q R A B",
        ),
        ("<button role=tab aria-controls=a>Details </button><div id=a hidden>A</div>", "Details A"),
        // What is opened opens more.
        (
            "<button aria-controls=a>Q </button><div id=a hidden>A <button aria-controls=b>R </button><p id=b hidden>B</p></div>",
            "Q A R B",
        ),
        ("<p hidden=until-found>A</p>", "A"),
        ("<p style='opacity:0; transform: translateY(9px)'>A</p>", "A"),
    ] {
        assert_eq!(shown(html), expected, "{html}");
    }
}

#[test]
fn what_nothing_opens_is_hidden() {
    for html in [
        "<div hidden>A</div>",
        "<p style='display:none'>A</p>",
        "<p style='visibility: hidden'>A</p>",
        "<p aria-hidden=TRUE>A</p>",
        "<p style='height:0;overflow:hidden'>A</p>",
        "<p style='font-size:0px'>A</p>",
        "<p style='opacity:0.0'>A</p>",
        "<p style='position:absolute;left:-9999px'>A</p>",
        "<p style='clip: rect(0 0 0 0)'>A</p>",
        "<p style='color:transparent'>A</p>",
        "<p style='color: #fff; background-color: #fff'>A</p>",
        // Something else is opened, or what opens it is hidden itself, or within it.
        "<button aria-controls=b></button><div id=a hidden>A</div>",
        "<div hidden><button aria-controls=a>Q</button></div><div id=a hidden>A</div>",
        "<div id=a hidden><button aria-controls=a>Q</button>A</div>",
        "<button></button><div hidden>A</div>",
        "<button aria-expanded=false aria-controls=b></button><div hidden>A</div>",
        "<details><summary></summary><div><p hidden>A</p></div></details>",
        "<button aria-controls=a></button><p id=a style='font-size:0'>A</p>",
        // No content.
        "<button aria-controls=a></button><nav id=a hidden>A</nav>",
        "<button aria-controls=a aria-haspopup=menu></button><ul id=a hidden><li>A</ul>",
        "<button data-toggle=modal data-target=#a></button><div id=a hidden>A</div>",
        "<button aria-controls=a></button><div id=a role=dialog hidden>A</div>",
        "<button aria-controls=a></button><ul id=a hidden><li><a href=/>A</a></ul>",
        "<button aria-controls=a></button><div class=cookie-box><p id=a hidden>A</p></div>",
    ] {
        assert_eq!(shown(html), "", "{html}");
    }
}

#[test]
fn what_scripts_show_is_shown() {
    let page = |html: &str| {
        let document = Document::from(html);
        remove(&document, &Measures::of(&document.body().unwrap()));
        document.body().unwrap().text().to_string()
    };
    assert_eq!(page("<body style='visibility:hidden'>A"), "A");
    let long = "text ".repeat(300);
    assert!(page(&format!("<p>Wait</p><div hidden><h1>A</h1>{long}</div>")).contains("text"));
    // Headings are what a page has; this may be for a language model.
    assert_eq!(page(&format!("<p>Hello</p><div hidden>{long}</div>")), "Hello");
}
