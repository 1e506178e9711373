// The page of `kb-rag serve` in Chromium, against the real server. Screenshots go to $SHOTS. Ends with "N passed, N failed".
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import puppeteer from "puppeteer-core";

const { CHROMIUM, KB_RAG, DATABASE, TOKENS, SHOTS, WRITER, READER, ADMIN } = process.env;
const files = mkdtempSync(join(tmpdir(), "kb_rag-page-"));
const corpus = JSON.parse(readFileSync(process.env.CORPUS, "utf8"));
const documents = corpus.length;

// The server on a free port, or one that runs already.
async function serve() {
  if (process.env.URL) return { origin: process.env.URL, end: () => {} };
  const child = spawn(KB_RAG, ["serve", "--listen", "127.0.0.1:0", "--tokens", TOKENS, "--database", DATABASE], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const origin = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/http:\/\/[\d.:]+\d/);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`kb-rag serve ended: ${said}`)));
  });
  const ended = (code, signal) => console.log(`FAILED: kb-rag serve ended (${code ?? signal}): ${said}`);
  child.on("exit", ended);
  return { origin, end: () => child.off("exit", ended).kill() };
}

const { origin, end } = await serve();
const browser = await puppeteer.launch({
  executablePath: CHROMIUM, args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage", "--lang=en-US"], env: { ...process.env, LANGUAGE: "en_US", TZ: "UTC" },
});
const page = await browser.newPage();

// Everything that must not happen, on any page.
const faults = [];
// Statuses that a check brings about; the browser reports each on the console.
let expected = [];
page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
page.on("console", (message) => {
  if (!["error", "warn"].includes(message.type())) return;
  if (message.text().startsWith("Failed to load resource") && expected.some((one) => message.text().includes(one))) return;
  faults.push(`console: ${message.text()}`);
});
page.on("request", (request) => { if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) faults.push(`request to ${request.url()}`); });
browser.on("targetcreated", (target) => { if (target.type() === "page" && target.url() !== "about:blank") faults.push(`opened ${target.url()}`); });

// What the next requests to a path get instead of the server's answer: a function of the request, or undefined to let it pass.
let instead = () => undefined;
await page.setRequestInterception(true);
page.on("request", async (request) => {
  const answer = request.url().includes("/api/") ? await instead(request) : undefined;
  if (answer === "abort") await request.abort();
  else if (answer) await request.respond({ contentType: "application/json", ...answer, body: JSON.stringify(answer.body) });
  else await request.continue();
});

async function until(what, condition) {
  for (let tries = 0; tries < 400; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`waited without success: ${what}\n${(await page.evaluate(() => document.body.innerText)).slice(0, 1500)}`);
}
const text = (selector) => page.evaluate((one) => [...document.querySelectorAll(one)].filter((element) => element.checkVisibility()).map((element) => element.innerText).join("\n"), selector);
const count = (selector) => page.evaluate((one) => [...document.querySelectorAll(one)].filter((element) => element.checkVisibility()).length, selector);
const shows = (what, selector = "body") => until(`"${what}" in ${selector}`, async () => (await text(selector)).includes(what));
const value = (selector) => page.$eval(selector, (element) => element.value);
const fill = (selector, what) => page.locator(selector).fill(what);
// The button or link with this text.
const press = (label, within = "body") => page.locator(`${within} ::-p-text(${label})`).click();
const button = (label) => until(`button ${label}`, () => page.evaluate((one) => {
  const found = [...document.querySelectorAll("button")].find((element) => element.textContent === one && element.checkVisibility());
  found?.click();
  return found !== undefined;
}, label));
// Shows a part, after the last answer for it has come.
async function visit(hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await settled();
}
const settled = () => until("the view is there", () => page.evaluate(() => (document.querySelector("#main").getAttribute("aria-busy") === null || document.querySelector("#main").hidden) &&
  !document.querySelector("#main").innerText.startsWith("Loading") && document.querySelector("#main:not([hidden]) h1, #add:not([hidden]) h1") !== null));
async function enter(query) {
  await fill("#q", query);
  await page.focus("#q");
  await page.keyboard.press("Enter");
}
async function ask(query, mode) {
  await visit("/browse");
  await submit(query, mode);
}
// The same with the base and the source type as they are.
async function submit(query, mode) {
  await page.evaluate((one) => document.querySelector(`input[name=mode][value=${one}]`).click(), mode);
  await enter(query);
  await until(`results of ${query}`, () => page.evaluate((q, m) => location.hash.includes(`mode=${m}`) && document.title.startsWith(q) && document.querySelector("#main h1")?.innerText.includes(`“${q}”`), query, mode));
  await settled();
}
async function signIn(token) {
  await until("the form of the token", () => count("#token"));
  await fill("#token", token);
  await page.keyboard.press("Enter");
}
const api = (method, path, body) => page.evaluate(async (m, p, b) => {
  const response = await fetch(`api/v1/${p}`, { method: m, headers: { Authorization: `Bearer ${sessionStorage.getItem("kb_rag token")}`, ...(b && { "Content-Type": "application/json" }) }, body: b && JSON.stringify(b) });
  const said = await response.text();
  return said && JSON.parse(said);
}, method, path, body);
const shot = (name) => page.screenshot({ path: join(SHOTS, `${name}.png`) });
const desktop = { width: 1280, height: 860 }, phone = { width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const scheme = (name) => page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: name }]);

