// ---- Markdown: elements out of the text of a document. What is not one of these forms, such as HTML, stays text. Every step takes
// time in proportion to the text, whatever the text is.

const MOST_RENDERED = 300_000, MOST_NESTED = 10;

const FENCE = /^ {0,3}(`{3,}|~{3,})/, HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/, UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/, INDENTED = /^(?: {4}|\t)/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]{1,4})(?=\S)|[ \t]*$|[ \t])/;

function markdown(text) {
  return blocks(text.split(/\r\n|\r|\n/), 0);
}

// Blocks one after the other; those of an item of a list are read the same way.
function blocks(lines, depth) {
  const found = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line.trim() === "") { at++; continue; }
    const [block, next] = fenced(lines, at) ?? titled(lines, at) ?? tabled(lines, at) ?? (depth < MOST_NESTED ? listed(lines, at, depth) : undefined)
      ?? (INDENTED.test(line) ? indented(lines, at) : paragraph(lines, at, depth));
    found.push(block);
    at = next;
  }
  return found;
}

// Browsers look for the direction again with each child that comes to such an element, so it is said last.
function lead(tag, content) {
  const element = h(tag, null, content);
  element.dir = "auto";
  return element;
}

const codeBlock = (lines) => h("pre", null, h("code", null, lines.join("\n")));
const header = (level, text) => lead(`h${Math.min(6, level + 2)}`, inline(text));

// The fence that a line begins with. Backticks further on make it a code span.
function fenceOf(line) {
  const [all, fence] = FENCE.exec(line) ?? [];
  return fence?.[0] === "`" && line.slice(all.length).includes("`") ? undefined : fence;
}

function fenced(lines, at) {
  const fence = fenceOf(lines[at]);
  if (!fence) return;
  const indent = lines[at].indexOf(fence), inside = [];
  let end = at + 1;
  for (; end < lines.length; end++) {
    const mark = lines[end].trim();
    if (mark.length >= fence.length && mark === fence[0].repeat(mark.length)) break;
    inside.push(lines[end].slice(Math.min(indent, lines[end].search(/[^ ]|$/))));
  }
  return [codeBlock(inside), end + 1];
}

function indented(lines, at) {
  let end = at;
  while (end < lines.length && (INDENTED.test(lines[end]) || lines[end].trim() === "")) end++;
  while (lines[end - 1].trim() === "") end--;
  return [codeBlock(lines.slice(at, end).map((line) => line.replace(INDENTED, ""))), end];
}

function titled(lines, at) {
  const [all, signs] = HEADING.exec(lines[at]) ?? [];
  if (!signs) return;
  const text = lines[at].slice(all.length).trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return [header(signs.length, end === 0 || /[ \t]/.test(text[end - 1]) ? text.slice(0, end).trim() : text), at + 1];
}

// Cells are between lines that have no backslash before them.
function cells(line) {
  const row = line.trim().replace(/^\|/, "");
  const found = [""];
  for (const part of row.match(/\\.|\\$|\||[^\\|]+/g) ?? []) {
    if (part === "|") found.push("");
    else found[found.length - 1] += part === "\\|" ? "|" : part;
  }
  if (found.length > 1 && found[found.length - 1].trim() === "") found.pop();
  return found.map((cell) => cell.trim());
}

function isTable(lines, at) {
  if (!lines[at].includes("|") || !lines[at + 1]?.includes("-")) return false;
  const rule = cells(lines[at + 1]);
  return rule.every((cell) => /^:?-+:?$/.test(cell)) && rule.length === cells(lines[at]).length;
}

function tabled(lines, at) {
  if (!isTable(lines, at)) return;
  const row = (line, tag) => h("tr", null, cells(line).map((cell) => lead(tag, inline(cell))));
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && !begins(lines[end])) end++;
  return [h("div", { class: "sideways", tabindex: "0" }, h("table", null, h("thead", null, row(lines[at], "th")), h("tbody", null, lines.slice(at + 2, end).map((line) => row(line, "td"))))), end];
}

// Whether a line ends the paragraph before it. Years at the beginning of a line are no lists.
const begins = (line) => fenceOf(line) !== undefined || HEADING.test(line) || /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(line);

function listed(lines, first, depth) {
  const kind = (line) => { const [, , mark] = ITEM.exec(line) ?? []; return mark && mark.at(-1); };
  const sign = kind(lines[first]);
  if (!sign) return;
  const items = [];
  let at = first;
  while (at < lines.length && kind(lines[at]) === sign) {
    const [all, before, mark, gap] = ITEM.exec(lines[at]);
    const width = before.length + mark.length + (gap?.length ?? 1);
    const inside = [lines[at].slice(all.length)];
    for (at++; at < lines.length; at++) {
      const line = lines[at], indent = line.search(/[^ \t]|$/), deep = indent >= width || line[0] === "\t";
      if (line.trim() !== "" && !deep && (inside.at(-1) === "" || ITEM.test(line) || begins(line))) break;
      inside.push(line.trim() === "" ? "" : line[0] === "\t" ? line.slice(1) : line.slice(Math.min(indent, width)));
    }
    items.push(lead("li", blocks(inside, depth + 1)));
    // Empty lines between items are in the item before them.
  }
  const number = Number.parseInt(ITEM.exec(lines[first])[2], 10);
  return [Number.isNaN(number) ? h("ul", null, items) : h("ol", { start: number !== 1 && number }, items), at];
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  for (; end < lines.length && lines[end].trim() !== ""; end++) {
    if (UNDERLINE.test(lines[end])) return [header(lines[end].includes("=") ? 1 : 2, lines.slice(at, end).join("\n").trim()), end + 1];
    if ((begins(lines[end]) && depth < MOST_NESTED) || isTable(lines, end)) break;
  }
  return [lead("p", inline(lines.slice(at, end).map((line) => line.trim()).join("\n"))), end];
}

// ---- Markdown within a block, as CommonMark reads it: delimiters are kept in a list, and matched from the inside out

const SIGNS = /\\[!-/:-@[-`{-~]|`+|\*+|_+|!?\[|\]|<https?:\/\/[^\s<>]*>|https?:\/\/[^\s<>[\]"`]+/g;
// What follows the text of a link; limits keep it short.
const TARGET = /\(\s{0,3}(?:<([^<>\n]{0,2000})>|((?:[^\s()\\]|\\.|\([^\s()\\]{0,500}\)){0,2000}))(?:\s{1,3}(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,3}\)/y;

function webAddress(text) {
  let url;
  try { url = new URL(text); } catch { return null; }
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

const anchor = (href, ...children) => h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", title: href }, children);

function inline(text) {
  const root = document.createDocumentFragment(), state = { last: null }, brackets = [];
  const put = (part) => { const node = document.createTextNode(part); root.append(node); return node; };
  const ticks = runs(text);
  let from = 0;
  const signs = new RegExp(SIGNS);
  for (let match; (match = signs.exec(text));) {
    const [sign] = match, at = match.index;
    let end = at + sign.length;
    if (at > from) put(text.slice(from, at));
    if (sign[0] === "\\") put(sign[1]);
    else if (sign[0] === "`") {
      const close = ticks.after(sign.length, end);
      if (close === undefined) put(sign);
      else {
        const inside = text.slice(end, close).replaceAll("\n", " ");
        root.append(h("code", null, /^ .*\S.* $/.test(inside) ? inside.slice(1, -1) : inside));
        end = close + sign.length;
      }
    } else if (sign[0] === "*" || sign[0] === "_") delimiter(state, put(sign), text, at, end);
    else if (sign === "[" || sign === "![") brackets.push({ node: put(sign), below: state.last, image: sign === "![", on: true });
    else if (sign === "]") {
      const bracket = brackets.pop();
      TARGET.lastIndex = end;
      const target = bracket?.on ? TARGET.exec(text) : null;
      const href = target && webAddress((target[1] ?? target[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1"));
      const height = href ? heightAfter(bracket.node, null) : 0;
      if (!href || height >= MOST_NESTED) put(sign);
      else {
        emphasize(state, bracket.below);
        const content = document.createDocumentFragment();
        while (bracket.node.nextSibling) content.append(bracket.node.nextSibling);
        // No link is in another one.
        for (const inner of content.querySelectorAll("a")) inner.replaceWith(...inner.childNodes);
        // Nothing of a picture is loaded: its text stands for it.
        const element = bracket.image ? h("span", { class: "picture" }, "Picture: ", content) : anchor(href, content);
        heights.set(element, height + 2);
        bracket.node.replaceWith(element);
        for (let outer = brackets.length - 1; !bracket.image && outer >= 0 && (brackets[outer].on || brackets[outer].image); outer--) brackets[outer].on = brackets[outer].image;
        end = TARGET.lastIndex;
      }
    } else {
      let url = sign[0] === "<" ? sign.slice(1, -1) : sign;
      // A sentence may end behind an address.
      if (sign[0] !== "<") while (/[.,;:!?'*_~|]/.test(url.at(-1)) || (url.at(-1) === ")" && !url.includes("("))) url = url.slice(0, -1);
      const href = /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? null : webAddress(url);
      if (href) {
        root.append(anchor(href, url));
        end = sign[0] === "<" ? end : at + url.length;
      } else put(sign);
    }
    from = signs.lastIndex = end;
  }
  if (from < text.length) put(text.slice(from));
  emphasize(state, null);
  return root;
}

// The places of backticks by the length of their run, to be asked for in ascending order.
function runs(text) {
  const places = new Map();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    if (!places.has(run.length)) places.set(run.length, { at: [], next: 0 });
    places.get(run.length).at.push(index);
  }
  return {
    after(length, from) {
      const known = places.get(length);
      while (known.at[known.next] < from) known.next++;
      return known.at[known.next];
    },
  };
}

function delimiter(state, node, text, at, end) {
  const white = (character) => character === undefined || /\s/.test(character), mark = (character) => character !== undefined && /[\p{P}\p{S}]/u.test(character);
  const [before, after] = [text[at - 1], text[end]];
  const left = !white(after) && (!mark(after) || white(before) || mark(before)), right = !white(before) && (!mark(before) || white(after) || mark(after));
  const within = text[at] === "_";
  const opens = left && (!within || !right || mark(before)), closes = right && (!within || !left || mark(after));
  const one = { node, sign: text[at], count: end - at, length: end - at, opens, closes, before: state.last, after: null };
  if (state.last) state.last.after = one;
  state.last = one;
}

// Makes elements of the delimiters above `floor`, and forgets them.
function emphasize(state, floor) {
  const floors = new Map();
  const forget = (one) => {
    if (one.before) one.before.after = one.after;
    if (one.after) one.after.before = one.before;
    else state.last = one.before;
  };
  let closer = state.last;
  while (closer && closer.before !== floor) closer = closer.before;
  if (state.last === floor) return;
  while (closer) {
    const next = closer.after;
    if (!closer.closes) { closer = next; continue; }
    const key = closer.sign + closer.opens + closer.length % 3, end = floors.has(key) ? floors.get(key) : floor;
    let opener = closer.before;
    const fits = (one) => one.sign === closer.sign && one.opens && ((!one.closes && !closer.opens) || (one.length + closer.length) % 3 !== 0 || one.length % 3 === 0);
    while (opener && opener !== floor && opener !== end && !fits(opener)) opener = opener.before;
    if (opener && opener !== floor && opener !== end && wrap(opener, closer)) {
      while (closer.before !== opener) forget(closer.before);
      if (opener.count === 0) forget(opener);
      if (closer.count === 0) { forget(closer); closer = next; }
    } else {
      floors.set(key, closer.before);
      if (!closer.opens) forget(closer);
      closer = next;
    }
  }
  state.last = floor;
  if (floor) floor.after = null;
}

// How deeply elements are nested: those of CommonMark may be as deep as the text is long, and browsers cannot show that.
const heights = new WeakMap();
function heightAfter(opener, end) {
  let height = 0;
  for (let node = opener.nextSibling; node !== end; node = node.nextSibling) height = Math.max(height, heights.get(node) ?? 0);
  return height;
}

// Puts what is between two delimiters into an element, unless that would nest too deeply.
function wrap(opener, closer) {
  const height = heightAfter(opener.node, closer.node);
  if (height >= MOST_NESTED) return false;
  const used = opener.count >= 2 && closer.count >= 2 ? 2 : 1, element = h(used === 2 ? "strong" : "em");
  while (opener.node.nextSibling !== closer.node) element.append(opener.node.nextSibling);
  opener.node.after(element);
  heights.set(element, height + 1);
  for (const one of [opener, closer]) {
    one.count -= used;
    one.node.data = one.node.data.slice(used);
  }
  return true;
}
