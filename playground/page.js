"use strict";

// The engine answers lines of JSON (docs/serve.md). It has no files, clock or output.
let ask;

function start() {
  const text = document.getElementById("engine").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const none = () => 0;
  const wasi = { proc_exit: none, fd_close: none, fd_write: none, fd_seek: none };
  const module = new WebAssembly.Module(bytes); // at once: it is small
  const engine = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi }).exports;
  engine._initialize();
  const request = engine.playground_request(), most = engine.playground_request_bytes();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  ask = (question) => {
    const line = encoder.encode(JSON.stringify(question));
    if (line.length >= most) return { ok: false, error: { text: "the map is too long" } };
    new Uint8Array(engine.memory.buffer, request, most).set(line);
    const reply = engine.playground_answer(line.length);
    const memory = new Uint8Array(engine.memory.buffer);
    return JSON.parse(decoder.decode(memory.subarray(reply, memory.indexOf(0, reply))));
  };
}

// --- The map that the user wrote

const FIELDS = ["kind", "data_type", "global_dim", "global_strides", "global_address", "box_dim", "element_strides",
  "interleave", "swizzle", "l2_promotion", "oob_fill", "lower_corner", "upper_corner", "channels_per_pixel",
  "pixels_per_column"];

// A word or a number, which may have a unit of bytes.
function readScalar(text) {
  const word = text.trim().replace(/^["']|["']$/g, "");
  const sized = /^(\d+)\s*(B|KiB|MiB|GiB)?$/.exec(word);
  if (sized) return Number(sized[1]) * { B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824 }[sized[2] || "B"];
  return /^-\d+$/.test(word) ? Number(word) : word;
}

// Reads "key: value" wherever it stands: a block or flow mapping of YAML, a map of a scenario, JSON.
function readFields(text) {
  const plain = text.replace(/(^|\s)#.*$/gm, "");
  const map = {};
  for (const field of FIELDS) {
    const found = new RegExp(`(?:^|[\\s{,"'])${field}["']?\\s*:\\s*(\\[[^\\]]*\\]|(?:\\s*-\\s+[^\\n]+\\n?)+|[^,}\\n]+)`).exec(plain);
    if (!found) continue;
    const value = found[1].trim();
    if (value.startsWith("[")) map[field] = value.slice(1, -1).split(",").filter((item) => item.trim()).map(readScalar);
    else if (/^-\s/.test(value)) map[field] = value.split("\n").map((item) => readScalar(item.replace(/^\s*-/, "")));
    else map[field] = readScalar(value);
  }
  if (Object.keys(map).length === 0) throw new Error("no field of a tensor map; expected data_type, global_dim, box_dim, ...");
  return map;
}

// 256 hexadecimal digits, in bytes or little-endian words of a dump.
function readHex(text) {
  if (!/^[\s,{};0-9a-fA-FxX]+$/.test(text)) return null;
  const items = text.match(/(?:0[xX])?[0-9a-fA-F]+/g) || [];
  const digits = items.map((item) => item.replace(/^0[xX]/, ""));
  if (items.length === 32) // words: the lowest byte comes first in memory
    return digits.map((word) => word.padStart(8, "0").match(/../g).reverse().join("")).join("");
  return digits.map((item) => (items.length === 128 ? item.padStart(2, "0") : item)).join("");
}

function readMap(text) {
  const hex = readHex(text);
  if (hex === null) return { map: readFields(text), findings: [] };
  const reply = ask({ op: "decode", descriptor: hex });
  if (!reply.ok) throw new Error(reply.error.text);
  const map = {};
  for (const field of FIELDS) if (field in reply) map[field] = reply[field];
  return { map, findings: reply.findings };
}

// --- The page

const $ = (id) => document.getElementById(id);
const INPUTS = ["map", "arch", "coordinates", "instruction", "lanes", "stride", "transposed", "index", "mn_major", "value", "layout"];
const EXAMPLES = {
  "operand of a GEMM": ["data_type: float16\nglobal_dim: [4096, 4096]\nbox_dim: [64, 64]\nswizzle: 128b", "ldmatrix.x4", "fragment_a"],
  "columns of a transpose": ["data_type: float32\nglobal_dim: [4096, 4096]\nbox_dim: [32, 32]\nswizzle: 128b", "ld.shared.b32", "column"],
  "at the edge of the tensor": ["data_type: bfloat16\nglobal_dim: [1000, 60]\nbox_dim: [32, 32]\nswizzle: 64b", "ld.shared.b128", "row", "976, 40"],
  "pixels of a convolution": ["kind: im2col\ndata_type: float16\nglobal_dim: [64, 28, 28, 8]\nlower_corner: [-1, -1]\nupper_corner: [-1, -1]\nchannels_per_pixel: 64\npixels_per_column: 64\nswizzle: 128b", "ldmatrix.x4", "fragment_a"],
  "not legal": ["data_type: float16\nglobal_dim: [1001, 64]\nbox_dim: [64, 300]\nswizzle: 128b", "ld.shared.b128", "row"],
};
const LINE = 128, CHUNKS = 8, LINE_HEIGHT = 22, HEAD = 18;
const VIEW = 420; // pixels of a tile that can be seen, as in page.css
let state = null; // what the tiles show now

// The words that the engine allows for a key.
function allowed(key) {
  const reply = ask({ op: "compare", data_type: "uint8", global_dim: [16], box_dim: [16], [key]: "?" });
  return reply.error.text.replace(/.*allowed: /, "").split(", ");
}

function fill(select, words) {
  for (const word of words) select.add(new Option(word));
}

function restore() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("map")) {
    show(Object.keys(EXAMPLES)[0]);
    return;
  }
  $("index").max = 1e6;
  for (const id of INPUTS)
    if (given.has(id)) {
      if ($(id).type === "checkbox") $(id).checked = given.get(id) === "1";
      else $(id).value = given.get(id);
    }
}

function save() {
  const query = new URLSearchParams();
  for (const id of INPUTS) query.set(id, $(id).type === "checkbox" ? ($(id).checked ? "1" : "0") : $(id).value);
  history.replaceState(null, "", "#" + query);
}

function show(name) {
  const [map, instruction, lanes, coordinates] = EXAMPLES[name];
  $("map").value = map;
  $("instruction").value = instruction;
  $("lanes").value = lanes;
  $("coordinates").value = coordinates || "";
  $("transposed").checked = false;
  $("index").value = 0;
}

// Adds a child with text: no text becomes markup.
function add(parent, tag, text, className) {
  const child = document.createElement(tag);
  child.textContent = text;
  if (className) child.className = className;
  parent.append(child);
  return child;
}

function write(id, parts) {
  $(id).replaceChildren();
  for (const [tag, text, className] of parts) add($(id), tag, text, className);
}

// What the user asks, in the words of a request.
function readQuestion() {
  const { map, findings } = readMap($("map").value);
  const question = { ...map, arch: $("arch").value, instruction: $("instruction").value, lanes: $("lanes").value,
    stride: Number($("stride").value) || 1, transposed: $("transposed").checked };
  const coordinates = $("coordinates").value.trim();
  if (coordinates) question.coordinates = coordinates.split(",").map(Number);
  return { question, findings };
}

// Keeps only what an operation takes: a request with another key is an error.
function request(op, question, more) {
  const taken = { op, ...question, ...more };
  const drop = { check: ["instruction", "lanes", "stride", "transposed", "coordinates"],
    layout: ["instruction", "lanes", "stride", "transposed"], wgmma: ["instruction", "lanes", "stride", "transposed"] };
  for (const key of drop[op === "encode" ? "check" : op] || []) delete taken[key];
  return ask(taken);
}

function showVerdict(question, findings) {
  const check = request("check", question);
  const parts = [];
  if (!check.ok) parts.push(["span", check.error.text, "bad"]);
  else if (check.legal) parts.push(["span", check.usable ? "Legal: the driver encodes it." : "The driver encodes it, but no operation of this architecture can use it.", "good"]);
  else {
    parts.push(["span", check.violations.length === 1 ? "Not legal:" : `Not legal, for ${check.violations.length} reasons:`, "bad"]);
    for (const violation of check.violations) parts.push(["div", violation.text]);
  }
  for (const finding of findings) parts.push(["div", "In the descriptor: " + (finding.text || finding)]);
  write("verdict", parts);
  const encoded = check.ok && check.legal ? request("encode", question) : { ok: false };
  $("descriptor").textContent = encoded.ok ? encoded.descriptor.replace(/(.{8})(?=.)/g, "$1 ") : "none: the map is not legal";
}

// What a given descriptor says, and whether it reads the tile.
function showComparison(reply) {
  const { given } = reply, parts = [];
  parts.push(["div", `start 0x${given.start.toString(16)}, leading offset ${given.leading}, stride offset ${given.stride}, ` +
    `base offset ${given.base_offset}, swizzle ${given.swizzle}` +
    (Number(given.unknown_bits) ? `; bits that must be 0: ${given.unknown_bits}` : "")]);
  if (given.wrong === 0) parts.unshift(["span", `It agrees with the tile: instruction ${given.step + 1} of ${reply.steps}.`, "good"]);
  else if (given.wrong > 0) {
    parts.unshift(["span", `${given.wrong} of ${given.rows} rows of 16 bytes are read from elsewhere.`, "bad"]);
    parts.push(["div", `Element m/n ${given.mn}, k ${given.k} lies at 0x${given.has.toString(16)}, and the descriptor reads it from 0x${given.reads.toString(16)}; ` +
      `the right one is ${reply.descriptors[given.step]?.value}` + (given.named ? "" : ", of the first instruction: none begins at that start address")]);
  }
  write("compared", parts);
}

// The tile as wgmma reads it and as CuTe writes it; and a layout of CuTe as a tensor map.
function showMatrix(question) {
  const value = $("value").value.trim(), layout = $("layout").value.trim();
  const reply = request("wgmma", question, { mn_major: $("mn_major").checked, ...(value ? { value } : {}) });
  $("cute").textContent = reply.ok ? reply.cute || "CuTe has no notation for this tile" : reply.error.text;
  write("compared", []);
  if (!reply.ok && value) write("compared", [["span", reply.error.text, "bad"]]);
  if (reply.ok && reply.given) showComparison(reply);
  $("steps").textContent = !reply.ok ? "" : !reply.reads ? `wgmma cannot read it: ${reply.reason}`
    : `An instruction reads ${reply.mn} of ${reply.reads && $("mn_major").checked ? "M or N (contiguous)" : "M or N"} by ${reply.k} of K:\n` +
      reply.descriptors.map((step) => `${step.value}  m/n ${step.mn}, k ${step.k}`).join("\n") +
      (reply.steps > reply.descriptors.length ? `\n${reply.steps - reply.descriptors.length} more` : "");
  if (!layout) {
    write("box", []);
    return;
  }
  const box = ask({ op: "cute", layout });
  if (!box.ok) write("box", [["span", box.error.text, "bad"]]);
  else if (!box.one_box) write("box", [["span", `No single box: ${box.reason}`, "bad"]]);
  else write("box", [["span", `data_type: ${box.data_type}, box_dim: [${box.box_dim.join(", ")}], swizzle: ${box.swizzle}`, "good"],
    ["div", `Its dimensions, the innermost first, are the modes ${box.modes.join(", ")} of ${box.layout}`]]);
}

// Which modes there are, and how many wavefronts a pass takes in each.
function compare(question) {
  const reply = request("compare", question);
  if (!reply.ok) return { modes: [], refused: [reply.error.text] };
  const refused = reply.modes.filter((mode) => !mode.legal).map((mode) => `${mode.swizzle}: ${mode.reason}`);
  return { modes: reply.modes.filter((mode) => mode.legal), refused };
}

const cards = new Map(); // by swizzle: a canvas is costly to make

function makeCard(swizzle) {
  const card = document.createElement("div");
  const name = add(card, "h3", "");
  const text = add(card, "p", "", "soft");
  const lines = add(card, "div", "", "lines");
  const sheet = add(lines, "div", "");
  const canvas = add(sheet, "canvas", "");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  const tile = { swizzle, card, name, text, lines, sheet, canvas, note: add(card, "div", "", "soft") };
  lines.addEventListener("scroll", () => { if (tile.layout) drawTile(tile); });
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); drag(tile, event); });
  canvas.addEventListener("pointermove", (event) => { if (event.buttons) drag(tile, event); });
  cards.set(swizzle, tile);
  return tile;
}

