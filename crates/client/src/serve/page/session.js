// ---- The session

let session = null, bases = [], types = [], known = false, visit = null;
const base = (name) => bases.find((one) => one.name === name);
const mayWrite = (name) => base(name)?.may_write === true;

async function start(token) {
  try {
    const before = session?.role;
    const opened = await api("GET", "session", { signal: latest("session"), token });
    if (token) sessionStorage.setItem(TOKEN, token);
    session = opened;
    if (before !== undefined && before !== session.role) forget();
    $("token").value = "";
    $("signin-problem").replaceChildren();
    $("role").textContent = clean(session.role);
    $("version").textContent = `kb_rag ${clean(session.version)}`;
    $("limit").textContent = session.max_upload_bytes ? `At most ${bytes(session.max_upload_bytes)} a file.` : "";
    $("signout").hidden = !sessionStorage.getItem(TOKEN);
    $("signin").hidden = true;
    $("app").hidden = false;
    await overview();
    route();
  } catch (error) {
    if (aborted(error)) return;
    if (error.status === 401) showSignIn(token || sessionStorage.getItem(TOKEN) ? "The token is not valid." : "");
    else showSignIn(problem(error, () => start(token)));
  }
}

function showSignIn(why) {
  $("app").hidden = true;
  $("signin").hidden = false;
  $("signin-problem").replaceChildren(...(why === "" ? [] : [typeof why === "string" ? h("p", { class: "problem" }, why) : why]));
  document.title = "Sign in – kb_rag";
  $("token").focus();
}

// Removes all that the last role saw or typed.
function forget() {
  for (const purpose of running.keys()) if (purpose !== "session") latest(purpose);
  bases = [];
  types = [];
  known = false;
  visit = null;
  queue.length = 0;
  drafts.clear();
  measured.clear();
  for (const form of ["search", "add"]) $(form).reset();
  for (const place of ["main", "overview", "queue", "progress", "messages"]) $(place).replaceChildren();
}

$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  // fetch could not send other characters in a header.
  if (/^[\x21-\x7e]+$/.test(token)) start(token);
  else showSignIn("The token is not valid.");
});
$("signout").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN);
  session = null;
  forget();
  window.history.replaceState(null, "", location.pathname);
  start();
});

// ---- The overview: bases, statistics, source types

async function overview() {
  const signal = latest("overview"), chosen = parse().base;
  try {
    // A link can name a base that is gone: then another one can still be chosen.
    const ofBase = api("GET", "stats", { signal, query: { knowledge_base: chosen } }).catch((error) => { if ([403, 404].includes(error.status)) return []; throw error; });
    [bases, types] = await Promise.all([api("GET", "bases", { signal }), ofBase]);
    known = true;
  } catch (error) {
    if (!aborted(error) && error.status !== 401) replace($("overview"), problem(error, overview));
    return;
  }
  showOverview(chosen);
}

function showOverview(chosen) {
  if (!known) return;
  const shown = bases.filter((one) => !chosen || one.name === chosen);
  // Row security can hide a count.
  const sum = (key) => shown.reduce((all, one) => (all === null || one[key] === null ? null : all + one[key]), 0);
  const [chunks, embedded, pending, failed] = ["chunks", "embedded", "pending", "failed"].map(sum);
  const one = chosen && shown[0];
  // Never 100 % before the last one.
  const coverage = one ? one.coverage / 100 : Math.floor((embedded / chunks) * 1000) / 1000;
  const pair = (name, value) => h("li", null, h("strong", null, value), ` ${name}`);
  const left = one?.time_to_go && `${lasting(one.time_to_go)} to go`;
  const type = parse().type;
  replace($("overview"),
    h("ul", { class: "stats" }, pair(sum("documents") === 1 ? "document" : "documents", counted(sum("documents"))), pair(chunks === 1 ? "chunk" : "chunks", counted(chunks)),
      pair("embedded", chunks === null || embedded === null ? "not known" : chunks ? percents.format(coverage) : "none"),
      pending !== 0 && pair("waiting", h("span", { class: "badge wait" }, counted(pending))),
      failed !== 0 && pair("failed", h("a", { class: "badge bad", href: link("failed", { base: chosen }) }, counted(failed))),
      shown.some((some) => some.paused) && h("li", null, h("span", { class: "badge wait" }, one ? "paused" : "some paused"))),
    one && h("p", { class: "quiet", dir: "auto" }, [one.description && clean(one.description), `Model ${clean(one.model ?? "none")}`, left, one.model_change && clean(one.model_change)].filter(Boolean).join(" · ")),
    types.length > 0 && h("div", { class: "types" }, types.map((row) => h("a", { href: link("browse", { base: chosen, type: row.source_type }), "aria-current": row.source_type === type && "true" },
      named(row.source_type), h("span", { class: "quiet" }, counted(row.documents), row.failed ? `, ${counted(row.failed)} failed` : "")))));
  choices($("base"), [["", "All knowledge bases"], ...bases.map((some) => [some.name, some.name])], chosen);
  choices($("type"), [["", "All"], ...types.map((row) => [row.source_type, `${row.source_type} (${counted(row.documents)})`])], type);
  $("known-types").replaceChildren(...types.map((row) => h("option", { value: row.source_type })));
  const writable = bases.filter((some) => some.may_write).map((some) => [some.name, some.name]);
  choices($("add-base"), writable, [$("add-base").value, chosen, writable[0]?.[0]].find(mayWrite));
  $("add-none").hidden = writable.length > 0;
  $("add-all").hidden = writable.length === 0;
  showParts();
}

