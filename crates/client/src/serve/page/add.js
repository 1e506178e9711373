// ---- Add

const queue = [];
const kind = () => $("add").elements.kind.value;

function showKind() {
  for (const one of ["files", "url", "text"]) {
    // What is hidden must not be asked for.
    $(`kind-${one}`).hidden = $(`kind-${one}`).disabled = one !== kind();
  }
  $("crawl").hidden = $("content-type").value === "webpage";
  $("depth-field").hidden = $("content-type").value !== "docs";
  $("hours-field").hidden = $("hours").disabled = !$("auto").checked;
  $("kind-and-language").hidden = kind() === "url";
  const waiting = queue.filter((item) => item.state === "waiting").length;
  $("send").textContent = kind() === "files" ? `Upload ${waiting === 0 ? "files" : plural(waiting, "file")}` : kind() === "url" ? "Add the URL" : "Add the text";
  $("send").disabled = kind() === "files" && (waiting === 0 || uploading);
  $("stop").hidden = !uploading || kind() !== "files";
  $("clear").hidden = kind() !== "files" || queue.length === 0 || uploading;
}
$("add").addEventListener("change", showKind);
const metadata = () => objectIn($("metadata"));

// A pattern with a slash is for the whole path, one without for the name. ** stands for any folders.
function matches(pattern, path) {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*\*\/|\*\*|\*|\?/g, (sign) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[sign]);
  return new RegExp(`^${source}$`, "i").test(pattern.includes("/") ? path : path.split("/").pop());
}

function enqueue(files) {
  const patterns = $("pattern").value.split(/[,\s]+/).filter(Boolean);
  let out = 0;
  for (const { file, path } of files) {
    const inFolder = path.includes("/");
    if (inFolder && (/(^|\/)\./.test(path) || (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, path.replace(/^[^/]*\//, "")))))) { out++; continue; }
    const item = { file, path, state: "waiting", element: h("li") };
    if (session.max_upload_bytes && file.size > session.max_upload_bytes) tell(item, "failed", `Too large: ${bytes(file.size)}. The limit is ${bytes(session.max_upload_bytes)}.`);
    else tell(item, "waiting", bytes(file.size));
    queue.push(item);
    $("queue").append(item.element);
  }
  $("progress").textContent = out === 0 ? "" : `${plural(out, "file")} left out: hidden, or not of the pattern.`;
  showKind();
}

function tell(item, state, ...parts) {
  item.state = state;
  const label = { waiting: "", sending: "sending", stored: "stored", failed: "failed" }[state];
  item.element.replaceChildren(named(item.path), label && h("span", { class: `badge ${{ stored: "good", failed: "bad", sending: "wait" }[state]}` }, label), h("span", { class: "quiet", dir: "auto" }, parts));
}

let uploading = false;
async function upload() {
  const more = metadata();
  if (more === undefined || uploading) return;
  uploading = true;
  const signal = latest("upload"), target = $("add-base").value, type = $("source-type").value.trim(), language = $("language").value.trim();
  const todo = queue.filter((item) => item.state === "waiting");
  let done = 0, stored = 0;
  showKind();
  for (const item of todo) {
    $("progress").textContent = `File ${counted(++done)} of ${counted(todo.length)}: ${clean(item.path)}`;
    tell(item, "sending");
    try {
      const answer = await api("POST", "files", { signal, file: item.file, query: { knowledge_base: target, filename: item.file.name, source_key: item.path, source_type: type, language, metadata: more && JSON.stringify(more) } });
      stored++;
      tell(item, "stored", h("a", { href: link(`document/${encodeURIComponent(answer.document_id)}`) }, "Open"), (answer.notices ?? []).map((text) => ` ${clean(text)}`));
    } catch (error) {
      if (signal.aborted || error.status === 401) { tell(item, "waiting", bytes(item.file.size)); break; }
      const again = h("button", { type: "button", click: () => { tell(item, "waiting", bytes(item.file.size)); upload(); } }, "Try again");
      tell(item, "failed", h("span", null, clean(error.message), error.hint ? ` ${clean(error.hint)} ` : " "), again);
    }
  }
  uploading = false;
  $("progress").textContent = `${counted(stored)} of ${plural(todo.length, "file")} stored.`;
  showKind();
  if (session && stored > 0) overview();
}

// Files of a drop, and those of its folders.
async function dropped(items) {
  const found = [];
  const entries = [...items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const walk = async (entry) => {
    if (entry instanceof File) found.push({ file: entry, path: entry.name });
    else if (entry?.isFile) found.push({ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), path: entry.fullPath.replace(/^\//, "") });
    else if (entry) {
      const reader = entry.createReader();
      for (let some; (some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length > 0;) for (const one of some) await walk(one);
    }
  };
  for (const entry of entries) await walk(entry);
  return found;
}

for (const picker of [$("pick"), $("pick-folder")]) {
  picker.addEventListener("change", () => {
    enqueue([...picker.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
    picker.value = "";
  });
}
for (const kindOfEvent of ["dragover", "dragleave", "drop"]) {
  // Elsewhere on the page a dropped file would replace it.
  window.addEventListener(kindOfEvent, (event) => event.preventDefault());
  $("drop").addEventListener(kindOfEvent, () => $("drop").classList.toggle("over", kindOfEvent === "dragover"));
}
$("drop").addEventListener("drop", async (event) => {
  try { enqueue(await dropped(event.dataTransfer.items)); } catch { say(new Failure(0, "The browser cannot read what was dropped.")); }
});
$("stop").addEventListener("click", () => latest("upload"));
$("clear").addEventListener("click", () => {
  queue.length = 0;
  $("queue").replaceChildren();
  $("progress").textContent = "";
  showKind();
});

let sending = false;
async function send() {
  const more = metadata(), value = (id) => $(id).value.trim() || null;
  if (more === undefined || sending) return;
  sending = true;
  try {
    if (kind() === "text") {
      const answer = await api("POST", "documents", { body: { knowledge_base: $("add-base").value, title: value("title"), content: $("content").value, source_key: value("key"),
        source_type: value("source-type"), language: value("language"), metadata: more } });
      say([value("title") ? ["“", named(value("title")), "”"] : "The text", " is stored. ", h("a", { href: link(`document/${encodeURIComponent(answer.document_id)}`) }, "Open"), (answer.notices ?? []).map((text) => ` ${clean(text)}`)]);
      for (const id of ["title", "content", "key"]) $(id).value = "";
    } else {
      const type = $("content-type").value, site = type !== "webpage", exclude = $("exclude").value.split("\n").map((line) => line.trim()).filter(Boolean);
      await api("POST", "sources", { body: { knowledge_base: $("add-base").value, url: value("url"), title: value("url-title"), content_type: type, metadata: more,
        crawl_depth: type === "docs" ? Number($("depth").value) : null, max_pages: site ? Number($("pages").value) : null, exclude_patterns: site && exclude.length > 0 ? exclude : null,
        auto_sync: $("auto").checked, sync_interval: $("auto").checked ? `${$("hours").value} hours` : null } });
      say(["The URL is queued. ", h("a", { href: link("sources", { base: $("add-base").value }) }, "See the sources")]);
      for (const id of ["url", "url-title"]) $(id).value = "";
    }
    overview();
  } catch (error) {
    if (!aborted(error) && error.status !== 401) say(error, error.status === 503 || error.status === 0 ? send : undefined);
  }
  sending = false;
}
$("add").addEventListener("submit", (event) => {
  event.preventDefault();
  if (kind() === "files") upload();
  else send();
});

start();
