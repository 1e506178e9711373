// ---- Routes

const add = { name: "Add" };
const views = { search: results, browse, document: documentView, edit: editView, add, bases: basesView, base: baseView, sources, failed, usage, history: searches, quality: qualityView };
// Views of one thing, which have no link of their own at the top.
const ofOne = ["document", "edit", "base"];

function parse() {
  // A question mark of the query itself may be as it is.
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash);
  const [name, rawId = ""] = path.split("/");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  let id = rawId;
  try { id = decodeURIComponent(rawId); } catch { /* as it is */ }
  const whole = (key, otherwise) => (/^[1-9]\d{0,6}$/.test(parameters[key]) ? Number(parameters[key]) : otherwise);
  const q = (parameters.q ?? "").trim();
  let view = Object.hasOwn(views, name) ? name : "browse";
  if (view === "search" && q === "") view = "browse";
  if (ofOne.includes(view) && id === "") view = "browse";
  return { view, id, q, parameters, base: parameters.base || null, type: parameters.type || null, mode: ["semantic", "keyword"].includes(parameters.mode) ? parameters.mode : "hybrid",
    filter: (parameters.filter ?? "").trim(), threshold: isEmpty(parameters.threshold) || !Number.isFinite(Number(parameters.threshold)) ? null : Number(parameters.threshold),
    page: whole("page", 1), n: Math.min(100, whole("n", 10)), chunks: whole("chunks", 1), at: /^\d+$/.test(parameters.at) ? Number(parameters.at) : null, days: whole("days", 30) };
}

function go(hash) {
  byLink = true;
  if (location.hash === hash) route();
  else location.hash = hash;
}

// Where each address was scrolled to, for the way back.
const scrolled = new Map();
let byLink = false;
document.addEventListener("click", (event) => { if (event.target.closest?.("a[href^='#']")) byLink = true; });
window.addEventListener("scroll", () => { if (visit) scrolled.set(visit.hash, scrollY); }, { passive: true });
history.scrollRestoration = "manual";

function showParts() {
  const at = parse();
  $("parts").replaceChildren(...Object.entries(views).filter(([name]) => !ofOne.includes(name) && (name !== "add" || bases.some((one) => one.may_write)) && (name !== "bases" || mayAdminister()) && (name !== "quality" || mayMeasure(at.base))).map(([name, view]) =>
    h("a", { href: link(name, { base: at.base, ...(name === "search" ? { q: $("q").value.trim(), mode: mode(), type: at.type, ...narrowed() } : {}) }), "aria-current": (name === at.view || (name === "bases" && at.view === "base")) && "page" }, view.name)));
}

const mode = () => $("search").elements.mode.value;
const narrowed = () => ({ filter: $("filter").value.trim(), threshold: $("threshold").value });

async function route() {
  if (!session || $("app").hidden) return;
  const at = parse(), view = views[at.view], before = visit, key = `${at.view}/${at.id}`;
  const same = before?.key === key, back = !byLink && before !== null;
  visit = { key, at, view, hash: location.hash, data: undefined };
  byLink = false;
  say(forNextView);
  forNextView = null;
  if (before?.at.base !== at.base || before?.at.type !== at.type) {
    showOverview(at.base);
    if (before && before.at.base !== at.base) overview();
  }
  showParts();
  $("overview").dataset.view = at.view;
  $("search").hidden = !view.form;
  $("add").hidden = view !== add;
  $("main").hidden = view === add;
  // Words that were typed but not sent stay.
  if (view === browse && before?.at.q && before.at.q === $("q").value.trim()) $("q").value = "";
  if (view === results) {
    if ($("q").value.trim() !== at.q) $("q").value = at.q;
    $("search").elements.mode.value = at.mode;
    $("filter").value = at.filter;
    $("threshold").value = at.threshold ?? "";
    if (at.filter !== "" || at.threshold !== null) $("narrow").open = true;
  }
  document.title = `${view === results ? at.q : view.name} – kb_rag`;
  latest("view");
  if (view === add) showKind();
  else if (same && view.typed && before.data !== undefined) {
    // What was typed stays, as after a token has ended.
    Object.assign(visit, { data: before.data, text: before.text });
  } else {
    if (!same) $("main").replaceChildren(h("p", { class: "quiet" }, "Loading…"));
    await render(false);
  }
  if (visit.at !== at) return;
  const here = at.at !== null && !back && $("main").querySelector(".here");
  if (here) here.scrollIntoView({ block: "center" });
  else if (back && scrolled.has(visit.hash)) scrollTo(0, scrolled.get(visit.hash));
  else if (!same || at.page !== before.at.page) scrollTo(0, 0);
  if (before && !same && !$("search").contains(document.activeElement)) (view === add ? $("add") : $("main")).querySelector("h1")?.focus({ preventScroll: true });
}

// Loads and shows the view. Quietly: only if something changed, and without a word if it fails.
async function render(quiet) {
  const current = visit, { view, at } = current, main = $("main");
  if (!view.load || (quiet && !view.live)) return;
  if (!quiet) main.setAttribute("aria-busy", "true");
  current.loading = true;
  try {
    const data = await view.load(at, latest("view"));
    if (visit !== current) return;
    const text = JSON.stringify(data);
    if (!quiet || text !== current.text) {
      current.data = data;
      current.text = text;
      replace(main, h("div", { class: "stack" }, view.show(data, at)));
      if (view === documentView) document.title = `${called(data.row)} – kb_rag`;
    }
    if (!quiet) $("spoken").textContent = view.spoken(data);
  } catch (error) {
    if (aborted(error) || error.status === 401 || visit !== current || quiet) return;
    main.replaceChildren(h("div", { class: "stack" }, heading(view.name), problem(error, () => route())));
  } finally {
    if (visit === current) {
      current.loading = false;
      main.removeAttribute("aria-busy");
    }
  }
}

// Asks again while something is in progress and somebody can see it.
setInterval(async () => {
  if (!session || !visit || $("app").hidden || document.visibilityState !== "visible" || visit.polling || visit.loading) return;
  const current = visit;
  if (!bases.some((one) => one.pending > 0 && !one.paused) && !(current.data && current.view.active?.(current.data))) return;
  current.polling = true;
  await Promise.all([overview(), current.data && render(true)]);
  current.polling = false;
}, POLL);

window.addEventListener("hashchange", route);
$("skip").addEventListener("click", () => document.querySelector("main:not([hidden]) h1, #add:not([hidden]) h1")?.focus());
$("base").addEventListener("change", () => {
  const at = parse();
  go(link(ofOne.includes(at.view) ? "browse" : at.view, { ...at.parameters, base: $("base").value, page: "", at: "", chunks: "", n: "" }));
});
function search() {
  const shared = { base: parse().base, type: $("type").value }, q = $("q").value.trim();
  if (q === "") go(link("browse", shared));
  else if (objectIn($("filter")) !== undefined) go(link("search", { q, mode: mode(), ...shared, ...narrowed() }));
}
// What is wrong must be seen.
$("search").addEventListener("invalid", () => { $("narrow").open = true; }, true);
$("search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
$("search").addEventListener("change", (event) => {
  if (event.target === $("type") || ((event.target.name === "mode" || $("narrow").contains(event.target)) && $("q").value.trim() !== "" && $("search").checkValidity())) search();
});