let passed = 0, failed = 0;
async function check(name, act) {
  try {
    await act();
    assert.deepEqual(faults.splice(0), []);
    assert.equal(await page.evaluate(() => window.pwned), undefined, "a script of a document ran");
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}\n${error.stack}`);
    await shot(`failed-${failed}`).catch(() => {});
  }
  instead = () => undefined;
  expected = [];
}

await page.setViewport(desktop);
await scheme("light");

await check("the headers of the page", async () => {
  const response = await page.goto(origin);
  expected = ["401"];
  const policy = response.headers()["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), policy);
  assert.ok(!policy.includes("unsafe"), policy);
  await until("the form of the token", () => count("#token"));
  assert.equal(await count("#app"), 0);
});

await check("sign in", async () => {
  expected = ["401"];
  await shot("desktop-light-signin");
  await signIn("not a token");
  await shows("The token is not valid.");
  await signIn("wrong-token-0123456789abcdef");
  await shows("The token is not valid.");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await signIn(WRITER);
  await shows("kb_rag_page_writer", "header");
  await settled();
  assert.equal(await value("#token"), "");
  assert.deepEqual(await page.evaluate((token) => [localStorage.length, document.cookie, document.documentElement.outerHTML.includes(token), location.href.includes(token)], WRITER), [0, "", false, false]);
});

await check("the token stays in the tab", async () => {
  await page.reload();
  await shows("kb_rag_page_writer", "header");
  await settled();
});

await check("the overview", async () => {
  const bases = await api("GET", "bases"), types = await api("GET", "stats");
  const chunks = bases.reduce((sum, one) => sum + one.chunks, 0);
  const said = await text("#overview");
  assert.equal(bases.reduce((sum, one) => sum + one.documents, 0), documents);
  for (const part of [String(documents), new Intl.NumberFormat("en-US").format(chunks), "embedded"]) assert.ok(said.replaceAll("\n", " ").includes(part), said);
  for (const { source_type } of types) assert.ok(said.includes(source_type), said);
  assert.equal(await count(".types a"), types.length);
});

await check("search by meaning and words", async () => {
  await ask("What does the kowari eat?", "hybrid");
  assert.ok((await text("#main .card")).includes("Kowari"));
  assert.ok((await count("#main mark")) > 0);
  const [first] = (await text("#main .scores")).split("Keyword rank");
  for (const part of ["Score", "Similarity", "%", "Semantic rank", "1st"]) assert.ok(first.includes(part), first);
  assert.ok(!/[\uE000\uE001]/.test(await text("#main")));
  await shot("desktop-light-search");
});

await check("search by meaning", async () => {
  await ask("animals that live in dry places", "semantic");
  const said = await text("#main .scores");
  assert.ok(said.includes("Semantic rank\n1st") && said.includes("Keyword rank\nnot searched"), said);
});

await check("search by words", async () => {
  await ask("kowari mealworms", "keyword");
  const said = await text("#main .scores");
  assert.ok(said.includes("Similarity\nnone") && said.includes("Keyword rank\n1st") && said.includes("Semantic rank\nnot searched"), said);
  assert.ok((await text("#main mark")).toLowerCase().includes("mealworms"));
  await ask("xyzzyqwert", "keyword");
  await shows("Nothing found", "#main");
});

await check("back and forward, and a change of the mode", async () => {
  await ask("termites", "keyword");
  await submit("insects", "keyword");
  await page.goBack();
  await shows("“termites”", "#main h1");
  assert.equal(await value("#q"), "termites");
  await page.goForward();
  await shows("“insects”", "#main h1");
  await page.evaluate(() => document.querySelector("input[name=mode][value=hybrid]").click());
  await until("the hybrid mode", () => page.evaluate(() => location.hash.includes("mode=hybrid")));
  await settled();
});

await check("filters by source type and base", async () => {
  await ask("how much does a kowari eat", "hybrid");
  await page.select("#type", "code");
  await until("code alone", async () => { const said = await text("#main .badge.type"); return said !== "" && said.split("\n").every((one) => one === "code"); });
  assert.ok((await page.evaluate(() => location.hash)).includes("type=code"));
  await page.select("#type", "");
  await page.select("#base", "notes");
  await until("notes alone", async () => (await text("#main .facts")).includes("notes") && !(await text("#main .facts")).includes("zoo"));
  await shows("2 documents", "#overview .stats");
  await page.select("#base", "");
  await shows("zoo", "#main .facts");
});

await check("a filter and a threshold", async () => {
  await ask("feeding", "hybrid");
  await page.evaluate(() => document.querySelector("#narrow summary").click());
  await fill("#filter", "[1]");
  await page.focus("#filter");
  await page.keyboard.press("Enter");
  assert.equal(await page.$eval("#filter", (element) => element.validity.customError), true);
  await fill("#filter", '{"house": {"number": 0}}');
  await page.keyboard.press("Enter");
  await until("the filtered results", async () => (await page.evaluate(() => location.hash)).includes("filter=") && (await count("#main .card")) < 10 && (await count("#main .card")) > 0);
  const { results } = await api("POST", "search", { query: "feeding", filter: { house: { number: 0 } } });
  await settled();
  assert.equal(await count("#main .card"), results.length);
  await fill("#threshold", "0.99");
  await page.keyboard.press("Enter");
  await until("the threshold", async () => (await page.evaluate(() => location.hash)).includes("threshold=0.99"));
  await settled();
  let sent;
  instead = (request) => { if (request.url().endsWith("/search")) sent = JSON.parse(request.postData()); };
  await page.reload();
  await settled();
  assert.deepEqual([sent.filter, sent.match_threshold, await value("#filter"), await value("#threshold")], [{ house: { number: 0 } }, 0.99, '{"house": {"number": 0}}', "0.99"]);
  await visit("/search?q=feeding&filter=%7B");
  await shows("The filter is not a JSON object.", "#main .problem");
  await visit("/search?q=feeding");
  assert.deepEqual([await value("#filter"), await value("#threshold")], ["", ""]);
});

await check("more results", async () => {
  await ask("which animal eats insects", "hybrid");
  assert.equal(await count("#main .card"), 10);
  await press("More results");
  await until("more cards", async () => (await count("#main .card")) > 10);
});

await check("a newer answer wins", async () => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  instead = async (request) => { if (request.postData()?.includes("slow question")) await held; };
  await visit("/browse");
  await enter("slow question");
  await until("the first search", () => page.evaluate(() => location.hash.includes("slow")));
  await submit("quokka", "hybrid");
  release();
  await submit("numbat", "hybrid");
  assert.ok((await text("#main h1")).includes("numbat"));
});

await check("browse", async () => {
  await visit("/browse");
  assert.equal(await count("#main .card"), 20);
  const first = await text("#main h2");
  await button("Next");
  await shows("Page 2", "#main");
  await until("the rest", async () => (await count("#main .card")) === documents - 20);
  assert.equal((await text("#main h2")).split("\n").some((title) => first.split("\n").includes(title)), false);
  assert.equal(await page.evaluate(() => [...document.querySelectorAll(".pager button")].find((one) => one.textContent === "Next").disabled), true);
  await page.goBack();
  await until("the first page", async () => (await count("#main .card")) === 20);
  await visit("/browse?type=code");
  await until("two programs", async () => (await count("#main .card")) === 2);
});

await check("hostile names and texts stay text", async () => {
  await ask("hostile", "keyword");
  const said = await text("#main");
  for (const part of ['<img src=x onerror="window.pwned=1"> hostile', '"><svg/onload=window.pwned=1> hostile', "</script><script>window.pwned=1</script>", "javascript:window.pwned=1", "Bill gnp.exe hostile"]) assert.ok(said.includes(part), `${part}\n${said}`);
  assert.equal(await count("#app img, #app svg, #app script, #app iframe"), 0);
  const links = await page.evaluate(() => [...document.querySelectorAll("#main a")].map((one) => [one.protocol, one.hash.startsWith("#/"), one.rel, one.target]));
  for (const [protocol, own, rel, target] of links) assert.ok(own || (["http:", "https:"].includes(protocol) && rel === "noopener noreferrer nofollow" && target === "_blank"), protocol);
  assert.ok(links.some(([, own]) => !own));
  const ids = await page.evaluate(() => [...new Set([...document.querySelectorAll("#main h2 a")].map((one) => one.hash.split("?")[0]))]);
  assert.equal(ids.length, 3);
  for (const id of ids) {
    await visit(id.slice(1));
    await shows("hostile", "#main h1");
    assert.ok(!(await text("#main h1")).includes("\u202e"));
    assert.equal(await count("#app img, #app svg, #app script, #app iframe, #app style"), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await visit(`/browse?type=${encodeURIComponent("<b>odd type</b>")}`);
  await shows("<b>odd type</b>", "#main h1");
});

await check("hostile addresses of the page", async () => {
  for (const hash of ["/document/%", "/__proto__", "/search?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E&mode=evil&n=1e99", "/browse?page=-1&base=", "#<script>"]) {
    expected = ["404", "400"];
    await visit(hash);
    assert.equal(await count("#app img, #main script"), 0);
  }
});

await check("messages of the server stay text", async () => {
  expected = ["400"];
  instead = (request) => request.url().endsWith("/search") ? { status: 400, body: { error: "<img src=x onerror=window.pwned=1>", hint: "<b>hint</b>" } } : undefined;
  await visit("/browse");
  await enter("anything");
  await shows("<img src=x onerror=window.pwned=1>", "#main .problem");
  await shows("<b>hint</b>", "#main .problem");
});

await check("a document", async () => {
  await ask("What does the kowari eat?", "hybrid");
  await page.evaluate(() => [...document.querySelectorAll("#main h2 a")].find((one) => one.textContent === "Kowari").click());
  await shows("Kowari", "#main h1");
  await settled();
  const said = await text("#main");
  for (const part of ["Abstract", "Overview", "Content", "Chunks", "Metadata", "keeper", '"Ada"', '{"name":"Night","number":0}', "embedded", "characters 0–", "zoo", "https://zoo.example/kowari"]) {
    assert.ok(said.includes(part) || said.includes('{"number":0,"name":"Night"}'), `${part}\n${said}`);
  }
  assert.equal(await count("#main .chunk.here"), 1);
});

await check("a long document", async () => {
  await visit("/browse?type=document");
  await press("Handbook for keepers", "#main");
  await shows("Handbook for keepers", "#main h1");
  await settled();
  const length = () => page.evaluate(() => [...document.querySelectorAll("#main section")].find((one) => one.querySelector("h2").textContent === "Content").querySelector(".text, .markdown").textContent.length);
  assert.ok((await length()) > 15_000 && (await length()) <= 20_000, "rendered");
  await press("Plain text", "#main");
  await until("the text as it is", async () => (await length()) === 20_000);
  await page.locator("::-p-text(Show all)").click();
  await until("all of it", async () => (await length()) > 20_000);
  assert.equal(await count("#main .chunk"), 20);
  const first = await text("#main .chunk");
  await button("Next");
  await until("other chunks", async () => (await count("#main .chunk")) > 0 && (await text("#main .chunk")) !== first);
  assert.ok((await length()) > 20_000, "what was shown stays");
  await press("Rendered", "#main");
  await until("rendered again", () => count("#main .markdown p"));
});

// What the page makes of Markdown, as a tree of names and texts.
const rendered = (source) => page.evaluate((text) => {
  const tree = (node) => node.nodeType === 3 ? node.data : [node.localName, ...[...node.childNodes].map(tree).filter((child) => child !== "")];
  return markdown(text).map(tree);
}, source);

await check("Markdown", async () => {
  for (const [source, expected] of [
    ["# Title #\n\nOne *two* **three** `four`\nfive\n\n## C# ##", [["h3", "Title"], ["p", "One ", ["em", "two"], " ", ["strong", "three"], " ", ["code", "four"], "\nfive"], ["h4", "C#"]]],
    ["Title\n===\nSub\n---", [["h3", "Title"], ["h4", "Sub"]]],
    ["- one\n- two\n  - deep\n\n  more\n- three", [["ul", ["li", ["p", "one"]], ["li", ["p", "two"], ["ul", ["li", ["p", "deep"]]], ["p", "more"]], ["li", ["p", "three"]]]]],
    ["3. three\n4. four\n\nend", [["ol", ["li", ["p", "three"]], ["li", ["p", "four"]]], ["p", "end"]]],
    ["```js\nlet a = \"<b>\";\n\n*no*\n```\nafter", [["pre", ["code", "let a = \"<b>\";\n\n*no*"]], ["p", "after"]]],
    ["~~~\nopen", [["pre", ["code", "open"]]]],
    ["    code\n\n    more\ntext", [["pre", ["code", "code\n\nmore"]], ["p", "text"]]],
    ["| a | b |\n|---|:-:|\n| 1 \\| 2 | *x* |\n\nend", [["div", ["table", ["thead", ["tr", ["th", "a"], ["th", "b"]]], ["tbody", ["tr", ["td", "1 | 2"], ["td", ["em", "x"]]]]]], ["p", "end"]]],
    ["***both*** snake_case_name 2*3*4 **open", [["p", ["em", ["strong", "both"]], " snake_case_name 2", ["em", "3"], "4 ", "**", "open"]]],
    ["\\*not\\* `` a ` b `` `open", [["p", "*", "not", "*", " ", ["code", "a ` b"], " ", "`", "open"]]],
    ["[a *b*](https://a.example/x \"t\") <https://b.example> see https://c.example/d_(e).", [["p", ["a", "a ", ["em", "b"]], " ", ["a", "https://b.example"], " see ", ["a", "https://c.example/d_(e)"], "."]]],
    ["[mail](mailto:a@b.example) ![pic](https://a.example/x.png)", [["p", ["a", "mail"], " ", ["span", "Picture: ", "pic"]]]],
    ["1984 was a year.\n1985. Too.", [["p", "1984 was a year.\n1985. Too."]]],
  ]) {
    const found = await rendered(source);
    // Texts next to each other are one text for a reader.
    const joined = (tree) => Array.isArray(tree) ? tree.reduce((all, one) => typeof one === "string" && all.length > 1 && typeof all.at(-1) === "string" ? [...all.slice(0, -1), all.at(-1) + one] : [...all, joined(one)], []) : tree;
    assert.deepEqual(found.map(joined), expected.map(joined), source);
  }
});

