// ---- Views: `load` asks the server, `show` makes elements of the answer. Only those with `live` are asked again by themselves.

const inProgress = (row) => row.status === "pending" || row.status === "processing";

// The words of kb_rag_core::relevance.
const grade = (relevance) => relevance >= 0.5 ? "good" : relevance >= 0.25 ? "fair" : "weak";

function resultCard(row, at, last) {
  const similarity = row.similarity;
  return h("article", { class: "panel card" },
    h("div", null,
      h("h2", null, h("a", { href: link(`document/${encodeURIComponent(row.document_id)}`, { chunks: Math.floor(row.ordinal / CHUNKS) + 1, at: row.ordinal }) }, named(called(row)))),
      facts(typeBadge(row.source_type), fact(row.knowledge_base, named(row.knowledge_base ?? "")), fact(row.source, place(row.source)), headings(row.heading), fact(row.page, `page ${counted(row.page)}`),
        row.duplicates?.length > 0 && h("span", { title: row.duplicates.map((copy) => clean(copy.source ?? copy.document_id)).join(", ") }, `same text: ${plural(row.duplicates.length, "other passage")}`)),
      tableHead(row, textClass(row)), passage(row.highlighted ?? row.content, textClass(row))),
    h("dl", { class: "scores" },
      h("div", null, h("dt", null, "Score"), h("dd", null, fine.format(row.score))),
      h("div", null, h("dt", null, "Similarity"), h("dd", { class: similarity === null && "none" }, similarity === null ? "none" : percents.format(similarity)), bar(similarity ?? 0)),
      typeof row.relevance === "number" && h("div", null, h("dt", null, "Relevance"), h("dd", null, `${percents.format(row.relevance)}: ${grade(row.relevance)}`), bar(row.relevance)),
      rank("Semantic rank", row.semantic_rank, at.mode !== "keyword", last), rank("Keyword rank", row.keyword_rank, at.mode !== "semantic", last)),
    why(row, at));
}

// Explains a result when it is opened for the first time.
function why(row, at) {
  const place = h("div", { "aria-live": "polite" });
  let asked = false;
  const ask = async () => {
    if (asked) return;
    asked = true;
    place.replaceChildren(h("p", { class: "quiet" }, "One moment…"));
    try {
      const body = { query: at.q, knowledge_base: row.knowledge_base, chunk_id: row.chunk_id, mode: at.mode, source_type: at.type, filter: at.filter === "" ? null : jsonObject(at.filter), match_threshold: at.threshold, match_count: at.n, agent_id: at.agent };
      place.replaceChildren(...explained(await api("POST", "explain", { body })));
    } catch (error) {
      asked = false;
      place.replaceChildren(h("p", { class: "problem", dir: "auto" }, clean(error.message)));
    }
  };
  return h("details", { class: "why", toggle: (event) => { if (event.target.open) ask(); } }, h("summary", null, "Why?"), place);
}

function explained({ question, steps, fusion, chunk }) {
  const decimal = (value) => typeof value === "number" ? fine.format(value) : "none";
  const words = (question.keywords?.words ?? []).flatMap((word) => word.lexemes.map((lexeme) => ({ ...lexeme, word: word.word })));
  const dropped = question.keywords?.dropped ?? [];
  return [
    ...[chunk ?? []].flat().map((one) => h("p", null, "In this knowledge base: ", clean(one.reason), ".")),
    words.length > 0 && table([["Word", (word) => named(word.word ?? word.lexeme)], ["Lexeme", (word) => named(word.lexeme)], ["Passages", (word) => counted(Math.round(word.chunks)), true], ["Weight", (word) => decimal(word.weight), true]], words),
    dropped.length > 0 && h("p", null, "Not searched for: ", clean(dropped.map((word) => word.word).join(", ")), "."),
    fusion.arms.length > 0 && table([["Search", (arm) => arm.arm], ["Weight", (arm) => decimal(arm.weight), true], ["Candidates", (arm) => counted(arm.candidates), true]], fusion.arms),
    table([["Step", (step) => step.step], ["Found", (step) => step.found === undefined ? "" : counted(step.found), true], ["How", (step) => step.method ?? step.model ?? ""], ["Milliseconds", (step) => fine.format(step.milliseconds), true]], steps),
  ].filter(Boolean);
}

function documentCard(row) {
  return h("article", { class: "panel card" },
    h("h2", null, h("a", { href: link(`document/${encodeURIComponent(row.document_id)}`) }, named(called(row)))),
    facts(typeBadge(row.source_type), row.status !== "indexed" && statusBadge(row.status), fact(row.knowledge_base, named(row.knowledge_base ?? "")), fact(row.source, place(row.source)),
      fact(row.chunks, plural(row.chunks, "chunk")), h("span", null, when(row.updated_at ?? row.created_at))),
    row.error_message && h("p", { class: "problem", dir: "auto" }, clean(row.error_message)),
    row.abstract && h("p", { class: "text", dir: "auto" }, row.abstract));
}

