// ---- Making knowledge bases, for roles that may

const rights = (name) => session?.bases?.find((one) => one.name === name) ?? {};
const mayAdminister = () => session !== null && (session.may_create === true || (session.bases ?? []).some((one) => one.may_administer || one.may_drop));
const agentPath = (name, agent = "") => `bases/${encodeURIComponent(name)}/agents${agent && `/${encodeURIComponent(agent)}`}`;

// What the role may do changes with the bases that there are.
async function rightsAgain(signal) {
  const now = await api("GET", "session", { signal });
  if (session) session = now;
}

const noticesOf = (answer) => (answer?.notices ?? []).map((text) => ` ${clean(text)}`);

const basesView = {
  name: "Bases", typed: true,
  async load(at, signal) {
    const [rows] = await Promise.all([api("GET", "bases", { signal }), rightsAgain(signal)]);
    return rows;
  },
  spoken: (rows) => plural(rows.length, "knowledge base"),
  show(rows, at) {
    const create = async ({ name, description, model }) => {
      const answer = await api("POST", "bases", { body: { name: name.value.trim(), description: description.value.trim() || null, model: model.value.trim() || null } });
      await Promise.all([rightsAgain(), overview()]);
      forNextView = [named(answer.name), " is created.", noticesOf(answer)];
      go(link(`base/${encodeURIComponent(answer.name)}`, { base: at.base }));
    };
    return [heading("Knowledge bases"),
      rows.length === 0 && nothing("There are no knowledge bases that your role may read."),
      rows.map((row) => {
        const may = rights(row.name), to = link(`base/${encodeURIComponent(row.name)}`, { base: at.base });
        return h("article", { class: "panel card" }, h("h2", null, may.may_administer || may.may_drop ? h("a", { href: to }, named(row.name)) : named(row.name)),
          row.description && h("p", { dir: "auto" }, clean(row.description)),
          facts(h("span", null, `Model ${clean(row.model ?? "none")}`), fact(row.documents, plural(row.documents, "document")), fact(row.chunks, plural(row.chunks, "chunk")),
            h("span", null, may.may_drop ? "yours" : may.may_administer ? "you administer it" : may.may_write ? "you may write" : "you may read")));
      }),
      session.may_create && h("details", { class: "panel", open: rows.length === 0 }, h("summary", null, "Create a knowledge base"),
        form("Create a knowledge base", "Create", [
          field("Name", null, entry("name", "", { required: true, spellcheck: "false" })),
          field("Description", "what it is about; models read it", entry("description", "", { rows: 2, dir: "auto" })),
          field("Model", "which model embeds; the default of the database if empty", entry("model", "", { spellcheck: "false", placeholder: "local/all-minilm-l6-v2" }))], create))];
  },
};

const WHOLE = { type: "number", step: "1", required: true }, NUMBER = { type: "number", step: "any", required: true };
// The settings of PATCH: name, label, hint, and the choices or attributes of the input.
const SETTINGS = [
  ["description", "Description", "what it is about; models read it", { rows: 2, dir: "auto" }],
  ["model", "Model", "another one embeds all documents again", { spellcheck: "false" }],
  ["dimensions", "Dimensions", "of vectors", { ...WHOLE, min: 1, required: false }],
  ["embed", "Embed", "when", ["auto", "inline", "queued", "off"]],
  ["chunk_size", "Chunk size", null, { ...WHOLE, min: 1 }],
  ["chunk_overlap", "Chunk overlap", null, { ...WHOLE, min: 0 }],
  ["chunk_unit", "Chunk unit", null, ["char", "token"]],
  ["chunk_strategy", "Chunk strategy", null, ["auto", "text", "markdown", "code", "csv", "semantic", "none"]],
  ["text_config", "Text search configuration", "such as german", { spellcheck: "false", required: true }],
  ["fold_accents", "Words with and without accents are the same", null, ["true", "false"]],
  ["lexeme_format", "Lexeme format", null, { ...WHOLE, min: 1 }],
  ["ranker", "Ranker", null, ["bm25", "bm25_proximity", "ts_rank", "ts_rank_cd"]],
  ["bm25_k1", "BM25 k1", null, { ...NUMBER, min: 0, max: 10 }],
  ["bm25_b", "BM25 b", null, { ...NUMBER, min: 0, max: 1 }],
  ["title_weight", "Title weight", null, { ...NUMBER, min: 0, max: 10 }],
  ["heading_weight", "Heading weight", null, { ...NUMBER, min: 0, max: 10 }],
  ["part_weight", "Part weight", "of parts of words", { ...NUMBER, min: 0, max: 1 }],
  ["index_method", "Index of vectors", null, ["auto", "hnsw", "ivfflat", "none"]],
  ["match_threshold", "Match threshold", "least similarity; empty: none", { ...NUMBER, required: false, min: -1, max: 1 }],
  ["answer_threshold", "Answer threshold", "least similarity of the best passage; empty: that of the model", { ...NUMBER, required: false, min: -1, max: 1 }],
];