await check("Markdown makes no markup and no other links", async () => {
  const attack = ["<img src=x onerror=window.pwned=1>", "<script>window.pwned=1</script>", "[a](javascript:window.pwned=1)", "[a]( JaVaScRiPt:window.pwned=1)", "[a](data:text/html,<script>window.pwned=1</script>)",
    "[a](<javascript:window.pwned=1>)", "[a](//evil.example/x)", "[a](/api/v1/session)", "[a](#/browse)", "[a](java\tscript:window.pwned=1)", "[a](\\javascript:window.pwned=1)", "<javascript:window.pwned=1>",
    "![x](javascript:window.pwned=1)", "![x](https://evil.example/pixel.png)", "[![x](https://evil.example/p.png)](javascript:window.pwned=1)", "[a](vbscript:x) [b](file:///etc/passwd) [c](blob:https://a.example/1)",
    "[x]: javascript:window.pwned=1\n\n[x]", "| <svg onload=window.pwned=1> |\n|---|\n| [a](javascript:window.pwned=1) |", "# <iframe src=javascript:window.pwned=1>", "```\n</code></pre><img src=x onerror=window.pwned=1>\n```",
    "- <style>*{display:none}</style>", "&lt;img src=x onerror=window.pwned=1&gt;", "[a](https://a.example/\"onmouseover=\"window.pwned=1)"].join("\n\n");
  const { links, names, attributes, text } = await page.evaluate((source) => {
    const root = document.createElement("div");
    root.append(...markdown(source));
    document.querySelector("#main").append(root);
    const all = [...root.querySelectorAll("*")];
    return { links: all.filter((one) => one.localName === "a").map((one) => [one.protocol, one.rel, one.target]), names: [...new Set(all.map((one) => one.localName))].sort(),
      attributes: [...new Set(all.flatMap((one) => [...one.attributes].map((two) => two.name)))].sort(), text: root.textContent };
  }, attack);
  assert.deepEqual(names.filter((name) => !["a", "code", "div", "h3", "li", "p", "pre", "span", "table", "tbody", "td", "th", "thead", "tr", "ul"].includes(name)), []);
  assert.deepEqual(attributes.filter((name) => !["class", "dir", "href", "rel", "scope", "tabindex", "target", "title"].includes(name)), []);
  for (const [protocol, rel, target] of links) assert.ok(["http:", "https:", "mailto:"].includes(protocol) && rel.includes("noopener") && target === "_blank", protocol);
  for (const part of ["<img src=x onerror=window.pwned=1>", "[a](javascript:window.pwned=1)", "[a](//evil.example/x)", "</code></pre>", "&lt;img"]) assert.ok(text.includes(part), `${part}\n${text}`);
});