const browse = {
  name: "Browse", form: true, live: true,
  load: (at, signal) => api("GET", "documents", { signal, query: { knowledge_base: at.base, source_type: at.type, match_count: PAGE, match_offset: (at.page - 1) * PAGE } }),
  active: (rows) => rows.some(inProgress),
  spoken: (rows) => plural(rows.length, "document"),
  show: (rows, at) => [heading("Newest documents", at.type && [" of type ", named(at.type)]),
    rows.length === 0 && nothing(at.page > 1 ? "No more documents." : at.type ? "No documents of this type." : "No documents yet.",
      bases.some((one) => one.may_write) && h("p", null, h("a", { href: link("add", { base: at.base }) }, "Add some"))),
    rows.map(documentCard), pager(at.page, rows.length, PAGE, (page) => link("browse", { base: at.base, type: at.type, page }))],
};

const results = {
  name: "Search", form: true,
  async load(at, signal) {
    const filter = at.filter === "" ? null : jsonObject(at.filter);
    if (filter === undefined) throw new Failure(400, "The filter is not a JSON object.", "Write it like {\"team\": \"sales\"}.");
    return api("POST", "search", { signal, body: { query: at.q, mode: at.mode, knowledge_base: at.base, source_type: at.type, filter, match_threshold: at.threshold, match_count: at.n, duplicates: "merge" } });
  },
  spoken: ({ results: rows }) => plural(rows.length, "result"),
  show({ results: rows, notices }, at) {
    const last = Math.max(...rows.flatMap((row) => [row.semantic_rank ?? 0, row.keyword_rank ?? 0]), 1);
    return [heading(rows.length === 0 ? "Nothing found" : plural(rows.length, "result"), " for “", named(at.q), "”"),
      (notices ?? []).map((text) => h("p", { class: "note", dir: "auto" }, clean(text))),
      rows.length === 0 && nothing(at.mode === "keyword" ? "No passage has these words. Try the hybrid mode." : "No passage is near enough to the question. Try other words, or another base, source type or filter."),
      h("div", { class: "results stack" }, rows.map((row) => resultCard(row, at, last))),
      rows.length >= at.n && at.n < 100 && h("div", null, h("a", { class: "button", href: link("search", { ...at.parameters, n: at.n + 10 }) }, "More results"))];
  },
};

let shownWhole = null, shownPlain = false;

// The text of a document: as Markdown, unless it is code, the reader wants it as it is, or it is too long to be laid out.
function content(row, text) {
  const mayRender = row.source_type !== "code" && text.length <= MOST_RENDERED;
  const place = h("div");
  const show = () => {
    if (mayRender && !shownPlain) return place.replaceChildren(h("div", { class: "markdown" }, markdown(text)));
    const body = h("div", { class: textClass(row), dir: "auto" });
    body.textContent = text;
    place.replaceChildren(body);
  };
  const choice = (plain, label) => h("label", null, h("input", { type: "radio", name: "layout", checked: shownPlain === plain, change: () => { shownPlain = plain; show(); } }), h("span", null, label));
  show();
  return [mayRender && h("fieldset", { class: "segments layout" }, h("legend", { class: "hear" }, "Layout"), choice(false, "Rendered"), choice(true, "Plain text")), place];
}

