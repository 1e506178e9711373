// ---- Measuring a base on its questions, for roles that administer it

const FLOOR = "kb_rag floor";
// The last run of each base, which is still there when one comes back from a document.
const measured = new Map();
const mayMeasure = (name) => (session?.bases ?? []).some((one) => one.may_evaluate && (isEmpty(name) || one.name === name));

function floorKept() {
  const kept = Number.parseFloat(localStorage.getItem(FLOOR));
  return kept >= 0 && kept <= 1 ? kept : 0.9;
}

const figure = (value) => (typeof value === "number" ? fine.format(value) : "none");
// A figure beside the floor: the word says what the color does.
const judged = (value, floor) => (typeof value !== "number" ? "none" : [`${fine.format(value)} `, h("span", { class: `badge ${value >= floor ? "good" : "bad"}` }, value >= floor ? "met" : "missed")]);

function figuresTable(figures, floor) {
  const interval = (key) => (figures.intervals?.[key] ?? []).map((one) => fine.format(one)).join(" to ");
  const asked = figures.questions - figures.missing - figures.without_answer;
  const rows = [["hits@5", judged(figures.hits_5, floor), interval("hits_5")], ["First hit", figure(figures.first_hit), interval("first_hit")], ["MRR", figure(figures.mrr), interval("mrr")],
    ["nDCG@10", figure(figures.ndcg_10), interval("ndcg_10")], ["Answered by mistake", `${counted(figures.answered_by_mistake)} of ${counted(figures.without_answer)}`, ""],
    ["Refused by mistake", `${counted(figures.refused_by_mistake)} of ${counted(asked)}`, ""]];
  return table([["Figure", ([name]) => name], ["Value", ([, value]) => value, true], ["95 % interval", ([, , between]) => between, true]], rows);
}

// What went wrong with a question, the worst first; none if all is well.
function missOf(row) {
  if (row.missing) return { order: 3, parts: [["wait", "what it expects is not there"]] };
  if (row.expects_nothing) return row.answered ? { order: 2, parts: [["bad", "answered by mistake"]] } : null;
  const parts = [];
  if (row.rank === null) parts.push(["bad", "not found"]);
  else if (row.rank !== 1) parts.push(["wait", `found ${nth(row.rank)}`]);
  if (!row.answered) parts.push(["bad", "refused by mistake"]);
  return parts.length > 0 ? { order: row.rank === null ? 0 : 1, parts } : null;
}

function missCard(name, row, parts, mode) {
  const filter = Object.keys(row.filter ?? {}).length > 0 ? JSON.stringify(row.filter) : "";
  const search = { q: row.question, mode, type: null, filter, threshold: null, n: 10, agent: row.agent_id };
  const explain = (chunk) => why({ knowledge_base: name, chunk_id: chunk }, search);
  const document = (one) => h("a", { href: link(`document/${encodeURIComponent(one.document_id)}`) }, named(called(one)));
  const before = row.before ?? [];
  return h("article", { class: "panel card" }, h("h3", { dir: "auto" }, named(row.question)),
    facts(parts.map(([kind, said]) => h("span", { class: `badge ${kind}` }, said)), row.found_by && h("span", null, row.found_by === "both" ? "found by both searches" : `found by the ${row.found_by} search`)),
    row.expected.length > 0 && h("section", null, h("h4", null, "Expected"), h("ul", null, row.expected.map((one) => h("li", { class: "chunk" }, document(one), explain(one.document_id))))),
    before.length > 0 && h("section", null, h("h4", null, row.rank === null ? "Found instead" : "Found before it"),
      h("ol", null, before.map((one, i) => h("li", { class: "chunk" }, `${nth(i + 1)}: `, document(one), explain(one.chunk_id))))),
    row.expected.length === 0 && before.length === 0 && explain(null));
}

function misses(name, rows, mode) {
  const found = rows.map((row) => ({ row, miss: missOf(row) })).filter(({ miss }) => miss !== null);
  found.sort((a, b) => a.miss.order - b.miss.order || (b.row.rank ?? 0) - (a.row.rank ?? 0));
  return h("section", { class: "stack", "aria-label": "Misses" }, h("h2", null, found.length === 0 ? "No misses" : plural(found.length, "miss", "misses")),
    found.map(({ row, miss }) => missCard(name, row, miss.parts, mode)));
}

function keptRuns(runs, floor) {
  const rows = runs.flatMap((run) => run.configurations.map((one) => ({ ...one, run })));
  return h("section", { class: "panel stack" }, h("h2", null, "Kept runs"), rows.length === 0 ? h("p", { class: "quiet" }, "No run is kept. Give one a name to keep it.") :
    table([["Name", (row) => named(row.run.name)], ["Date", (row) => when(row.run.created_at)], ["Tag", (row) => (isEmpty(row.run.tag) ? "–" : named(row.run.tag))],
      ["Arguments", (row) => h("code", { dir: "auto" }, clean(JSON.stringify(row.arguments ?? {})))], ["Questions", (row) => counted(row.questions), true], ["hits@5", (row) => judged(row.hits_5, floor), true],
      ["MRR", (row) => figure(row.mrr), true], ["nDCG@10", (row) => figure(row.ndcg_10), true], ["Answered by mistake", (row) => counted(row.answered_by_mistake), true],
      ["Refused by mistake", (row) => counted(row.refused_by_mistake), true]], rows));
}