await check("Markdown of any kind is read in time, and nested only so deeply", async () => {
  const size = 200_000;
  for (const part of ["*", "_", "**a ", "*a _b ", "*a* ", "[", "]", "[a](", "![", "](https://a.example)", "[a](https://a.example) ", "`", "` `` ", "`a", "<https://", "https://a.example) ", "https://a.example))) ", "\\", "|", "|-", "- ", "- a\n", "> ", "#", "# ", " ", "\t", "a\n", "1. ", "a|b\n-|-\n", "```", "~~~\n",
    "  - a\n", "\n", "((", "[a](<", "[a](b \"", "***a** b* ", "_a*b_c*"]) {
    const { time, depth } = await page.evaluate((text) => {
      const start = performance.now(), root = document.createElement("div");
      root.append(...markdown(text));
      const walker = document.createTreeWalker(root);
      let depth = 0;
      for (let node = walker.currentNode; node; node = walker.nextNode()) {
        let height = 0;
        for (let up = node; up !== root && height < 200; up = up.parentNode) height++;
        depth = Math.max(depth, height);
      }
      return { time: performance.now() - start, depth };
    }, part.repeat(size / part.length) + "x");
    assert.ok(time < 4000, `${JSON.stringify(part)} took ${time} ms`);
    assert.ok(depth < 100, `${JSON.stringify(part)} is ${depth} deep`);
  }
  // Nested markers of all kinds.
  for (const text of ["*a **b ".repeat(500) + "b** a*".repeat(500), "![".repeat(2000) + "](https://a.example)".repeat(2000), Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")]) {
    const depth = await page.evaluate((source) => { const root = document.createElement("div"); root.append(...markdown(source)); let depth = 0; for (let one = [root]; one.length > 0; depth++) one = one.flatMap((node) => [...node.children]); return depth; }, text);
    assert.ok(depth < 50, String(depth));
  }
});

await check("add a text", async () => {
  await visit("/add");
  await page.evaluate(() => document.querySelector("input[name=kind][value=text]").click());
  await fill("#title", "Aviary <b>new</b>");
  await fill("#content", "The new aviary opens in May. Forty finches move in.");
  await page.evaluate(() => { document.querySelector("#details").open = true; });
  await fill("#metadata", "{not json");
  await button("Add the text");
  assert.equal(await page.evaluate(() => document.querySelector("#metadata").validity.customError), true);
  await fill("#metadata", '{"house": 7}');
  expected = ["503"];
  instead = (request) => request.method() === "POST" ? { status: 503, body: { error: "too many requests" } } : undefined;
  await button("Add the text");
  await shows("The server is busy", "#messages");
  assert.equal(await value("#content"), "The new aviary opens in May. Forty finches move in.");
  await visit("/usage");
  await visit("/add");
  assert.equal(await value("#title"), "Aviary <b>new</b>");
  instead = () => undefined;
  await button("Add the text");
  await shows("“Aviary <b>new</b>” is stored.", "#messages");
  assert.equal(await value("#content"), "");
  await press("Open", "#messages");
  await shows("Aviary <b>new</b>", "#main h1");
  await shows("Forty finches", "#main");
  await shows("house", "#main");
  await shows(String(documents + 1), "#overview strong");
});

await check("add files", async () => {
  writeFileSync(join(files, "penguins.md"), "# Penguins\n\nThe penguins are fed at eleven.\n");
  writeFileSync(join(files, "seals.txt"), "The seals are fed at noon.\n");
  writeFileSync(join(files, "large.txt"), "x".repeat(1000));
  await visit("/add");
  await page.evaluate(() => { document.querySelector("input[name=kind][value=files]").click(); document.querySelector("#metadata").value = ""; });
  const limit = await page.evaluate(() => { const before = session.max_upload_bytes; session.max_upload_bytes = 500; return before; });
  const pick = await page.$("#pick");
  await pick.uploadFile(join(files, "penguins.md"), join(files, "seals.txt"), join(files, "large.txt"));
  await shows("Too large", "#queue");
  await page.evaluate((before) => { session.max_upload_bytes = before; }, limit);
  await button("Upload 2 files");
  await shows("2 of 2 files stored.", "#progress");
  await shows(String(documents + 3), "#overview strong");
  await shot("desktop-light-add");
  await page.evaluate(() => document.querySelector("#queue a").click());
  await shows("The penguins are fed at eleven.", "#main");
  await visit("/add");
  await button("Clear the list");
  assert.equal(await count("#queue li"), 0);
});

await check("the files of a folder", async () => {
  const taken = await page.evaluate(() => {
    document.querySelector("#pattern").value = "*.md, docs/**/*.txt";
    enqueue(["top/a.md", "top/b.txt", "top/docs/c.txt", "top/docs/x/y/d.TXT", "top/.git/e.md", "f.bin", "top/docs(1)/c.txt"].map((path) => ({ file: new File(["x"], path.split("/").pop()), path })));
    const paths = queue.map((item) => item.path);
    document.querySelector("#clear").click();
    document.querySelector("#pattern").value = "";
    return paths;
  });
  assert.deepEqual(taken, ["top/a.md", "top/docs/c.txt", "top/docs/x/y/d.TXT", "f.bin"]);
});

await check("add an address", async () => {
  await visit("/add");
  await page.evaluate(() => document.querySelector("input[name=kind][value=url]").click());
  await fill("#url", "https://docs.example.com/guide/");
  await fill("#url-title", "Guide <i>one</i>");
  await page.select("#content-type", "docs");
  await fill("#depth", "2");
  await fill("#exclude", "/blog/*\n*.pdf");
  await page.evaluate(() => document.querySelector("#auto").click());
  await fill("#hours", "6");
  let sent;
  instead = (request) => { if (request.method() === "POST") sent = JSON.parse(request.postData()); };
  await button("Add the URL");
  await shows("The URL is queued.", "#messages");
  assert.deepEqual({ ...sent, metadata: undefined }, { knowledge_base: "zoo", url: "https://docs.example.com/guide/", title: "Guide <i>one</i>", content_type: "docs", metadata: undefined, crawl_depth: 2, max_pages: 50,
    exclude_patterns: ["/blog/*", "*.pdf"], auto_sync: true, sync_interval: "6 hours" });
  await press("See the sources", "#messages");
  await shows("Guide <i>one</i>", "#main");
  await shows("waiting", "#main .badge");
});

await check("sources", async () => {
  await visit("/sources");
  await shows("Guide <i>one</i>", "#main");
  const before = await count("#main .card");
  await page.evaluate(() => [...document.querySelectorAll("#main .card")].find((one) => one.innerText.includes("Guide <i>one</i>")).querySelector(".danger").click());
  await shows("Remove this source?", "#confirm");
  await page.click("#confirm-yes");
  await until("one source less", async () => (await count("#main .card")) === before - 1 && (await text("#messages")).includes("is removed."));
});

await check("index a document again, and delete it", async () => {
  await ask("To be deleted", "hybrid");
  await page.evaluate(() => [...document.querySelectorAll("#main h2 a")].find((one) => one.textContent === "To be deleted").click());
  await shows("To be deleted", "#main h1");
  await settled();
  await button("Re-index");
  await shows("The document is indexed again.", "#messages");
  const address = await page.evaluate(() => location.hash);
  await page.evaluate(() => document.querySelector("#main .danger").click());
  await shows("Delete this document?", "#confirm");
  await shot("desktop-light-delete");
  await page.keyboard.press("Escape");
  await until("the question is gone", () => page.evaluate(() => !document.querySelector("#confirm").open && !document.querySelector("#main .danger[aria-disabled]")));
  assert.equal(await page.evaluate(() => location.hash), address);
  await page.evaluate(() => document.querySelector("#main .danger").click());
  await shows("Delete this document?", "#confirm");
  await page.click("#confirm-yes");
  await shows("“To be deleted” is deleted.", "#messages");
  await shows("Newest documents", "#main h1");
  await shows(String(documents + 2), "#overview strong");
  expected = ["404"];
  await visit(address.slice(1));
  await until("there is no such document", () => count("#main .problem"));
});

await check("edit a document", async () => {
  const { document_id: id } = await api("POST", "documents", { knowledge_base: "zoo", content: "# Moles\n\nMoles dig *tunnels*.", title: "Moles", metadata: { big: 1, kept: true } });
  await visit(`/document/${id}`);
  await shows("Moles", "#main .markdown h3");
  await press("Edit", "#main");
  await shows("Edit “Moles”", "#main h1");
  await settled();
  assert.equal(await value("#main [name=text]"), "# Moles\n\nMoles dig *tunnels*.");
  const changes = [];
  instead = (request) => { if (request.method() === "PATCH") changes.push([request.headers()["if-match"], JSON.parse(request.postData())]); };
  await fill("#main [name=title]", "Moles <b>and voles</b>");
  await fill("#main [name=metadata]", '{"big": 12345678901234567890, "kept": true}');
  // What is typed stays while another view is there.
  await visit("/usage");
  await visit(`/edit/${id}`);
  await shows("These are changes that you have not saved.", "#main");
  assert.equal(await value("#main [name=title]"), "Moles <b>and voles</b>");
  const { updated_at } = await api("GET", `documents/${id}`);
  await button("Save");
  await shows("The document is saved.", "#messages");
  await shows("Moles <b>and voles</b>", "#main h1");
  assert.deepEqual(changes.map(([match, body]) => [match, Object.keys(body).sort()]), [[`"${updated_at}"`, ["metadata", "title"]]]);
  // The number has more digits than JavaScript keeps.
  await visit(`/edit/${id}`);
  await until("the digits", async () => (await value("#main [name=metadata]")).includes("12345678901234567890"));
  await fill("#main [name=text]", "Moles dig **deep** tunnels.");
  await page.evaluate(() => document.querySelector("#main [name=abstract]").focus());
  await api("PATCH", `documents/${id}`, { abstract: "Somebody else was faster." });
  expected = ["412"];
  await button("Save");
  await shows("was changed after it was read", "#main .problem");
  await shows("Read it again", "#main .problem");
  assert.equal(await value("#main [name=text]"), "Moles dig **deep** tunnels.");
  await button("Discard my changes, and read it again");
  await until("the other change", async () => (await value("#main [name=abstract]")) === "Somebody else was faster.");
  await fill("#main [name=metadata]", "[]");
  await button("Save");
  assert.equal(await page.$eval("#main [name=metadata]", (element) => element.validity.customError), true);
  await press("Cancel", "#main");
  await shows("Somebody else was faster.", "#main");
  // A token that ends takes nothing of what was typed.
  await press("Edit", "#main");
  await settled();
  await fill("#main [name=title]", "Typed before the token ended");
  expected = ["401"];
  instead = (request) => request.method() === "PATCH" ? { status: 401, body: { error: "the token is wrong" } } : undefined;
  await button("Save");
  await shows("The token is not valid any more.", "#signin");
  instead = () => undefined;
  await signIn(WRITER);
  await until("the form", async () => (await count("#main [name=title]")) === 1);
  assert.equal(await value("#main [name=title]"), "Typed before the token ended");
  await press("Cancel", "#main");
  await settled();
  await api("DELETE", `documents/${id}`);
});

const evil = "<img src=x onerror=window.pwned=1>";
const rows = {
  failed: [{ knowledge_base: "zoo", document_id: null, source_key: null, reason: `status 404 ${evil}`, attempts: 2, next_try: "2026-03-01T10:00:00Z", source_id: "00000000-0000-4000-8000-000000000001", url: "https://gone.example.com/" },
    { knowledge_base: "zoo", document_id: "00000000-0000-4000-8000-000000000002", source_key: "javascript:window.pwned=1", reason: "no key", attempts: 0, next_try: null, source_id: null, url: null }],
  usage: [["2026-03-02", "openai/text-embedding-3-small", 10, 0.5], ["2026-03-01", evil, 32, null]].map(([day, model, calls, cost]) =>
    ({ day, knowledge_base: "zoo", model, calls, errors: 1, items: 900, tokens: 120_000, output_tokens: null, cost })),
  searches: [{ at: "2026-03-01T10:00:00Z", role: "kb_rag_page_reader", agent_id: null, session_id: null, tool: "search_knowledge", query: `What is ${evil}?`, knowledge_bases: ["zoo"],
    results: [{ source: "javascript:window.pwned=1", title: evil, knowledge_base: "zoo", score: 0.03, similarity: 0.61, document_id: "00000000-0000-4000-8000-000000000002", chunk_id: 1, content: evil }], milliseconds: { embed: 1, search: 3, total: 4.25 }, error: null },
    { at: "2026-03-01T09:00:00Z", role: "kb_rag_page_reader", agent_id: null, session_id: null, tool: "search", query: "broken", knowledge_bases: [], results: [], milliseconds: { total: 1 }, error: "permission denied" }],
};
const canned = (request) => { const name = new URL(request.url()).pathname.split("/").pop(); return rows[name] && { status: 200, body: rows[name] }; };

await check("what failed", async () => {
  instead = (request) => request.url().endsWith("/failed/retry") ? { status: 200, body: { queued: 2 } } : canned(request);
  await visit("/failed");
  for (const part of ["https://gone.example.com/", evil, "2 attempts", "Mar 1, 2026", "javascript:window.pwned=1"]) await shows(part, "#main");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll("#main a")].some((one) => one.protocol === "javascript:")), false);
  rows.failed = [];
  await button("Retry");
  await shows("2 documents queued.", "#messages");
  await shows("Nothing has failed.", "#main");
});

