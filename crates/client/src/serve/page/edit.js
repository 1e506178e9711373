// ---- Editing a document

// What was typed and not saved, by document, with what it was typed over.
const drafts = new Map();

const field = (label, hint, input) => h("label", { class: "field" }, h("span", null, label, hint && h("span", { class: "quiet" }, ` ${hint}`)), input);

// An input with a value; areas have rows.
function entry(name, value, { rows, ...attributes } = {}) {
  const input = h(rows ? "textarea" : "input", { name, rows, autocomplete: "off", ...attributes });
  input.value = value ?? "";
  return input;
}

// A form whose button works once at a time. `send` throws what goes wrong; it is shown in the form, and the text stays.
function form(name, label, fields, send, kind = "main") {
  const trouble = h("div"), submit = h("button", { class: kind }, label), element = h("form", { class: "stack", "aria-label": name }, fields, trouble, h("div", { class: "row" }, submit));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (submit.getAttribute("aria-disabled") === "true") return;
    submit.setAttribute("aria-disabled", "true");
    trouble.replaceChildren();
    try {
      await send(element.elements);
    } catch (error) {
      if (!aborted(error) && error.status !== 401) trouble.replaceChildren(problem(error), ...(error.more ?? []));
    }
    submit.removeAttribute("aria-disabled");
  });
  return element;
}

const editView = {
  name: "Edit", typed: true,
  load: (at, signal) => api("GET", `documents/${encodeURIComponent(at.id)}`, { signal, query: { level: "content" }, reviver: exact }),
  spoken: (row) => `Edit ${called(row)}`,
  show(row, at) {
    const id = row.document_id, names = ["title", "text", "abstract", "overview", "metadata"];
    if (!mayWrite(row.knowledge_base)) return [heading("Edit"), nothing("Your role may not write to this knowledge base.")];
    const kept = drafts.get(id), back = link(`document/${encodeURIComponent(id)}`, { base: at.base });
    const inputs = [entry("title", row.title, { dir: "auto" }), entry("text", row.text, { rows: 18, required: true, dir: "auto" }), entry("abstract", row.abstract, { rows: 3, dir: "auto" }),
      entry("overview", row.overview, { rows: 6, dir: "auto" }), entry("metadata", JSON.stringify(row.metadata ?? {}, null, 2), { rows: 5, spellcheck: "false" })];
    const value = Object.fromEntries(inputs.map((input) => [input.name, input]));
    const typed = () => Object.fromEntries(names.map((name) => [name, value[name].value]));
    // As the inputs have it: they have other ends of lines.
    const { before, state } = kept ?? { before: typed(), state: row.updated_at };
    if (kept) for (const name of names) value[name].value = kept.typed[name];
    const again = () => {
      drafts.delete(id);
      render(false);
    };
    const save = async () => {
      const changes = {};
      for (const name of names) if (value[name].value !== before[name]) changes[name] = value[name].value;
      if (changes.metadata !== undefined) {
        changes.metadata = objectIn(value.metadata);
        if (changes.metadata === undefined) return;
        changes.metadata ??= {};
      }
      if (Object.keys(changes).length > 0) {
        try {
          await api("PATCH", `documents/${encodeURIComponent(id)}`, { body: changes, match: state });
        } catch (error) {
          if (error.status === 412) error.more = [h("div", null, h("button", { type: "button", click: again }, "Discard my changes, and read it again"))];
          throw error;
        }
      }
      drafts.delete(id);
      forNextView = Object.keys(changes).length > 0 ? "The document is saved." : "Nothing was changed.";
      go(back);
      overview();
    };
    const element = form("Edit", "Save", [
      field("Title", null, value.title), field("Text", null, value.text), field("Abstract", "empty: none", value.abstract), field("Overview", "empty: none", value.overview),
      field("Metadata", "a JSON object", value.metadata)], save);
    element.addEventListener("input", () => drafts.set(id, { before, state, typed: typed() }));
    element.lastChild.append(h("a", { class: "button", href: back, click: () => drafts.delete(id) }, "Cancel"));
    return [heading("Edit ", h("bdi", null, "“", called(row), "”")),
      kept && h("div", { class: "note" }, h("p", null, "These are changes that you have not saved."), h("button", { type: "button", click: again }, "Discard them")),
      h("div", { class: "panel" }, element)];
  },
};
