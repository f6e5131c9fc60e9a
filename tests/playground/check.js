// Runs in the page, behind its own script: tries what a user does, and writes what went wrong into #checked.
(() => {
  const wrong = [];
  const expect = (good, text) => { if (!good) wrong.push(text); };
  const set = (id, value) => {
    if ($(id).type === "checkbox") $(id).checked = value;
    else $(id).value = value;
    $(id).dispatchEvent(new Event("input"));
  };
  const verdict = () => $("verdict").textContent;
  const shownCards = () => [...document.querySelectorAll(".mode")];
  const card = (name) => shownCards().find((item) => item.textContent.startsWith(name));
  // The colours of all pixels of a tile, as one number.
  const picture = (item) => {
    const canvas = item.querySelector("canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let digest = 0;
    for (let i = 0; i < pixels.length; i++) digest = (digest * 31 + pixels[i]) | 0;
    return digest;
  };
  const point = (item, line, byte, type) => {
    const canvas = item.querySelector("canvas"), box = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => {};
    canvas.dispatchEvent(new PointerEvent(type, { buttons: 1, pointerId: 1,
      clientX: box.left + ((byte + 0.5) / 128) * box.width, clientY: box.top + 18 + (line + 0.5) * 22 }));
  };

  // The engine answers as the command does: the figures stand in EXPECTED, which the test writes.
  for (const [request, reply] of EXPECTED) expect(JSON.stringify(ask(request)) === JSON.stringify(reply), "reply to " + JSON.stringify(request));

  set("map", "data_type: float16\nglobal_dim: [64, 64]\nbox_dim: [64, 8]\nswizzle: 128b # a comment");
  set("instruction", "ldmatrix.x4");
  set("lanes", "matrix");
  expect(verdict().startsWith("Legal"), "a legal map: " + verdict());
  expect(shownCards().length === 2 && card("128b (this map)") && card("no swizzle"), "cards: " + shownCards().length);
  expect(card("128b").textContent.includes("8 wavefronts, 8 without"), "128b: " + card("128b").textContent);
  expect(card("no swizzle").textContent.includes("64 wavefronts, 8 without conflicts (8-way"), "none: " + card("no swizzle").textContent);
  expect(card("128b").classList.contains("best") && !card("no swizzle").classList.contains("best"), "the best mode");
  expect(picture(card("128b")) !== picture(card("no swizzle")), "the modes look the same");

  // Forms of a map.
  const descriptor = $("descriptor").textContent;
  const encoded = descriptor.replace(/\s/g, "");
  expect(encoded.length === 256, "descriptor: " + encoded);
  const same = [encoded, encoded.replace(/(..)/g, "0x$1, "),
    encoded.match(/.{8}/g).map((word) => "0x" + word.match(/../g).reverse().join("")).join(" "),
    '{"data_type": "float16", "global_dim": [64, 64], "box_dim": [64, 8], "swizzle": "128b"}',
    "A: {data_type: float16, global_dim: [64, 64], global_strides: [128 B], box_dim: [64, 8], swizzle: 128b}",
    "data_type: CU_TENSOR_MAP_DATA_TYPE_FLOAT16\nglobal_dim:\n  - 64\n  - 64\nbox_dim:\n  - 64\n  - 8\nswizzle: 128b"];
  for (const text of same) {
    set("map", text);
    expect($("descriptor").textContent === descriptor, "another map: " + text.slice(0, 60) + ": " + verdict());
  }
  set("map", "data_type: float16\nglobal_dim: [1001, 64]\nbox_dim: [64, 300]");
  expect(verdict().includes("2 reasons") && verdict().includes("stride_alignment"), "an illegal map: " + verdict());
  set("map", "data_type: float17\nglobal_dim: [64]\nbox_dim: [64]");
  expect(verdict().includes('data_type is "float17"'), "a wrong word: " + verdict());
  for (const text of ["", "hello", "<img src=x onerror=\"document.title='bad'\">", "data_type: <b>x</b>", "00"]) {
    set("map", text);
    expect(verdict().length > 5 && !document.querySelector("#verdict img, #verdict b"), "no message for " + text);
  }

  // The tile as wgmma reads it, and in CuTe's notation.
  set("map", "data_type: float16\nglobal_dim: [64, 64]\nbox_dim: [64, 64]\nswizzle: 128b");
  expect($("cute").textContent === "Swizzle<3,4,3> o smem_ptr[16b](0x0) o (64,64):(64,1)", "CuTe: " + $("cute").textContent);
  expect($("steps").textContent.includes("0x4000004000010002  m/n 0, k 16"), "descriptors: " + $("steps").textContent);
  set("value", "0x4000004000010002");
  expect($("compared").textContent.startsWith("It agrees"), "a right descriptor: " + $("compared").textContent);
  set("value", "0x4000000800010000");
  expect($("compared").textContent.startsWith("112 of 128 rows") && $("compared").textContent.includes("0x4000004000010000"), "a wrong descriptor: " + $("compared").textContent);
  set("value", "64");
  expect($("compared").textContent.includes("swizzle none"), "another descriptor: " + $("compared").textContent);
  set("value", "hello");
  expect($("compared").textContent.includes("expected 64 bits"), "no descriptor: " + $("compared").textContent);
  set("value", "");
  set("layout", "Swizzle<3,4,3> o smem_ptr[16b] o (8,64):(64,1)");
  expect($("box").textContent.startsWith("data_type: float16, box_dim: [64, 8], swizzle: 128b"), "a layout: " + $("box").textContent);
  set("layout", "Swizzle<3,4,3> o smem_ptr[16b] o (64,128):(128,1)");
  expect($("box").textContent.startsWith("No single box"), "a layout of two boxes: " + $("box").textContent);
  set("layout", "");

  // Dragging moves the access to the instruction under the pointer, in each mode.
  set("map", same[3]);
  const before = shownCards().map(picture);
  const index = $("index").value;
  point(card("128b"), 0, 70, "pointerdown");
  expect($("index").value !== index, "a press did not move the access");
  expect(shownCards().every((item, i) => picture(item) !== before[i]), "a press drew nothing");
  point(card("128b"), 0, 10, "pointermove");
  expect($("index").value === index, "dragging back: " + $("index").value);
  expect(shownCards().every((item, i) => picture(item) === before[i]), "dragging back drew another picture");

  // The link has everything.
  set("arch", "sm_100");
  set("index", 1);
  const link = location.hash;
  set("map", "data_type: uint8\nglobal_dim: [16]\nbox_dim: [16]");
  set("arch", "sm_90");
  location.hash = link;
  restore();
  timed(update);
  expect($("arch").value === "sm_100" && $("map").value === same[3] && $("index").value === "1", "the link: " + $("arch").value);

  // A large tile in all modes. Of each change, the fastest of nine: other programs run, too.
  let longest = 0;
  const measure = (id, value) => {
    let least = Infinity;
    for (let i = 0; i < 9; i++) {
      set(id, value);
      least = Math.min(least, took);
    }
    longest = Math.max(longest, least);
  };
  measure("arch", "sm_100");
  measure("map", "data_type: uint8\nglobal_dim: [128, 4096]\nbox_dim: [128, 256]\nswizzle: 128b");
  measure("map", "data_type: uint8\nglobal_dim: [32, 4096]\nbox_dim: [32, 256]\nswizzle: 32b");
  measure("instruction", "ld.shared.b32");
  for (const lanes of ["row", "column", "strided"]) measure("lanes", lanes);
  for (const index of [0, 7, 60]) measure("index", index);
  const shown = shownCards().length;
  const checked = document.createElement("div");
  checked.id = "checked";
  checked.textContent = wrong.length ? wrong.join(" | ") : `all good, ${shown} modes, slowest change ${longest.toFixed(1)} ms`;
  document.body.append(checked);
})();