await check("usage", async () => {
  instead = canned;
  await visit("/usage");
  for (const part of ["Mar 2, 2026", evil, "240,000", "0.5", "42"]) await shows(part, "#main table");
  instead = () => undefined;
  await visit("/usage?days=7");
  await until("seven days", async () => (await text(".types [aria-current]")).includes("7 days"));
});

await check("the search history", async () => {
  instead = canned;
  await visit("/history");
  for (const part of [evil, "search_knowledge", "4.3 ms", "1 result", "error"]) await shows(part, "#main");
  await page.evaluate(() => document.querySelector("#main summary").click());
  await shows("similarity 61%", "#main details[open]");
  instead = () => undefined;
  await visit("/history?page=2");
  await shows("Search history", "#main h1");
});

await check("errors", async () => {
  expected = ["503", "ERR_FAILED"];
  instead = (request) => request.url().endsWith("/search") ? { status: 503, body: { error: "the database is away" } } : undefined;
  await visit("/browse");
  await enter("kept question");
  await shows("The server is busy, or it cannot reach the database.", "#main");
  assert.equal(await value("#q"), "kept question");
  instead = () => "abort";
  await button("Try again");
  await shows("The server does not answer.", "#main");
  instead = () => undefined;
  await button("Try again");
  await shows("“kept question”", "#main h1");
});