const documentView = {
  name: "Document", live: true,
  async load(at, signal) {
    const path = `documents/${encodeURIComponent(at.id)}`;
    const [row, chunks] = await Promise.all([api("GET", path, { signal, query: { level: "content" } }),
      api("GET", `${path}/chunks`, { signal, query: { match_count: CHUNKS, match_offset: (at.chunks - 1) * CHUNKS } })]);
    return { row, chunks };
  },
  active: ({ row }) => inProgress(row),
  spoken: ({ row }) => called(row),
  show({ row, chunks }, at) {
    const path = `documents/${encodeURIComponent(at.id)}`, title = called(row), text = row.text ?? "";
    const remove = async () => {
      if (!await confirmed("Delete this document?", ["“", named(title), "” and its chunks are deleted. This cannot be undone."], "Delete")) return;
      await api("DELETE", path);
      forNextView = ["“", named(title), "” is deleted."];
      go(link("browse", { base: at.base }));
      overview();
    };
    const refresh = async () => {
      await api("POST", `${path}/refresh`);
      say("The document is indexed again.");
      await Promise.all([overview(), render(true)]);
    };
    const section = (name, ...content) => h("section", null, h("h2", null, name), content);
    // A cut must not halve a character.
    const cut = text.length > FIRST_CHARACTERS && shownWhole !== at.id && text.slice(0, FIRST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
    const body = h("div", { class: "stack" }, content(row, cut || text));
    const all = cut && h("button", { type: "button", click: () => { shownWhole = at.id; body.replaceChildren(...content(row, text).filter(Boolean)); all.remove(); } }, `Show all ${plural(text.length, "character")}`);
    const metadata = Object.entries(row.metadata ?? {}).filter(() => typeof row.metadata === "object");
    const pairs = [["Source", row.source && place(row.source)], ["Base", row.knowledge_base && named(row.knowledge_base)], ["Media type", row.mime_type], ["Language", row.language], ["Chunks", counted(row.chunks)],
      ["Added", when(row.created_at)], ["Changed", row.updated_at && when(row.updated_at)]];
    return [
      h("div", { class: "row head" }, heading(named(title)), mayWrite(row.knowledge_base) && [h("a", { class: "button", href: link(`edit/${encodeURIComponent(row.document_id)}`, { base: at.base }) }, "Edit"), button("Re-index", refresh), button("Delete", remove, "danger")]),
      facts(typeBadge(row.source_type), statusBadge(row.status)),
      row.error_message && h("p", { class: "problem", dir: "auto" }, clean(row.error_message)),
      h("div", { class: "document" },
        h("div", { class: "panel" },
          row.abstract && section("Abstract", h("p", { class: "text", dir: "auto" }, row.abstract)),
          row.overview && section("Overview", h("div", { class: "markdown" }, markdown(row.overview.slice(0, MOST_RENDERED)))),
          section("Content", text ? body : h("p", { class: "quiet" }, "No text."), all),
          section("Chunks", chunks.length === 0 && h("p", { class: "quiet" }, at.chunks > 1 ? "No more chunks." : "No chunks yet."),
            chunks.map((chunk) => h("div", { class: `chunk ${chunk.ordinal === at.at ? "here" : ""}` },
              facts(h("strong", null, `Chunk ${counted(chunk.ordinal)}`), headings(chunk.heading), fact(chunk.page, `page ${counted(chunk.page)}`),
                fact(chunk.start_char, `characters ${counted(chunk.start_char)}–${counted(chunk.end_char)}`), fact(chunk.token_count, plural(chunk.token_count, "token")),
                h("span", { class: `badge ${chunk.embedded ? "good" : "wait"}` }, chunk.embedded ? "embedded" : "not embedded")),
              tableHead(chunk, textClass(row)), h("div", { class: textClass(row), dir: "auto" }, chunk.content))),
            pager(at.chunks, chunks.length, CHUNKS, (page) => link(`document/${encodeURIComponent(at.id)}`, { base: at.base, chunks: page })))),
        h("aside", { class: "panel", "aria-label": "Properties" },
          h("section", null, h("dl", { class: "pairs" }, pairs.filter(([, value]) => !isEmpty(value)).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))))),
          section("Metadata", metadata.length === 0 ? h("p", { class: "quiet" }, "None.") :
            h("table", null, h("tbody", null, metadata.map(([key, value]) => h("tr", null, h("th", { scope: "row" }, named(key)), h("td", { dir: "auto" }, h("code", null, clean(JSON.stringify(value))))))))))),
    ];
  },
};

const sources = {
  name: "Sources", live: true,
  load: (at, signal) => api("GET", "sources", { signal, query: { knowledge_base: at.base } }),
  active: (rows) => rows.some(inProgress),
  spoken: (rows) => plural(rows.length, "source"),
  show: (rows, at) => [heading("Sources"), rows.length === 0 && nothing("No sources yet."), rows.map((row) => {
    const title = clean(row.title || row.location || row.kind), path = `sources/${encodeURIComponent(row.source_id)}`;
    const sync = async () => {
      const { queued } = await api("POST", `${path}/sync`);
      say(queued === 0 || queued === false ? "The source is being fetched already." : "The source is fetched again.");
      await Promise.all([overview(), render(true)]);
    };
    const remove = async () => {
      if (!await confirmed("Remove this source?", ["“", named(title), `” and its ${plural(row.documents, "document")} are deleted. This cannot be undone.`], "Remove")) return;
      await api("DELETE", path);
      say(["“", named(title), "” is removed."]);
      await Promise.all([overview(), render(true)]);
    };
    return h("article", { class: "panel card" }, h("h2", null, named(title)),
      facts(h("span", { class: "badge type" }, clean(row.content_type ?? row.kind)), statusBadge(row.status), fact(row.knowledge_base, named(row.knowledge_base ?? "")),
        fact(row.location, place(row.location))),
      facts(fact(row.documents, plural(row.documents, "document")), fact(row.chunks, plural(row.chunks, "chunk")), h("span", null, "fetched ", when(row.last_synced_at ?? row.indexed_at)),
        row.auto_sync && h("span", null, "every ", lasting(row.sync_interval ?? "1 day")), row.next_sync_at && h("span", null, "next ", when(row.next_sync_at))),
      row.error_message && h("p", { class: "problem", dir: "auto" }, clean(row.error_message)),
      mayWrite(row.knowledge_base) && h("div", { class: "row", "data-source": row.source_id }, row.content_type && button("Fetch again", sync), button("Remove", remove, "danger")));
  })],
};