// The card of a mode, with the tile that it has now.
function fillCard(mode) {
  const tile = cards.get(mode.swizzle) || makeCard(mode.swizzle);
  const layout = request("layout", state.question, { swizzle: mode.swizzle });
  Object.assign(tile, { mode, layout: layout.ok ? layout : null, access: null });
  tile.card.className = "mode";
  tile.name.textContent = mode.swizzle === "none" ? "no swizzle" : mode.swizzle;
  tile.lines.hidden = !layout.ok;
  if (!layout.ok) {
    tile.text.textContent = layout.error.text;
    tile.note.textContent = "";
  } else {
    tile.shown = Math.min(layout.lines, layout.kinds.length / CHUNKS);
    const height = HEAD + tile.shown * LINE_HEIGHT;
    tile.sheet.style.height = height + "px";
    tile.height = Math.min(height, VIEW);
    tile.note.textContent = layout.lines > tile.shown ? `${layout.lines - tile.shown} more lines` : "";
  }
  return tile;
}

// Moves the access to the instruction that takes the byte under the pointer.
function drag(tile, event) {
  if (!tile.layout) return;
  const box = tile.canvas.getBoundingClientRect();
  const line = Math.floor((event.clientY - box.top + tile.lines.scrollTop - HEAD) / LINE_HEIGHT);
  const byte = Math.floor(((event.clientX - box.left) / box.width) * LINE);
  if (event.clientY < box.top + HEAD || line >= tile.shown || byte < 0 || byte >= LINE) return;
  const reply = request("explain", state.question, { swizzle: tile.mode.swizzle, byte: tile.layout.shared_address + line * LINE + byte });
  if (!reply.ok || reply.index === Number($("index").value)) return;
  $("index").value = reply.index;
  timed(() => { showAccess(); save(); });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const wavefrontColour = (wavefront) => `hsl(${(wavefront * 67) % 360} 85% ${dark.matches ? 62 : 38}%)`;

// Draws the lines that can be seen: the canvas stays where it is while they scroll.
function drawTile(tile) {
  const { canvas, layout, access, width, height } = tile, { ink, soft } = state;
  const ratio = Math.min(devicePixelRatio || 1, 2), top = HEAD - tile.lines.scrollTop;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) {
    [canvas.width, canvas.height] = size;
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const cell = width / CHUNKS, rank = layout.coordinates.length / layout.kinds.length;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = "10px system-ui, sans-serif";
  const first = Math.floor(tile.lines.scrollTop / LINE_HEIGHT);
  const end = Math.min(tile.shown, Math.ceil((tile.lines.scrollTop + height - HEAD) / LINE_HEIGHT));
  for (let at = first * CHUNKS; at < end * CHUNKS; at++) {
    const x = (at % CHUNKS) * cell, y = top + Math.floor(at / CHUNKS) * LINE_HEIGHT, kind = layout.kinds[at];
    const place = layout.coordinates.slice(at * rank, (at + 1) * rank);
    const row = rank > 1 ? place[1] - state.origin : 0;
    if (kind === "e") context.fillStyle = `hsl(${(((row % 8) + 8) % 8) * 45} ${dark.matches ? "38% 27%" : "65% 86%"})`;
    else context.fillStyle = dark.matches ? "#20252c" : "#e7e9ed";
    context.fillRect(x + 0.5, y + 0.5, cell - 1, LINE_HEIGHT - 1);
    context.fillStyle = kind === "e" ? ink : soft;
    const label = kind === "e" ? place.join(",") : kind === "~" ? "out" : kind === "?" ? "?" : "";
    context.fillText(label, x + cell / 2, y + LINE_HEIGHT / 2 + 0.5, cell - 4);
  }
  context.lineWidth = 2;
  for (const lane of access ? access.lanes : []) {
    const at = lane.address - layout.shared_address, line = Math.floor(at / LINE);
    if (line < first || line >= end) continue;
    const x = ((at % LINE) / LINE) * width, y = top + line * LINE_HEIGHT, wide = (access.lane_bytes / LINE) * width;
    context.strokeStyle = wavefrontColour(lane.wavefront);
    context.strokeRect(x + 1.5, y + 1.5, Math.max(wide - 3, 2), LINE_HEIGHT - 3);
  }
  context.clearRect(0, 0, width, HEAD); // lines slide beneath the numbers of the banks
  context.fillStyle = soft;
  for (let chunk = 0; chunk < CHUNKS; chunk++) context.fillText(`${chunk * 4}\u2013${chunk * 4 + 3}`, (chunk + 0.5) * cell, HEAD / 2);
}

// Draws the instruction at hand in each mode.
function showAccess() {
  const index = Number($("index").value);
  const style = getComputedStyle(document.body);
  state.ink = style.getPropertyValue("--ink");
  state.soft = style.getPropertyValue("--soft");
  // Asked for before anything changes, so that the page is laid out once.
  for (const tile of state.tiles) tile.width = tile.lines.clientWidth || 380;
  for (const tile of state.tiles) {
    const { mode } = tile;
    if (!tile.layout) continue;
    let access = null, text = `This access does not fit the tile: ${mode.reason}`;
    if (mode.instructions !== undefined) {
      access = request("explain", state.question, { swizzle: mode.swizzle, index: Math.min(index, mode.instructions - 1) });
      text = `A pass takes ${mode.wavefronts} wavefronts, ${mode.ideal_wavefronts} without conflicts` +
        (mode.ways > 1 ? ` (${mode.ways}-way at worst). ` : ". ");
      if (access.ok) text += `This instruction: ${access.wavefronts} of ${access.ideal_wavefronts}.`;
      else access = null;
    }
    tile.text.textContent = text;
    tile.canvas.setAttribute("aria-label", `${mode.swizzle}: ${text}`);
    tile.access = access;
    drawTile(tile);
  }
  $("place").value = state.instructions > 0 ? `${Math.min(index, state.instructions - 1) + 1} of ${state.instructions}` : "none";
}

function update() {
  let asked;
  try {
    asked = readQuestion();
  } catch (error) {
    write("verdict", [["span", error.message, "bad"]]);
    return;
  }
  const { question, findings } = asked;
  showVerdict(question, findings);
  showMatrix(question);
  const { modes, refused } = compare(question);
  const chosen = question.swizzle || "none";
  const fewest = Math.min(...modes.map((mode) => mode.wavefronts ?? Infinity));
  state = { question, origin: (question.coordinates || [0, 0])[1] || 0, instructions: 0 };
  modes.sort((a, b) => (b.swizzle === chosen) - (a.swizzle === chosen));
  state.tiles = modes.map(fillCard);
  const order = state.tiles.map((tile) => tile.card); // a card that is moved scrolls back
  if (order.length !== $("modes").children.length || order.some((card, i) => card !== $("modes").children[i]))
    $("modes").replaceChildren(...order);
  for (const tile of state.tiles) {
    state.instructions = Math.max(state.instructions, tile.mode.instructions || 0);
    if (tile.mode.wavefronts === fewest) tile.card.classList.add("best");
    if (tile.mode.swizzle === chosen) tile.name.textContent += " (this map)";
    if (tile.mode.wavefronts === fewest) tile.name.textContent += ", fewest wavefronts";
  }
  $("index").max = Math.max(state.instructions - 1, 0);
  write("illegal", refused.map((text) => ["div", text]));
  $("stride").disabled = $("lanes").value !== "strided";
  showAccess();
  save();
}

// How long the last redraw took, for the page's own test.
let took = 0;

function timed(work) {
  const begin = performance.now();
  work();
  took = performance.now() - begin;
  $("time").textContent = `Redrawn in ${took.toFixed(1)} ms.`;
}

start();
fill($("arch"), allowed("arch"));
fill($("instruction"), allowed("instruction").filter((name) => !name.startsWith("wgmma")));
fill($("lanes"), allowed("lanes").filter((name) => name !== "distribution" && name !== "descriptor"));
fill($("example"), Object.keys(EXAMPLES));
restore();
timed(update);
for (const id of INPUTS) $(id).addEventListener("input", () => timed(id === "index" ? () => { showAccess(); save(); } : update));
$("example").addEventListener("change", () => { show($("example").value); timed(update); });
$("link").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); $("link").textContent = "Copied"; }
  catch { $("link").textContent = "Copy it from the address bar"; }
});
dark.addEventListener("change", () => timed(showAccess));
addEventListener("resize", () => timed(showAccess));
addEventListener("hashchange", () => { restore(); timed(update); });