await check("what waits is asked for again", async () => {
  let asked = 0;
  const waiting = { document_id: "00000000-0000-4000-8000-000000000002", knowledge_base: "zoo", title: "Slow", source: null, source_type: "document", mime_type: null, error_message: null, chunks: 0, abstract: null, created_at: "2026-03-01T10:00:00Z", updated_at: "2026-03-01T10:00:00Z" };
  instead = (request) => request.url().includes("/documents?") ? { status: 200, body: [{ ...waiting, status: ++asked < 2 ? "pending" : "indexed" }] } : undefined;
  await visit("/browse?page=1");
  await shows("waiting", "#main .card");
  await until("it is indexed", async () => !(await text("#main .card")).includes("waiting"));
  assert.equal(asked, 2);
});

await check("a token that ends", async () => {
  await visit("/add");
  await page.evaluate(() => document.querySelector("input[name=kind][value=text]").click());
  await fill("#content", "typed before the token ended");
  expected = ["401"];
  instead = (request) => request.method() === "POST" ? { status: 401, body: { error: "the token is wrong" } } : undefined;
  await button("Add the text");
  await shows("The token is not valid any more.", "#signin");
  assert.equal(await count("#app"), 0);
  instead = () => undefined;
  await signIn(WRITER);
  await until("the form", () => count("#content"));
  assert.equal(await value("#content"), "typed before the token ended");
  await fill("#content", "");
});