const failed = {
  name: "Failed", live: true,
  load: (at, signal) => api("GET", "failed", { signal, query: { knowledge_base: at.base } }),
  spoken: (rows) => plural(rows.length, "failure"),
  show: (rows) => [heading("Failed"), rows.length === 0 && nothing("Nothing has failed."), [...new Set(rows.map((row) => row.knowledge_base))].map((name) => {
    const retry = async () => {
      const { queued } = await api("POST", "failed/retry", { body: { knowledge_base: name } });
      say(typeof queued === "number" ? `${plural(queued, "document")} queued.` : "The failed documents are queued.");
      await Promise.all([overview(), render(true)]);
    };
    return h("section", { class: "panel" }, h("div", { class: "row" }, h("h2", { class: "brand" }, named(name)), mayWrite(name) && button("Retry", retry)),
      rows.filter((row) => row.knowledge_base === name).map((row) => h("div", { class: "chunk" },
        row.document_id ? h("a", { href: link(`document/${encodeURIComponent(row.document_id)}`) }, named(row.source_key || row.url || "Document")) : row.url ? place(row.url) : named(row.source_key || "Source"),
        h("p", { dir: "auto" }, clean(row.reason ?? "")),
        facts(h("span", null, plural(row.attempts, "attempt")), row.next_try && h("span", null, "next try ", when(row.next_try))))));
  })],
};

const usage = {
  name: "Usage",
  load: (at, signal) => api("GET", "usage", { signal, query: { days: at.days } }),
  spoken: (rows) => plural(rows.length, "row"),
  show(all, at) {
    const rows = all.filter((row) => !at.base || row.knowledge_base === at.base);
    const keys = ["calls", "errors", "items", "tokens", "output_tokens", "cost"];
    const cell = (key) => (row) => (row[key] === null ? "–" : fine.format(row[key]));
    const sums = keys.map((key) => fine.format(rows.reduce((sum, row) => sum + Number(row[key] ?? 0), 0)));
    return [h("div", { class: "row" }, heading("Usage"), h("nav", { class: "types", "aria-label": "Time" }, [7, 30, 90].map((days) => h("a", { href: link("usage", { base: at.base, days }), "aria-current": days === at.days && "true" }, `${days} days`)))),
      rows.length === 0 ? nothing("No calls of a model in this time.") : h("div", { class: "panel" }, table(
        [["Day", (row) => when(row.day, days)], ["Base", (row) => named(row.knowledge_base ?? "–")], ["Model", (row) => named(row.model ?? "–")],
          ...keys.map((key, i) => [["Calls", "Errors", "Items", "Tokens", "Tokens out", "Cost"][i], cell(key), true])],
        rows, ["Sum", "", "", ...sums]))];
  },
};

const searches = {
  name: "History",
  load: (at, signal) => api("GET", "searches", { signal, query: { match_count: PAGE, match_offset: (at.page - 1) * PAGE } }),
  spoken: (rows) => plural(rows.length, "search", "searches"),
  show: (rows, at) => [heading("Search history"), rows.length === 0 && nothing(at.page > 1 ? "No more searches." : "No searches are recorded."),
    rows.map((row) => h("details", { class: "panel card" },
      h("summary", null, h("strong", null, named(row.query || "(no words)")), facts(h("span", null, when(row.at)), named(row.role ?? ""), fact(row.tool, named(row.tool ?? "")),
        fact((row.knowledge_bases ?? []).join(", "), named((row.knowledge_bases ?? []).join(", "))), h("span", null, plural((row.results ?? []).length, "result")),
        row.milliseconds?.total !== undefined && h("span", null, `${fine.format(Math.round(row.milliseconds.total * 10) / 10)} ms`), row.error && h("span", { class: "badge bad" }, "error"))),
      row.error && h("p", { class: "problem", dir: "auto" }, clean(row.error)),
      (row.results ?? []).map((result) => h("div", { class: "chunk" },
        h("a", { href: link(`document/${encodeURIComponent(result.document_id)}`) }, named(called(result))),
        facts(fact(result.knowledge_base, named(result.knowledge_base ?? "")), fact(result.source, place(result.source)), fact(result.similarity, `similarity ${percents.format(result.similarity ?? 0)}`)),
        result.content && h("p", { class: "text", dir: "auto" }, result.content))))),
    pager(at.page, rows.length, PAGE, (page) => link("history", { base: at.base, page }))],
};