function choices(select, options, value) {
  if (!isEmpty(value) && !options.some(([one]) => one === value)) options.push([value, value]);
  const wanted = JSON.stringify(options);
  // An open list would close if it were built again.
  if (select.dataset.options !== wanted) select.replaceChildren(...options.map(([one, label]) => h("option", { value: one }, clean(label))));
  select.dataset.options = wanted;
  select.value = value ?? "";
}

// Puts new content where the old was, with the focus where it was.
function replace(where, ...content) {
  const key = (element) => element?.getAttribute("href") ?? element?.dataset?.key;
  const focused = where.contains(document.activeElement) ? key(document.activeElement) : undefined;
  where.replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (focused) [...where.querySelectorAll("a, button")].find((element) => key(element) === focused)?.focus({ preventScroll: true });
}

// ---- Parts of views

const heading = (...text) => h("h1", { tabindex: "-1" }, text);
const nothing = (text, ...more) => h("div", { class: "panel" }, h("p", null, text), more);
const textClass = (row) => (row.source_type === "code" ? "text code" : "text");
const typeBadge = (type) => type && h("span", { class: "badge type" }, named(type));

function statusBadge(status) {
  const kind = { indexed: "good", failed: "bad", pending: "wait", processing: "wait" }[status] ?? "";
  return status && h("span", { class: `badge ${kind}` }, { pending: "waiting", processing: "in progress" }[status] ?? clean(status));
}

// The words of the query are between U+E000 and U+E001. Marks without a partner do no harm.
function marked(text) {
  let on = false;
  return text.split(/([\uE000\uE001])/).map((part) => {
    if (part === "\uE000" || part === "\uE001") { on = part === "\uE000"; return null; }
    return part && (on ? h("mark", null, part) : part);
  });
}

// A long passage is cut around its first mark, between words.
function passage(text, kind) {
  const whole = () => h("div", { class: kind, dir: "auto" }, marked(text));
  if (text.length < SNIPPET * 1.4) return whole();
  const first = Math.max(0, text.indexOf("\uE000") - SNIPPET / 3);
  const from = first === 0 ? 0 : first + Math.max(0, text.slice(first, first + 40).search(/\s/));
  const to = from + SNIPPET + Math.max(0, text.slice(from + SNIPPET, from + SNIPPET + 40).search(/\s/));
  const short = h("div", { class: kind, dir: "auto" }, from > 0 && "… ", marked(text.slice(from, to).trim()), to < text.length && " …");
  const more = h("button", { type: "button", class: "more", click: () => { short.replaceWith(whole()); more.remove(); } }, "Show the whole passage");
  return h("div", null, short, more);
}

// The header of the table that a passage of rows is from.
const tableHead = (chunk, kind) => chunk.context && h("div", { class: kind, dir: "auto" }, chunk.context);

function bar(share) {
  const fill = h("div");
  fill.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return h("div", { class: "bar", "aria-hidden": "true" }, fill);
}

function rank(name, value, searched, last) {
  const said = value !== null ? nth(value) : searched ? "not found there" : "not searched";
  return h("div", null, h("dt", null, name), h("dd", { class: value === null && "none" }, said), bar(value === null ? 0 : Math.max(0.04, 1 - (value - 1) / Math.max(10, last))));
}

const facts = (...parts) => h("div", { class: "facts" }, parts);
const fact = (value, ...parts) => !isEmpty(value) && h("span", null, parts.length ? parts : value);
const headings = (value) => !isEmpty(value) && h("span", { dir: "auto" }, clean([value].flat().join(" › ")));

function pager(page, count, size, to) {
  const step = (label, by, off) => h("button", { type: "button", disabled: off, "data-key": label, click: () => go(to(page + by)) }, label);
  return (page > 1 || count === size) && h("nav", { class: "pager", "aria-label": "Pages" },
    step("Previous", -1, page <= 1), h("span", { class: "quiet" }, `Page ${counted(page)}`), step("Next", 1, count < size));
}

// Columns are [title, cell of a row, whether it is a number]. On a phone each row is a block.
function table(columns, rows, footer) {
  const cells = (row) => columns.map(([title, cell, number], i) => h("td", { "data-label": title, class: number && "number" }, row ? cell(row) : footer[i]));
  return h("table", { class: "wordy" }, h("thead", null, h("tr", null, columns.map(([title, , number]) => h("th", { scope: "col", class: number && "number" }, title)))),
    h("tbody", null, rows.map((row) => h("tr", null, cells(row)))), footer && h("tfoot", null, h("tr", null, cells(null))));
}
