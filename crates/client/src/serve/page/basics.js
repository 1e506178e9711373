"use strict";
const $ = (id) => document.getElementById(id);
const PAGE = 20, CHUNKS = 20, FIRST_CHARACTERS = 20_000, SNIPPET = 480, POLL = 3000, TOKEN = "kb_rag token";

// Makes an element. Strings become text nodes, so nothing in a document can become markup.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// ---- JSON

// Keeps the digits of numbers where the browser can: those of a document may be more than a number of JavaScript has.
const exact = (key, value, context) => (typeof value === "number" && context?.source !== undefined && JSON.rawJSON ? JSON.rawJSON(context.source) : value);

// A JSON object; undefined if the text is none.
function jsonObject(text) {
  let value;
  try { value = JSON.parse(text, exact); } catch { return undefined; }
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON?.(value) ? value : undefined;
}

// The object of an input, null if it is empty; undefined, and said there, if it is none.
function objectIn(input) {
  const text = input.value.trim();
  const value = text === "" ? null : jsonObject(text);
  if (value === undefined) {
    const details = input.closest("details");
    if (details) details.open = true;
    input.setCustomValidity("This is not a JSON object.");
    input.reportValidity();
    input.addEventListener("input", () => input.setCustomValidity(""), { once: true });
  }
  return value;
}

// ---- Numbers, dates, names

const numbers = new Intl.NumberFormat(), fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
const percents = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }), days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const rules = new Intl.PluralRules("en", { type: "ordinal" });
const nth = (n) => n + { one: "st", two: "nd", few: "rd", other: "th" }[rules.select(n)];
const counted = (n) => (n === null || n === undefined ? "not known" : numbers.format(n));
const plural = (n, one, many = one + "s") => `${counted(n)} ${n === 1 ? one : many}`;
const bytes = (n) => (n < 1e6 ? `${fine.format(Math.ceil(n / 100) / 10)} kB` : `${fine.format(Math.round(n / 1e5) / 10)} MB`);

function when(text, format = times) {
  // A day has no time zone.
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  return text && !isNaN(date) ? h("time", { datetime: text }, format.format(date)) : text ? String(text) : "never";
}

// PostgreSQL writes six hours as 06:00:00.
function lasting(text) {
  const [, days, hours, minutes] = /^(?:(\d+) days? ?)?(?:(\d+):(\d\d):\d\d(?:\.\d+)?)?$/.exec(text) ?? [];
  const parts = [[days, "day"], [hours, "hour"], [minutes, "minute"]].filter(([n]) => Number(n) > 0).map(([n, unit]) => plural(Number(n), unit));
  return parts.length > 0 ? parts.join(" ") : clean(text);
}

// A name from outside on one line: isolated, and without what would turn the order of its letters round.
const clean = (text) => String(text).replace(/[\u202A-\u202E\u2066-\u2069]/g, "");
const named = (text) => h("bdi", null, clean(text));
const called = (row) => clean(row.title || row.source || "Untitled");

// A link where the text is an address of the web, else text: javascript: and its like are never links.
function place(text) {
  let url;
  try { url = new URL(text); } catch { return named(text); }
  if (url.protocol !== "http:" && url.protocol !== "https:") return named(text);
  return h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, named(text));
}

const isEmpty = (value) => value === null || value === undefined || value === "";
// The address of a part of this page.
function link(view, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => !isEmpty(value)));
  return `#/${view}${query.size === 0 ? "" : "?" + query}`;
}

// ---- Requests

class Failure extends Error {
  constructor(status, message, hint) { super(message); this.status = status; this.hint = hint; }
}

// A newer request for the same purpose ends the older one, so that its answer can not come last.
const running = new Map();
function latest(purpose) {
  running.get(purpose)?.abort();
  const controller = new AbortController();
  running.set(purpose, controller);
  return controller.signal;
}

async function api(method, path, { query = {}, body, file, match, reviver, signal, token = sessionStorage.getItem(TOKEN) } = {}) {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => !isEmpty(value)));
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (match) headers["If-Match"] = `"${match}"`;
  if (body) headers["Content-Type"] = "application/json";
  if (file) headers["Content-Type"] = "application/octet-stream";
  let response, answer;
  try {
    response = await fetch(`api/v1/${path}${parameters.size === 0 ? "" : "?" + parameters}`,
      { method, headers, signal, cache: "no-store", redirect: "error", credentials: "same-origin", body: file ?? (body && JSON.stringify(body)) });
    answer = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, "The server does not answer.", "Check the network, and whether kb-rag serve is running.");
  }
  try {
    answer = answer === "" ? null : JSON.parse(answer, reviver);
  } catch {
    answer = response.ok ? undefined : null;
  }
  if (answer === undefined) throw new Failure(response.status, "The answer of the server is not JSON.");
  if (response.ok) return answer;
  const failure = new Failure(response.status, answer?.error ?? `The server answered with status ${response.status}.`, answer?.hint);
  if (failure.status === 401 && session) showSignIn("The token is not valid any more. Sign in again: what you typed is kept.");
  throw failure;
}

// ---- Messages

const aborted = (error) => error.name === "AbortError";

function problem(error, again) {
  if (!(error instanceof Failure)) console.error(error);
  const away = error.status === 503 && h("p", { class: "hint" }, "The server is busy, or it cannot reach the database.");
  return h("div", { class: "problem", role: "alert" }, h("div", null, h("p", { dir: "auto" }, clean(error.message)),
    error.hint && h("p", { class: "hint", dir: "auto" }, clean(error.hint)), away, again && h("button", { type: "button", click: again }, "Try again")));
}

let forNextView = null;
// Says what became of an action, until the next view or message. `parts` is an error or what to show.
function say(parts, again) {
  const box = parts instanceof Error ? problem(parts, again && (() => { say(); again(); })) : parts && h("div", { class: "note" }, h("p", null, parts));
  box?.append(h("button", { type: "button", click: () => say() }, "Close"));
  $("messages").replaceChildren(...(box ? [box] : []));
}

function confirmed(title, text, verb) {
  const dialog = $("confirm");
  $("confirm-title").textContent = title;
  $("confirm-text").replaceChildren(...text);
  $("confirm-yes").textContent = verb;
  return new Promise((resolve) => {
    $("confirm-yes").onclick = () => dialog.close("yes");
    $("confirm-no").onclick = () => dialog.close("");
    dialog.returnValue = "";
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
    dialog.showModal();
    $("confirm-no").focus();
  });
}

// A button that works once at a time, and tells where it fails.
function button(label, act, kind) {
  const element = h("button", { type: "button", class: kind, "data-key": label, click: run }, label);
  async function run() {
    if (element.getAttribute("aria-disabled") === "true") return;
    element.setAttribute("aria-disabled", "true");
    try {
      await act();
    } catch (error) {
      if (!aborted(error) && error.status !== 401) say(error, error.status === 503 || error.status === 0 ? run : undefined);
    }
    element.removeAttribute("aria-disabled");
  }
  return element;
}