function settingsForm(name, row, saved) {
  const inputs = SETTINGS.map(([key, label, hint, kind]) => {
    const value = isEmpty(row[key]) ? "" : String(row[key]), input = Array.isArray(kind) ? h("select", { name: key }) : entry(key, value, kind);
    if (Array.isArray(kind)) choices(input, kind.map((one) => [one, one === "true" ? "yes" : one === "false" ? "no" : one]), value);
    return { key, kind, value, input, element: field(label, hint, input) };
  });
  const number = ({ kind, input, key }) => (input.value === "" && key.endsWith("_threshold") ? -1 : kind.type === "number" ? Number(input.value) : key === "fold_accents" ? input.value === "true" : input.value);
  return form("Settings", "Save", [inputs[0].element, h("div", { class: "pair" }, inputs.slice(1).map((one) => one.element))], async () => {
    const changed = inputs.filter((one) => one.input.value !== one.value && !(one.input.value === "" && one.key === "dimensions"));
    if (changed.length === 0) return say("Nothing was changed.");
    const answer = await api("PATCH", `bases/${encodeURIComponent(name)}`, { body: Object.fromEntries(changed.map((one) => [one.key, number(one)])) });
    say([named(name), " is configured.", noticesOf(answer)]);
    saved(answer);
    overview();
  });
}

// What is attached to agents, and a form that attaches.
function agentsSection(name, first) {
  const place = h("div", { class: "stack" });
  const again = async () => show(await api("GET", "agents", { query: { knowledge_base: name } }));
  const attach = async (elements) => {
    const filter = objectIn(elements.filter);
    if (filter === undefined) return;
    await api("POST", agentPath(name), { body: { agent_id: elements.agent_id.value.trim(), filter } });
    say([named(name), " is attached to ", named(elements.agent_id.value.trim()), "."]);
    await again();
  };
  const detach = (row) => async () => {
    if (!await confirmed("Detach this agent?", ["Searches for agent ", named(row.agent_id), " do not cover “", named(name), "” any more. Nothing is deleted."], "Detach")) return;
    await api("DELETE", agentPath(name, row.agent_id));
    say([named(row.agent_id), " is detached."]);
    await again();
  };
  const show = (rows) => replace(place,
    rows.length === 0 ? h("p", { class: "quiet" }, "It is attached to no agent.") : rows.map((row) => h("div", { class: "row chunk" }, named(row.agent_id),
      Object.keys(row.filter ?? {}).length > 0 && h("code", { dir: "auto" }, clean(JSON.stringify(row.filter))), button("Detach", detach(row), "danger"))),
    form("Attach an agent", "Attach", [h("div", { class: "pair" }, field("Agent", "a uuid or any name", entry("agent_id", "", { required: true, spellcheck: "false" })),
      field("Filter", "what the metadata must contain, a JSON object", entry("filter", "", { placeholder: '{"team": "sales"}', spellcheck: "false" })))], attach, ""));
  show(first);
  return h("section", { class: "panel stack" }, h("h2", null, "Agents"), place);
}

// A base goes only if its name is typed.
function dropSection(name, row, at) {
  const input = entry("confirm", "", { required: true, spellcheck: "false" });
  const drop = async () => {
    if (input.value !== name) throw new Failure(400, "This is not the name of the knowledge base.");
    await api("DELETE", `bases/${encodeURIComponent(name)}`, { query: { confirm: input.value } });
    forNextView = ["“", named(name), "” is dropped."];
    go(link("bases", { base: at.base === name ? null : at.base }));
    await Promise.all([rightsAgain(), overview()]);
  };
  return h("section", { class: "panel stack" }, h("h2", null, "Drop it"),
    h("p", null, "“", named(name), `” and its ${base(name) ? plural(base(name).documents, "document") : "documents"} are deleted. This cannot be undone.`),
    form("Drop", "Drop the knowledge base", [field("Type its name", null, input)], drop, "danger"));
}

const baseView = {
  name: "Base", typed: true,
  async load(at, signal) {
    const [row, agents] = await Promise.all([api("GET", `bases/${encodeURIComponent(at.id)}`, { signal }), api("GET", "agents", { signal, query: { knowledge_base: at.id } }), rightsAgain(signal)]);
    return { row, agents };
  },
  spoken: ({ row }) => clean(row.name),
  show({ row, agents }, at) {
    const may = rights(row.name), settings = h("section", { class: "panel stack" });
    const show = (now) => settings.replaceChildren(h("h2", null, "Settings"), settingsForm(row.name, now, show));
    show(row);
    return [heading(named(row.name)),
      facts(h("span", null, "schema ", named(row.schema)), h("span", null, "owner ", named(row.owner)), h("span", null, "created ", when(row.created_at))),
      !may.may_administer && !may.may_drop && nothing("Your role may not change this knowledge base."),
      may.may_administer && [settings, agentsSection(row.name, agents)], may.may_drop && dropSection(row.name, row, at)];
  },
};