const qualityPath = (name, part) => `bases/${encodeURIComponent(name)}/${part}`;

// The form, what it gave, and the kept runs.
function measuring(name, first) {
  let runs = first;
  const result = h("div", { class: "stack" }), kept = h("div"), last = () => measured.get(name);
  const mode = h("select", { name: "mode" });
  choices(mode, [["hybrid", "Hybrid"], ["semantic", "Semantic"], ["keyword", "Keyword"]], last()?.mode ?? "hybrid");
  const floor = entry("floor", floorKept(), { type: "number", min: 0, max: 1, step: "any", required: true });
  const showKept = () => replace(kept, keptRuns(runs, floorKept()));
  const figures = h("section", { class: "panel stack", "aria-label": "Figures" });
  const showFigures = () => {
    const { figures: row } = last().answer;
    figures.replaceChildren(h("h2", null, "Figures"), facts(h("span", null, plural(row.questions, "question")), row.missing > 0 && h("span", null, `${counted(row.missing)} missing`),
      h("span", null, `${counted(row.without_answer)} without an answer`), !isEmpty(last().tag) && h("span", null, "tag ", named(last().tag)), h("span", null, last().mode), h("span", null, `${fine.format(Math.round(row.milliseconds * 10) / 10)} ms a search`)),
    figuresTable(row, floorKept()));
  };
  const show = () => {
    showKept();
    if (!last()) return;
    showFigures();
    result.replaceChildren(...[...new Set(last().answer.notices ?? [])].map((text) => h("p", { class: "note", dir: "auto" }, clean(text))), figures, misses(name, last().answer.questions, last().mode));
  };
  floor.addEventListener("change", () => {
    if (!floor.reportValidity()) return;
    localStorage.setItem(FLOOR, floor.value);
    showKept();
    if (last()) showFigures();
  });
  const run = async (elements) => {
    const tag = elements.tag.value.trim(), saveAs = elements.save_as.value.trim(), chosen = mode.value, signal = latest("evaluate");
    $("spoken").textContent = "The questions are asked.";
    const body = { arguments: chosen === "hybrid" ? {} : { mode: chosen }, tag: tag || null, save_as: saveAs || null };
    const answer = await api("POST", qualityPath(name, "evaluate"), { body, signal });
    measured.set(name, { tag, mode: chosen, answer });
    if (saveAs) {
      elements.save_as.value = "";
      runs = await api("GET", qualityPath(name, "evaluations"), { signal });
    }
    show();
    $("spoken").textContent = `hits@5 is ${figure(answer.figures.hits_5)}`;
  };
  show();
  return [h("section", { class: "panel stack" }, form("Run", "Ask the questions", [h("div", { class: "pair" },
    field("Tag", "only questions that have it", entry("tag", last()?.tag, { spellcheck: "false", dir: "auto" })), field("Mode", null, mode),
    field("Keep it as", "empty: it is not kept", entry("save_as", "", { spellcheck: "false", dir: "auto" })),
    field("Floor for hits@5", "0 to 1", floor))], run)), result, kept];
}

const qualityView = {
  name: "Quality",
  async load(at, signal) {
    await rightsAgain(signal);
    const mine = (session?.bases ?? []).filter((one) => one.may_evaluate).map((one) => one.name);
    const name = at.base ?? (mine.length === 1 ? mine[0] : null);
    if (name === null || !mine.includes(name)) return { name: null, mine };
    try {
      return { name, mine, runs: await api("GET", qualityPath(name, "evaluations"), { signal }) };
    } catch (error) {
      if (error.status !== 409) throw error;
      return { name, mine, none: { message: error.message, hint: error.hint } };
    }
  },
  spoken: () => "Quality",
  show({ name, mine, runs, none }, at) {
    if (name === null && at.base) return [heading("Quality"), nothing("Your role does not administer this knowledge base.")];
    if (name === null) {
      return [heading("Quality"), mine.length === 0 ? nothing("Your role administers none of the knowledge bases.") :
        h("ul", { class: "types", "aria-label": "Knowledge bases" }, mine.map((one) => h("li", null, h("a", { href: link("quality", { base: one }) }, named(one)))))];
    }
    const title = heading("Quality of ", named(name));
    if (none) return [title, nothing(clean(none.message), none.hint && h("p", { class: "quiet", dir: "auto" }, clean(none.hint)))];
    return [title, measuring(name, runs)];
  },
};