const [{ document_id: kowari }] = (await api("POST", "search", { query: "What does the kowari eat?", match_count: 1 })).results;
const routes = ["/search?q=What does the kowari eat?&mode=hybrid", "/search?q=hostile&mode=keyword", "/browse", "/browse?page=2", `/document/${kowari}`, "/sources", "/failed", "/usage", "/history", "/add", `/edit/${kowari}`];

await check("light, dark, phone, desktop: nothing is cut off", async () => {
  instead = canned;
  rows.failed = [{ knowledge_base: "zoo", document_id: null, source_key: null, reason: "unbreakable".repeat(30), attempts: 2, next_try: null, source_id: null, url: `https://gone.example.com/${"a".repeat(300)}` }];
  for (const [name, size] of [["phone", phone], ["desktop", desktop]]) {
    await page.setViewport(size);
    for (const colors of ["light", "dark"]) {
      await scheme(colors);
      for (const route of routes) {
        await visit(route);
        const { wide, small } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth > innerWidth,
          small: [...document.querySelectorAll("#app button, #app .button, #app select, #app input:not([type=radio], [type=checkbox], [type=file]), #app summary, .segments label, .tick, nav a")]
            .filter((one) => one.checkVisibility() && one.id !== "skip" && one.getBoundingClientRect().height < 40).map((one) => one.outerHTML.slice(0, 100)),
        }));
        assert.equal(wide, false, `${route} scrolls sideways on a ${name}`);
        assert.deepEqual(small, [], `${route} on a ${name}`);
      }
      await visit(routes[0]);
      assert.ok((await text("#main h1")).includes("“What does the kowari eat?”"));
      await shot(`${name}-${colors}-search`);
      await visit(`/document/${kowari}`);
      await shot(`${name}-${colors}-document`);
      if (colors === "light") for (const part of ["browse", "usage", "history", "sources", "add"]) { await visit(`/${part}`); await shot(`${name}-${part}`); }
    }
  }
  await scheme("light");
});

await check("every input has a name, every text enough contrast", async () => {
  const nameless = await page.evaluate(() => [...document.querySelectorAll("input, select, textarea")].filter((one) => one.labels.length === 0).map((one) => one.id));
  assert.deepEqual(nameless, []);
  for (const colors of ["light", "dark"]) {
    await scheme(colors);
    const poor = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim().slice(1), [r, g, b] = (hex.length === 3 ? [...hex].map((x) => x + x) : hex.match(/../g)).map((x) => parseInt(x, 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
      const pairs = ["--ground", "--panel", "--sunken"].flatMap((under) => [["--text", under, 7], ["--muted", under, 4.5]]);
      pairs.push(["--accent", "--ground", 4.5], ["--accent", "--panel", 4.5], ["--accent", "--tint", 4.5], ["--on-accent", "--accent", 4.5], ["--bad", "--bad-tint", 4.5], ["--warn", "--warn-tint", 4.5], ["--good", "--good-tint", 4.5],
        ["--on-mark", "--mark", 4.5], ["--bad", "--panel", 4.5], ["--edge", "--panel", 3]);
      return pairs.filter(([a, b, least]) => ratio(a, b) < least).map((pair) => [...pair, ratio(pair[0], pair[1])]);
    });
    assert.deepEqual(poor, [], colors);
  }
  await scheme("light");
});

await check("the keyboard alone", async () => {
  await visit("/browse");
  await fill("#q", "");
  await page.focus("#q");
  await page.keyboard.type("quokka");
  await page.keyboard.press("Enter");
  await shows("“quokka”", "#main h1");
  await settled();
  for (let tries = 0; tries < 30; tries++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.matches("#main h2 a"))) break;
  }
  assert.equal(await page.evaluate(() => document.activeElement.matches("#main h2 a") && getComputedStyle(document.activeElement).outlineStyle), "solid");
  await page.keyboard.press("Enter");
  await until("the document has the focus", () => page.evaluate(() => location.hash.startsWith("#/document/") && document.activeElement.matches("#main h1")));
});

await check("sign out", async () => {
  expected = ["401"];
  await button("Sign out");
  await until("the form of the token", () => count("#token"));
  assert.deepEqual(await page.evaluate(() => [sessionStorage.length, document.querySelector("#main").innerText, document.querySelector("#q").value, location.hash]), [0, "", "", ""]);
});

await check("a reader sees no way to write", async () => {
  await signIn(READER);
  await shows("kb_rag_page_reader", "header");
  await settled();
  const writes = () => page.evaluate(() => [...document.querySelectorAll("button, nav a, a.button")].filter((one) => one.checkVisibility()).map((one) => one.textContent)
    .filter((label) => ["Add", "Bases", "Quality", "Ask the questions", "Delete", "Edit", "Save", "Create", "Attach", "Detach", "Re-index", "Remove", "Fetch again", "Retry", "Upload files"].includes(label)));
  for (const route of [...routes, "/quality", "/quality?base=zoo", "/bases", "/base/zoo"]) {
    await visit(route);
    assert.deepEqual(await writes(), [], route);
  }
  await shows("Your role may not change this knowledge base.", "#main");
  await visit("/add");
  await shows("Your role may write to none of the knowledge bases.");
  await ask("What does the kowari eat?", "hybrid");
  assert.ok((await count("#main .card")) > 0);
});

await check("make, configure, attach and drop a base", async () => {
  expected = ["401"];
  await button("Sign out");
  await signIn(ADMIN);
  await shows("kb_rag_page_admin", "header");
  await settled();
  await press("Bases", "nav");
  await shows("shop", "#main .card");
  await shot("desktop-light-bases");
  await page.evaluate(() => document.querySelector("#main summary").click());
  await fill("#main [name=name]", "shop");
  expected = ["409"];
  await button("Create");
  await shows("already exists", "#main .problem");
  await fill("#main [name=name]", "a b/c?d#<i>");
  await fill("#main [name=description]", "Odd <b>names</b>.");
  await button("Create");
  await shows("a b/c?d#<i> is created.", "#messages");
  await shows("a b/c?d#<i>", "#main h1");
  await settled();
  assert.equal(await value("#main [name=description]"), "Odd <b>names</b>.");
  let sent;
  instead = (request) => { if (request.method() === "PATCH") sent = JSON.parse(request.postData()); };
  await fill("#main [name=match_threshold]", "0.25");
  await page.select("#main [name=ranker]", "ts_rank");
  await page.select("#main [name=fold_accents]", "false");
  await fill("#main [name=bm25_k1]", "1.5");
  await button("Save");
  await shows("is configured.", "#messages");
  assert.deepEqual(sent, { match_threshold: 0.25, ranker: "ts_rank", fold_accents: false, bm25_k1: 1.5 });
  await fill("#main [name=match_threshold]", "");
  await button("Save");
  await until("the removed threshold", () => sent.match_threshold === -1);
  await until("the answer", async () => (await value("#main [name=match_threshold]")) === "" && (await value("#main [name=ranker]")) === "ts_rank");
  expected = ["400", "409"];
  await fill("#main [name=chunk_overlap]", "100000");
  await button("Save");
  await shows("chunk_overlap", "#main .problem");
  await fill("#main [name=agent_id]", "bob");
  await fill("#main [name=filter]", '{"team": "sales"}');
  await button("Attach");
  await shows("is attached to bob.", "#messages");
  await shows('{"team":"sales"}', "#main");
  const [attached] = await api("GET", "agents");
  assert.deepEqual([attached.knowledge_base, attached.filter], ["a b/c?d#<i>", { team: "sales" }]);
  for (const [name, size] of [["phone", phone], ["desktop", desktop]]) {
    // Loads the page again.
    await page.setViewport(size);
    await shows("Drop it", "#main");
    await settled();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, name);
    await shot(`${name}-light-base`);
  }
  await button("Detach");
  await shows("Detach this agent?", "#confirm");
  await page.click("#confirm-yes");
  await shows("It is attached to no agent.", "#main");
  await fill("#main [name=confirm]", "a b/c");
  await button("Drop the knowledge base");
  await shows("This is not the name of the knowledge base.", "#main .problem");
  assert.equal((await api("GET", "bases")).length, 2);
  await fill("#main [name=confirm]", "a b/c?d#<i>");
  await button("Drop the knowledge base");
  await shows("is dropped.", "#messages");
  await until("one base less", async () => (await text("#main h2")) === "shop");
  await visit("/base/shop");
  await shows("Attach", "#main");
  assert.equal(await count("#main [name=confirm]"), 0, "who administers a base of another role does not drop it");
});

await check("measure a base", async () => {
  await press("Quality", "nav");
  await shows("Quality of shop", "#main h1");
  await shows("No run is kept.", "#main");
  await settled();
  await fill("#main [name=save_as]", "first <b>run</b>");
  await page.select("#main [name=mode]", "keyword");
  await button("Ask the questions");
  await shows("1 miss", "#main h2");
  const said = async (selector) => (await text(selector)).replace(/\s+/g, " ");
  const figures = await said("#main [aria-label=Figures]");
  for (const part of ["3 questions", "1 without an answer", "hits@5 0.5 missed 0 to 1", "MRR 0.5", "nDCG@10 0.5", "Answered by mistake 0 of 1", "Refused by mistake 1 of 2"]) assert.ok(figures.includes(part), `${part}: ${figures}`);
  const miss = await said("#main article");
  for (const part of ["<img src=x onerror=window.pwned=1> toaster", "not found", "refused by mistake", "Expected Kettle"]) assert.ok(miss.includes(part), `${part}: ${miss}`);
  await page.evaluate(() => document.querySelector("#main article summary").click());
  await shows("it has no word of the question", "#main article details[open]");
  await shows("first <b>run</b>", "#main table");
  // The floor is kept, and judges the kept runs too.
  assert.equal(await value("#main [name=floor]"), "0.9");
  await fill("#main [name=floor]", "0.5");
  await page.focus("#main [name=tag]");
  await until("the floor is met", async () => (await said("#main [aria-label=Figures]")).includes("hits@5 0.5 met") && (await text("#main .badge.good")).split("\n").length === 2);
  assert.equal(await page.evaluate(() => [...document.querySelectorAll("#main input, #main select")].every((one) => one.labels.length === 1)), true);
  for (const [name, size] of [["phone", phone], ["desktop", desktop]]) {
    // Loads the page again: the floor and the run that was kept are still there.
    await page.setViewport(size);
    await shows("first <b>run</b>", "#main table");
    await settled();
    assert.deepEqual([await value("#main [name=floor]"), await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)], ["0.5", false], name);
    await page.select("#main [name=mode]", "keyword");
    await button("Ask the questions");
    await shows("1 miss", "#main h2");
    await shot(`${name}-light-quality`);
  }
  // The last run is there after a look at a document.
  await press("Kettle", "#main article");
  await shows("Kettle", "#main h1");
  await page.goBack();
  await shows("1 miss", "#main h2");
  expected = ["409"];
  await fill("#main [name=save_as]", "first <b>run</b>");
  await button("Ask the questions");
  await shows("already exists", "#main .problem");
  await fill("#main [name=save_as]", "");
  await fill("#main [name=tag]", "kitchen");
  await button("Ask the questions");
  await shows("No misses", "#main h2");
  await page.evaluate(() => localStorage.clear());
});

await check("a document of a table is changed there", async () => {
  const [{ document_id: id }] = await api("GET", "documents?knowledge_base=shop");
  await visit(`/edit/${id}`);
  await fill("#main [name=title]", "Kettle 2");
  expected = ["409"];
  await button("Save");
  await shows("comes from table", "#main .problem");
  await shows("Change the row of the table.", "#main .problem");
  assert.equal(await value("#main [name=title]"), "Kettle 2");
  await press("Cancel", "#main");
  await shows("Kettle", "#main h1");
});

await browser.close();
end();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
