'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const SVG = 'http://www.w3.org/2000/svg';
const LEVELS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BANKS = ['#7aa6d6', '#f0a858', '#6fcdbd', '#ee8f9e', '#b4d46e', '#b493d6', '#f2dc6b', '#b9bcc6'];
const COLOURS = ['#4f8fcf', '#e8903a', '#3fb5a3', '#dd6b80', '#8fb83c', '#9670c4', '#d9b92e', '#8d93a1',
                 '#2f5f96', '#a85f1c', '#217a6c', '#a33a52', '#5d7d1f', '#64428f', '#b49a5a', '#5a6b7a', '#c98fb8', '#7c5a4a'];

/* --- Elements: texts only ever become text nodes. --- */
function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {}))
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const section = id => document.getElementById(id);
const note = text => html('p', {class: 'note'}, text);

/* --- Numbers --- */
function short(value) {
    for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]])
        if (Math.abs(value) >= size) return trim(value / size) + unit;
    return trim(value);
}
const trim = value => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2))
    .replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
const whole = value => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ',');
const percent = fraction => (100 * fraction).toFixed(1).replace(/^-(0\.0)$/, '$1') + ' %';
const time = cycles => trim(cycles / data.clock_mhz) + ' us';
/* The part of a sampled run that was simulated, which is what everything over time shows. */
const simulatedCycles = data.cycles - (data.memory_cycles - data.series.cycles);
const ofPart = () => data.sampled ? html('p', {class: 'note part'}, `Of the part that was simulated, ` +
    `${whole(simulatedCycles)} of ${whole(data.cycles)} cycles; what was left out between is not shown.`) : null;
/* Of a rate in GB/s: ["9.14", "TB/s"]. */
const rateParts = value => value >= 1000 ? [trim(value / 1000), 'TB/s'] : [trim(value), 'GB/s'];
const rate = value => rateParts(value).join(' ');
const gigabytes = (bytes, cycles) => cycles > 0 ? bytes / cycles * data.clock_mhz / 1000 : 0;

/* --- The text over the mouse --- */
const tip = document.body.appendChild(html('div', {id: 'tip'}));
function show(event, text) {
    tip.textContent = text;
    tip.style.display = 'block';
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 6) + 'px';
    tip.style.top = Math.max(6, event.clientY - box.height - 10) + 'px';
}
const hide = () => { tip.style.display = 'none'; };

/* --- Tabs: one of several choices; arrow keys move, too. --- */
function tabs(names, choose, label, disabled) {
    const off = disabled || [];
    const buttons = names.map((name, i) => html('button', {
        type: 'button', role: 'tab', 'aria-selected': 'false', disabled: off[i] ? '' : null,
        title: off[i] || null, onclick: () => select(i)
    }, name));
    function select(i) {
        buttons.forEach((button, k) => {
            button.setAttribute('aria-selected', k === i ? 'true' : 'false');
            button.tabIndex = k === i ? 0 : -1;
        });
        choose(i);
    }
    const list = html('div', {class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: event => {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (!step) return;
        let i = buttons.findIndex(button => button.getAttribute('aria-selected') === 'true');
        do i = (i + step + buttons.length) % buttons.length; while (off[i]);
        select(i);
        buttons[i].focus();
    }}, buttons);
    return {list, select};
}

function legend(entries) {
    return html('div', {class: 'legend'}, entries.map(entry => html('span', {},
        html('i', {class: 'swatch', style: 'background:' + entry.colour}), entry.name)));
}

/* --- Charts over time --- */
const WIDTH = 1100, HEIGHT = 250, LEFT = 58, RIGHT = 12, TOP = 10, BOTTOM = 34;

function ticks(most, least) {
    const low = least || 0, rough = (most - low) / 4, size = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 2.5, 5, 10].map(k => k * size).find(k => k >= rough * 0.999) || 1;
    const list = [];
    for (let value = Math.ceil(low / step - 1e-9) * step; value <= most + step * 1e-4; value += step) list.push(value);
    return list;
}

/* --- Zoom: all that is drawn over time shows the cycles of `range`. --- */
const range = {from: 0, to: data.series.cycles}, zoomed = [];
function zoom(from, to) {
    const window = data.servers.window_cycles; /* the longest ones that something is drawn in */
    range.from = Math.floor(Math.max(0, from) / window) * window;
    range.to = Math.min(data.series.cycles, Math.ceil(to / window) * window);
    for (const button of document.querySelectorAll('.whole'))
        button.disabled = range.from === 0 && range.to === data.series.cycles;
    for (const redraw of zoomed) redraw();
}
const wholeRun = () => html('button', {type: 'button', class: 'whole', disabled: '',
    onclick: () => zoom(0, data.series.cycles)}, 'Whole run');
const zoomHint = () => html('div', {class: 'controls'}, wholeRun(),
    html('span', {class: 'note'}, 'Drag over a span of time to zoom in, here and in all that is drawn over time.'));

/* Dragging over the element zooms in. at(event) is the part of its width, 0 to 1. */
function dragToZoom(element, at, mark) {
    let start = null;
    element.addEventListener('mousedown', event => { start = at(event); event.preventDefault(); });
    element.addEventListener('mousemove', event => { if (start !== null) mark(start, at(event)); });
    element.addEventListener('mouseleave', () => { start = null; mark(0, 0); });
    element.addEventListener('mouseup', event => {
        const first = Math.min(start, at(event)), last = Math.max(start, at(event)), wide = range.to - range.from;
        const drag = start !== null && last - first > 0.01;
        start = null;
        mark(0, 0);
        if (drag) zoom(range.from + first * wide, range.from + last * wide);
    });
    element.addEventListener('dblclick', () => zoom(0, data.series.cycles));
}

/* The axis of the cycles that are shown, in a drawing whose plot is `width` wide. */
function timeAxis(drawing, left, width, y) {
    for (const value of ticks(range.to, range.from)) {
        const x = left + (value - range.from) / (range.to - range.from) * width;
        drawing.append(svg('text', {class: 'mid', x: Math.max(left + 14, Math.min(x, left + width - 30)), y}, short(value)));
    }
    drawing.append(svg('text', {class: 'end', x: left + width, y: y + 14}, `cycles; ${time(range.to - range.from)} are shown`));
}

/* Draws lines, or areas on top of each other: {name, colour, values} with a value for each window. */
function chart(lines, windowCycles, cycles, unit, stacked, ceiling) {
    const all = lines.filter(line => line.values.some(value => value > 0));
    if (all.length === 0) return note('nothing to show');
    const skipped = Math.floor(range.from / windowCycles), end = Math.ceil(range.to / windowCycles);
    const used = all.map(line => ({...line, values: line.values.slice(skipped, end)})), count = used[0].values.length;
    const tops = used.map(line => line.values);
    if (stacked)
        for (let i = 1; i < tops.length; i++) tops[i] = tops[i].map((value, k) => value + tops[i - 1][k]);
    const peak = Math.max(...tops.map(values => Math.max(...values)));
    const most = ceiling || peak * 1.05 || 1;
    const plotWidth = WIDTH - LEFT - RIGHT, plotHeight = HEIGHT - TOP - BOTTOM;
    const x = cycle => LEFT + (cycle - range.from) / (range.to - range.from) * plotWidth;
    const y = value => TOP + plotHeight * (1 - value / most);
    const at = i => Math.max(LEFT, Math.min(WIDTH - RIGHT, x(Math.min((skipped + i + 0.5) * windowCycles, cycles))));
    const drawing = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img'});
    for (const value of ticks(most))
        drawing.append(svg('line', {class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value)}),
            svg('text', {class: 'end', x: LEFT - 6, y: y(value) + 4}, short(value)));
    drawing.append(svg('text', {x: 2, y: 10}, unit));
    timeAxis(drawing, LEFT, plotWidth, HEIGHT - 16);
    drawing.append(svg('line', {class: 'axis', x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0)}));
    used.forEach((line, i) => {
        const path = tops[i].map((value, k) => `${k ? 'L' : 'M'}${at(k).toFixed(1)},${y(value).toFixed(1)}`).join('');
        if (stacked) {
            const under = i === 0 ? used[0].values.map(() => 0) : tops[i - 1];
            const back = under.map((value, k) => `L${at(k).toFixed(1)},${y(value).toFixed(1)}`).reverse().join('');
            drawing.append(svg('path', {d: path + back + 'Z', fill: line.colour}));
        } else {
            drawing.append(svg('path', {d: path, fill: 'none', stroke: line.colour, 'stroke-width': 1.8}));
        }
    });
    const cursor = drawing.appendChild(svg('line', {class: 'cursor', y1: TOP, y2: TOP + plotHeight, visibility: 'hidden'}));
    const chosen = drawing.appendChild(svg('rect', {class: 'chosen', x: LEFT, y: TOP, width: 0, height: plotHeight}));
    const part = event => {
        const box = drawing.getBoundingClientRect();
        return Math.max(0, Math.min(1, ((event.clientX - box.left) / box.width * WIDTH - LEFT) / plotWidth));
    };
    const sheet = drawing.appendChild(svg('rect', {x: LEFT, y: TOP, width: plotWidth, height: plotHeight, fill: 'transparent',
        onmousemove: event => {
            const cycle = range.from + part(event) * (range.to - range.from);
            const i = Math.max(0, Math.min(count - 1, Math.floor(cycle / windowCycles) - skipped));
            cursor.setAttribute('x1', at(i));
            cursor.setAttribute('x2', at(i));
            cursor.setAttribute('visibility', 'visible');
            const from = (skipped + i) * windowCycles;
            show(event, `cycle ${whole(from)} (${time(from)})\n` +
                used.map(line => `${line.name}: ${short(line.values[i])} ${unit}`).join('\n'));
        },
        onmouseleave: () => { hide(); cursor.setAttribute('visibility', 'hidden'); }}));
    dragToZoom(sheet, part, (first, last) => {
        chosen.setAttribute('x', LEFT + Math.min(first, last) * plotWidth);
        chosen.setAttribute('width', Math.abs(last - first) * plotWidth);
    });
    return html('div', {}, legend(all), html('div', {class: 'scroll chart'}, drawing));
}

/* --- Sections --- */
function drawFigures() {
    section('name').textContent = data.scenario;
    section('about').textContent = [data.description, `${data.machine}${data.timing_note}`].filter(Boolean).join(' - ');
    const card = (value, text, unit) => html('div', {}, html('b', {}, value, unit ? html('small', {}, ' ' + unit) : ''),
        html('span', {}, text));
    const [moved, unit] = rateParts(gigabytes(data.moved_bytes, data.cycles));
    const hits = data.l2_sectors > 0 ? percent(data.l2_sector_hits / data.l2_sectors) : '-';
    section('figures').append(
        data.teraflops > 0 ? card(trim(data.teraflops), `${percent(data.tensor_of_all)} of what the tensor cores can`, 'TFLOP/s') : '',
        card(whole(data.cycles), data.sampled ? `cycles, within ${data.sampled.error_percent} %` : 'cycles'), 
        card(trim(data.cycles / data.clock_mhz), data.clock || `at ${data.clock_mhz} MHz`, 'us'),
        card(moved, 'moved by TMA', unit),
        card(short(data.operations), 'TMA operations'), card(hits, 'L2 hits, of sectors'),
        card(whole(data.latencies.median), 'cycles median latency'));
    if (data.refused) section('figures').after(html('p', {id: 'sampled', class: 'refused'},
        html('b', {}, 'A sample was not trusted: '), `with parts left out, cycles may be ` +
        `${data.refused.refused_error_percent} % off, which is more than 20 %. All of the run was simulated, and all figures are exact.`));
    if (data.sampled) section('figures').after(html('p', {id: 'sampled'}, html('b', {}, 'A sampled run: '),
        `${data.sampled.simulated_percent} % of its cycles were simulated. Its cycles are right within ` +
        `${data.sampled.error_percent} %; the other figures of the run are estimates from that part, and what is shown ` +
        'over time, latencies, loads and waves are those of that part. ' + (data.sampled.drift_possible
            ? 'Tiles are read again, so that the run may drift slowly, which the sampling does not see. ' : '') +
        'With --exact, all of it is simulated.'));
}

function drawVerdict() {
    const place = section('verdict');
    place.append(html('p', {class: 'sentence'}, data.verdict));
    if (data.likely) place.append(html('p', {class: 'sentence'}, data.likely));
    if (data.experiments.length === 0) return;
    const most = Math.max(0.02, ...data.experiments.map(experiment => experiment.saved));
    const rows = list => list.sort((a, b) => b.saved - a.saved).map(experiment => html('tr', {},
        html('td', {}, experiment.name), html('td', {}, experiment.change.replace(/,$/, '')),
        html('td', {}, html('span', {class: 'track'}, html('i', {
            class: experiment.helps ? 'helps' : null,
            style: `width:${Math.max(0, 100 * experiment.saved / most).toFixed(1)}%`}))),
        html('td', {class: 'number'}, percent(experiment.saved))));
    const table = (title, list) => list.length === 0 ? [] : [html('h3', {}, title), html('table', {},
        html('thead', {}, html('tr', {}, ['what', 'change', 'time saved', ''].map(text => html('th', {}, text)))),
        html('tbody', {}, rows(list)))];
    place.append(
        note('Each line is the run again with one thing changed. Green: it saves time, and not by chance.'),
        ...table('What limits', data.experiments.filter(experiment => !experiment.advice)),
        ...table('What would help', data.experiments.filter(experiment => experiment.advice)),
        data.not_tried ? note(`Not tried, as this page simulates a bounded amount: ${data.not_tried.join(', ')}. ` +
            'With --why, all is tried.') : '');
}

/* --- How good it is: what was busy, and the roofs above the run --- */
function drawBusy() {
    const place = section('busy'), used = data.busy.filter(item => item.fraction >= 0.001);
    if (used.length === 0) {
        place.append(note('No part of the machine was busy.'));
        return;
    }
    place.append(html('table', {class: 'parts'}, html('tbody', {}, used.map(item => html('tr', {},
        html('td', {}, item.text),
        html('td', {}, html('span', {class: 'track wide'}, html('i', {class: 'busy',
            style: `width:${(100 * item.fraction).toFixed(1)}%`}))),
        html('td', {class: 'number'}, percent(item.fraction)))))),
    note('Each bar goes from 0 to 100 % of the time, the mean of all units of a kind on the SMs that had work.'));
}

/* A roof: {name, peak} of the tensor cores in TFLOP/s, or {name, rate, bytes} of a way in GB/s. */
function drawRoofline() {
    const place = section('roofline'), roof = data.roofline;
    if (data.teraflops === 0) {
        place.append(note('The run has no matrix products, so that there is no rate of products to compare. Its rates of bytes:'),
            html('table', {}, html('tbody', {}, roof.ways.map(way => html('tr', {}, html('td', {}, way.name),
                html('td', {}, `${rate(way.used)} of ${rate(way.peak)}`),
                html('td', {class: 'number'}, way.peak > 0 ? percent(way.used / way.peak) : '-'))))));
        return;
    }
    const ways = roof.ways.filter(way => way.bytes > 0 && way.peak > 0);
    const flops = data.teraflops * 1e12 * data.cycles / (data.clock_mhz * 1e6);
    const points = ways.map((way, i) => ({...way, colour: COLOURS[i ? 3 : 0], x: flops / way.bytes, ridge: roof.peak * 1000 / way.peak}));
    const width = 1100, height = 300, left = 58, right = 190, top = 14, bottom = 36;
    const low = Math.floor(Math.log10(Math.min(...points.map(point => Math.min(point.x, point.ridge))) / 2));
    const high = Math.ceil(Math.log10(Math.max(...points.map(point => Math.max(point.x, point.ridge))) * 2));
    const most = Math.log10(roof.peak * 1.6), least = Math.min(Math.log10(data.teraflops / 3), most - 2);
    const x = value => left + (Math.log10(value) - low) / (high - low) * (width - left - right);
    const y = value => top + (most - Math.log10(value)) / (most - least) * (height - top - bottom);
    const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
    for (let power = Math.ceil(least); power <= most; power++)
        drawing.append(svg('line', {class: 'rule', x1: left, x2: width - right, y1: y(10 ** power), y2: y(10 ** power)}),
            svg('text', {class: 'end', x: left - 6, y: y(10 ** power) + 4}, short(10 ** power)));
    for (let power = low; power <= high; power++)
        drawing.append(svg('text', {class: 'mid', x: x(10 ** power), y: height - 20}, short(10 ** power)));
    drawing.append(svg('text', {x: 2, y: 10}, 'TFLOP/s'),
        svg('text', {class: 'end', x: width - right, y: height - 5}, 'operations for each byte'),
        svg('line', {x1: x(Math.min(...points.map(point => point.ridge))), x2: width - right, y1: y(roof.peak), y2: y(roof.peak), stroke: COLOURS[5], 'stroke-width': 2}),
        svg('text', {x: width - right + 6, y: y(roof.peak) + 4}, `tensor cores: ${whole(roof.peak)} TFLOP/s`));
    points.forEach((point, i) => {
        const from = Math.max(10 ** low, 10 ** least * 1000 / point.peak);
        drawing.append(svg('line', {x1: x(from), y1: y(from * point.peak / 1000), x2: x(point.ridge), y2: y(roof.peak),
            stroke: point.colour, 'stroke-width': 2}),
        svg('circle', {cx: x(point.x), cy: y(data.teraflops), r: 6, fill: point.colour, onmouseleave: hide,
            onmousemove: event => show(event, `${trim(point.x)} operations for each byte of ${point.name}\n` +
                `${trim(data.teraflops)} TFLOP/s; the roof is ${trim(Math.min(roof.peak, point.x * point.peak / 1000))} TFLOP/s`)}),
        svg('line', {class: 'cursor', x1: x(point.x), x2: x(point.x), y1: y(data.teraflops),
            y2: y(Math.min(roof.peak, point.x * point.peak / 1000))}));
    });
    const tightest = points.map(point => ({name: point.name, roof: Math.min(roof.peak, point.x * point.peak / 1000)}))
        .reduce((a, b) => a.roof <= b.roof ? a : b);
    place.append(legend(points.map(point => ({name: `${point.name}: ${rate(point.peak)}`, colour: point.colour}))),
        html('div', {class: 'scroll chart'}, drawing),
        note(`The run reaches ${percent(data.teraflops / tightest.roof)} of the lowest roof above it, ` +
            `${whole(tightest.roof)} TFLOP/s (${tightest.roof < roof.peak ? tightest.name : 'tensor cores'}). A slanted roof is a rate of bytes; dots are the run.`));
}

function drawCauses() {
    const place = section('causes');
    const total = bar => bar.cycles.reduce((sum, value) => sum + value, 0);
    if (data.bars.every(bar => total(bar) === 0)) {
        place.append(note('No time was counted.'));
        return;
    }
    const used = data.causes.map((cause, i) => ({...cause, i, colour: COLOURS[i],
        share: Math.max(...data.bars.map(bar => bar.tenths[i]))})).filter(cause => cause.share > 0)
        .sort((a, b) => b.share - a.share);
    for (const bar of data.bars)
        place.append(html('h3', {}, bar.name + (bar.warps ? `, ${bar.warps} warp${bar.warps > 1 ? 's' : ''}` : '')),
            html('div', {class: 'stack'}, used.filter(cause => bar.tenths[cause.i] > 0).map(cause => html('i', {
                style: `width:${bar.tenths[cause.i] / 10}%;background:${cause.colour}`,
                onmousemove: event => show(event, `${cause.text}: ${bar.tenths[cause.i] / 10} %, ` +
                    `${whole(bar.cycles[cause.i])} cycles`), onmouseleave: hide}))));
    place.append(html('table', {}, html('thead', {}, html('tr', {}, html('th', {}, 'cause'),
        data.bars.map(bar => html('th', {}, data.bars.length > 1 ? bar.name : 'share')))),
    html('tbody', {}, used.map(cause => html('tr', {},
        html('td', {}, html('i', {class: 'swatch', style: 'background:' + cause.colour}), ' ', cause.text),
        data.bars.map(bar => html('td', {}, (bar.tenths[cause.i] / 10).toFixed(1) + ' %')))))));
}

const lengths = () => {
    const count = Math.ceil(data.series.cycles / data.series.window_cycles);
    return Array.from({length: count}, (_, i) =>
        Math.min(data.series.window_cycles, data.series.cycles - i * data.series.window_cycles));
};

/* How busy the servers of a kind that are in use are on average, in each window of the heat maps. */
function busyOf(key) {
    const kind = data.servers.kinds.find(item => item.key === key);
    const used = kind.rows.filter((_, i) => kind.busy_cycles[i] > 0);
    return used.length === 0 ? [] : Array.from(used[0], (_, w) =>
        100 * used.reduce((sum, row) => sum + LEVELS.indexOf(row[w]), 0) / used.length / (LEVELS.length - 1));
}

function drawSeries() {
    const place = section('series'), series = data.series, length = lengths();
    if (series.cycles === 0) {
        place.append(note('The run took no time.'));
        return;
    }
    const zero = length.map(() => 0);
    const mean = (key, scale) => (series[key] || zero).map((value, i) => value * (scale || 1) / length[i]);
    const rateOf = key => (series[key] || zero).map((value, i) => gigabytes(32 * value, length[i]));
    const view = html('div', {role: 'tabpanel'});
    const sms = data.servers.kinds.find(kind => kind.key === 'tma_units').busy_cycles.filter(busy => busy > 0).length || 1;
    const line = (name, colour, values) => ({name, colour: COLOURS[colour], values});
    /* The windows of the heat maps are made of several of the series. */
    const busyTensor = () => {
        const group = Math.round(data.servers.window_cycles / series.window_cycles), sums = [];
        mean('tensor_ticks', 100 / 1024 / sms).forEach((value, i) => {
            const at = Math.floor(i / group);
            sums[at] = [(sums[at] || [0, 0])[0] + value * length[i], (sums[at] || [0, 0])[1] + length[i]];
        });
        return sums.map(([sum, cycles]) => sum / cycles);
    };
    const own = (lines, unit, stacked, ceiling) => () =>
        chart(lines, series.window_cycles, series.cycles, unit, stacked, ceiling);
    const choices = [
        ['Busy', () => chart([...(series.tensor_ticks ? [line('tensor cores', 9, busyTensor())] : []),
            line('TMA units', 0, busyOf('tma_units')), line('SM ports', 1, busyOf('sm_ports')),
            line('GPC ports', 2, busyOf('gpc_ports')), line('L2 slices', 3, busyOf('l2_slices')),
            line('DRAM channels', 5, busyOf('dram_channels')),
            line('shared memory', 6, busyOf('shared_memory'))].filter(item => item.values.length > 0),
            data.servers.window_cycles, series.cycles, '%', false, 100)],
        ['Bandwidth', own([line('L2 to SMs', 0, rateOf('sm_read_sectors')), line('SMs to L2', 1, rateOf('sm_write_sectors')),
            line('DRAM reads', 3, rateOf('dram_read_sectors')), line('DRAM writes', 5, rateOf('dram_write_sectors'))], 'GB/s')],
        ['Occupancy', own([line('CTAs', 0, mean('cta_cycles')), line('full stages', 2, mean('full_stage_cycles')),
            line('operations in flight', 1, mean('flight_cycles'))], '')],
        ['Bytes in flight', own([line('bytes in flight', 4, mean('flight_byte_cycles'))], 'B')]];
    if (series.tensor_ticks || series.issue_ticks)
        choices.push(['Compute', own([line('tensor cores', 5, mean('tensor_ticks', 100 / 1024 / sms)),
            line('FMA pipes', 1, mean('fma_ticks', 100 / 1024 / sms)),
            line('ALUs', 4, mean('alu_ticks', 100 / 1024 / sms)),
            line('special functions', 3, mean('sfu_ticks', 100 / 1024 / sms)),
            line('issue slots', 0, mean('issue_ticks', 100 / 1024 / sms))], '%', false, 100)]);
    for (const bar of data.bars)
        choices.push([data.kernel ? `Time of ${bar.name}` : 'Time of slots', own(data.causes.map((cause, i) =>
            line(cause.text, i, mean0(series.causes[bar.first + i], length))), data.kernel ? 'roles' : 'slots', true)]);
    let shown = 0;
    const draw = () => view.replaceChildren(choices[shown][1]());
    const choice = tabs(choices.map(item => item[0]), i => { shown = i; draw(); }, 'figure');
    place.append(ofPart() || '', choice.list, zoomHint(), view);
    choice.select(0);
    zoomed.push(draw);
}
const mean0 = (values, length) => values.map((value, i) => value / length[i]);

function drawLatencies() {
    const place = section('latencies'), bars = data.latencies;
    if (bars.operations.length === 0) {
        place.append(note('No operation was issued.'));
        return;
    }
    const most = Math.max(...bars.operations), count = bars.operations.length;
    const width = 1100, height = 206, left = 58, bottom = 36, plot = width - left - 12;
    const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
    const y = value => 8 + (height - bottom - 8) * (1 - value / most);
    const x = cycle => left + (cycle - bars.first_cycle) / (count * bars.bar_cycles) * plot;
    for (const value of ticks(most).filter(Number.isInteger))
        drawing.append(svg('line', {class: 'rule', x1: left, x2: width - 12, y1: y(value), y2: y(value)}),
            svg('text', {class: 'end', x: left - 6, y: y(value) + 4}, short(value)));
    bars.operations.forEach((value, i) => {
        const from = bars.first_cycle + i * bars.bar_cycles;
        drawing.append(svg('rect', {class: from >= bars.p95 ? 'bar tail' : 'bar', x: x(from) + 0.5, y: y(value),
            width: Math.max(1, plot / count - 1), height: Math.max(0, y(0) - y(value)),
            onmousemove: event => show(event, `${whole(from)} to ${whole(from + bars.bar_cycles - 1)} cycles\n` +
                `${whole(value)} operations`), onmouseleave: hide}));
    });
    const step = Math.max(1, Math.ceil(count / 8));
    for (let i = 0; i <= count; i += step)
        drawing.append(svg('text', {class: 'mid', x: Math.min(x(bars.first_cycle + i * bars.bar_cycles), width - 24),
            y: height - 20}, whole(bars.first_cycle + i * bars.bar_cycles)));
    drawing.append(svg('line', {class: 'axis', x1: left, x2: width - 12, y1: y(0), y2: y(0)}),
        svg('text', {class: 'end', x: width - 12, y: height - 5}, 'cycles from issue to completion'));
    place.append(ofPart() || '', note(`min ${whole(bars.min)}, median ${whole(bars.median)}, p95 ${whole(bars.p95)}, max ` +
        `${whole(bars.max)} cycles; orange from the 95th percentile on`), html('div', {class: 'scroll chart'}, drawing));
}

/* --- Heat maps --- */
const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function heat(value) {
    const at = Math.max(0, Math.min(1, value)) * (RAMP.length - 1), i = Math.min(RAMP.length - 2, Math.floor(at));
    return RAMP[i].map((low, k) => Math.round(low + (RAMP[i + 1][k] - low) * (at - i)));
}
const css = colour => `rgb(${colour.join(',')})`;

function heatCells(kind, groups, groupName, itemName) {
    const each = Math.ceil(kind.busy_cycles.length / groups);
    const shares = kind.busy_cycles.map(busy => data.series.cycles > 0 ? busy / data.series.cycles : 0);
    const columns = Math.min(each, 32), size = 30, high = 22;
    const lines = Math.ceil(each / columns);
    const drawing = svg('svg', {viewBox: `0 0 ${80 + columns * size} ${groups * (lines * high + 8)}`, role: 'img',
        style: `max-width:${80 + columns * size}px`});
    shares.forEach((share, i) => {
        const group = Math.floor(i / each), item = i % each;
        const top = group * (lines * high + 8) + Math.floor(item / columns) * high;
        if (item === 0) drawing.append(svg('text', {x: 0, y: top + 15}, `${groupName} ${group}`));
        drawing.append(svg('rect', {x: 80 + item % columns * size, y: top, width: size - 2, height: high - 2,
            fill: css(heat(share)), onmouseleave: hide, onmousemove: event => show(event,
                `${itemName} ${i}: busy for ${percent(share)} of ${data.sampled ? 'that part' : 'the run'}, ${whole(kind.busy_cycles[i])} cycles`)}));
    });
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    return html('div', {}, drawing, html('div', {class: 'legend'}, html('span', {}, '0', html('i', {class: 'ramp'}),
        '100 %'), html('span', {}, `mean ${percent(mean)}, least ${percent(Math.min(...shares))}, most ${percent(Math.max(...shares))}`)));
}

function heatTime(kind, itemName) {
    const used = kind.rows.map((row, i) => ({row, i})).filter(item => kind.busy_cycles[item.i] > 0);
    const first = Math.floor(range.from / data.servers.window_cycles);
    const end = Math.ceil(range.to / data.servers.window_cycles), windows = used[0].row.slice(first, end).length, pixel = Math.max(2, Math.min(12, Math.floor(420 / used.length)));
    const canvas = html('canvas', {width: windows, height: used.length, role: 'img',
        style: `height:${used.length * pixel}px`});
    const context = canvas.getContext('2d'), image = context.createImageData(windows, used.length);
    const levels = used.map(item => Array.from(item.row.slice(first, end), letter => LEVELS.indexOf(letter)));
    levels.forEach((row, y) => row.forEach((level, x) =>
        image.data.set([...heat(level / (LEVELS.length - 1)), 255], 4 * (y * windows + x))));
    context.putImageData(image, 0, 0);
    canvas.addEventListener('mousemove', event => {
        const box = canvas.getBoundingClientRect();
        const x = Math.min(windows - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * windows)));
        const y = Math.min(used.length - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * used.length)));
        show(event, `${itemName} ${used[y].i}, from cycle ${whole((first + x) * data.servers.window_cycles)}: ` +
            `busy ${Math.round(100 * levels[y][x] / (LEVELS.length - 1))} %`);
    });
    canvas.addEventListener('mouseleave', hide);
    const axis = svg('svg', {viewBox: '0 0 1100 34', role: 'img'});
    timeAxis(axis, 0, 1100, 14);
    dragToZoom(canvas, event => {
        const box = canvas.getBoundingClientRect();
        return (event.clientX - box.left) / box.width;
    }, () => {});
    return html('div', {}, canvas, axis, html('div', {class: 'legend'}, html('span', {}, '0', html('i', {class: 'ramp'}),
        '100 %'),
    html('span', {}, `time from left to right, ${used.length} of ${kind.rows.length} from top to bottom` +
        (used.length < kind.rows.length ? '; the others were idle' : ''))));
}

function drawServers() {
    const place = section('servers'), kinds = Object.fromEntries(data.servers.kinds.map(kind => [kind.key, kind]));
    const view = html('div', {role: 'tabpanel'});
    const items = [['l2_slices', 'slice', data.partitions, 'partition'], ['dram_channels', 'channel', data.stacks, 'stack'],
        ['gpc_ports', 'GPC', 1, 'GPCs'], ['sm_ports', 'SM', 1, 'SMs'], ['tma_units', 'SM', 1, 'SMs'],
        ['shared_memory', 'SM', 1, 'SMs']].filter(item => kinds[item[0]].busy_cycles.some(busy => busy > 0));
    if (items.length === 0) {
        place.append(note('No part of the memory system was busy.'));
        return;
    }
    let current = 0, overTime = false;
    const draw = () => {
        const [key, itemName, groups, groupName] = items[current];
        view.replaceChildren(note(kinds[key].text),
            overTime ? heatTime(kinds[key], itemName) : heatCells(kinds[key], groups, groupName, itemName));
    };
    const names = {l2_slices: 'L2 slices', dram_channels: 'DRAM channels', gpc_ports: 'GPC ports',
        sm_ports: 'SM ports', tma_units: 'TMA units', shared_memory: 'Shared memory'};
    const what = tabs(items.map(item => names[item[0]]), i => { current = i; draw(); }, 'servers');
    const how = tabs([data.sampled ? 'In all' : 'Whole run', 'Over time'], i => { overTime = i === 1; draw(); }, 'view');
    place.append(ofPart() || '', what.list, how.list, view);
    what.select(0);
    how.select(0);
    zoomed.push(draw);
}

/* --- Tiles --- */
function lanesOf(mode) {
    const lanes = [];
    for (let i = 0; mode.lanes && i < mode.lanes.length; i += 7) {
        const [lane, wavefront, row, byte, first, last, worst] = mode.lanes.slice(i, i + 7);
        lanes.push({lane, wavefront, row, byte, first, last, worst});
    }
    return lanes;
}

function tileView(tile, mode) {
    const CELL = 40, LINE = 18, MARGIN = 52, BASE = 13, firstRow = mode.first_row, firstChunk = mode.first_chunk;
    const rows = mode.rows.length, chunks = mode.rows[0].length, lanes = lanesOf(mode);
    const wavefronts = mode.instruction_wavefronts || 0;
    const drawing = svg('svg', {viewBox: `0 0 ${MARGIN + chunks * CELL + 4} ${18 + rows * LINE + 4}`, role: 'img',
        style: `width:${MARGIN + chunks * CELL + 4}px`});
    for (let chunk = 0; chunk < chunks; chunk++)
        drawing.append(svg('text', {class: 'mid', x: MARGIN + chunk * CELL + CELL / 2, y: 12}, '+' + 16 * (firstChunk + chunk)));
    const touched = new Set(lanes.map(lane => lane.row - firstRow + ',' + (Math.floor(lane.byte / 16) - firstChunk)));
    mode.rows.forEach((row, r) => {
        drawing.append(svg('text', {class: 'end', x: MARGIN - 6, y: 18 + r * LINE + BASE}, String(firstRow + r)));
        Array.from(row, Number).forEach((group, chunk) => {
            const byte = 16 * (firstChunk + chunk), bytes = Math.min(16, tile.row_bytes - byte);
            const off = lanes.length > 0 && !touched.has(r + ',' + chunk) ? 'off' : null;
            drawing.append(svg('rect', {x: MARGIN + chunk * CELL, y: 18 + r * LINE, width: CELL * bytes / 16 - 1,
                height: LINE - 1, fill: BANKS[group], class: off, onmouseleave: hide, onmousemove: event => show(event,
                    `row ${firstRow + r}, bytes ${byte} to ${byte + bytes - 1}\nbanks ${4 * group} to ${4 * group + 3}`)}),
            lanes.length > 0 ? '' : svg('text', {class: 'cell', x: MARGIN + chunk * CELL + CELL / 2,
                y: 18 + r * LINE + BASE}, String(4 * group)));
        });
    });
    const layer = drawing.appendChild(svg('g'));
    const parts = [];
    const left = [tile.tile_rows > rows ? `${tile.tile_rows - rows} more rows` : '',
        Math.ceil(tile.row_bytes / 16) > chunks ? `${Math.ceil(tile.row_bytes / 16) - chunks} more chunks of each row` : '']
        .filter(Boolean).join(', ');
    const below = [html('div', {class: 'scroll'}, drawing), left ? note(left) : ''];
    if (wavefronts === 0) return {parts: below, stop: () => {}};

    const strip = svg('svg', {viewBox: '0 0 1064 56', role: 'img', style: 'min-width:760px'});
    const slider = html('input', {type: 'range', min: 0, max: wavefronts - 1, value: 0, 'aria-label': 'wavefront',
        oninput: () => { stop(); step(Number(slider.value)); }});
    const label = html('span', {class: 'note'});
    const play = html('button', {type: 'button', onclick: () => timer ? stop() : start()}, 'Play');
    let at = 0, timer = null;
    function stop() {
        clearInterval(timer);
        timer = null;
        play.textContent = 'Play';
    }
    function start() {
        timer = setInterval(() => step((at + 1) % wavefronts), wavefronts > 16 ? 220 : 600);
        play.textContent = 'Pause';
    }
    function step(number) {
        at = number;
        slider.value = number;
        const now = lanes.filter(lane => lane.wavefront === at);
        label.textContent = `wavefront ${at + 1} of ${wavefronts}: lanes ${now.map(lane => lane.lane).join(', ')}`;
        layer.replaceChildren(...lanes.filter(lane => lane.wavefront <= at && lane.row >= firstRow &&
            lane.row < firstRow + rows && lane.byte >= 16 * firstChunk && lane.byte < 16 * (firstChunk + chunks)).map(lane => {
            const x = MARGIN + (lane.byte - 16 * firstChunk) * CELL / 16, y = 18 + (lane.row - firstRow) * LINE, width = mode.lane_bytes * CELL / 16;
            return svg('g', {}, svg('rect', {class: lane.wavefront === at ? 'now' : 'done', x, y, width: width - 1,
                height: LINE - 1}), width >= 12 ? svg('text', {class: 'cell', x: x + width / 2, y: y + BASE},
                String(lane.lane)) : '');
        }));
        strip.replaceChildren();
        for (let bank = 0; bank < 32; bank++) {
            const using = now.filter(lane => lane.first <= bank && bank <= lane.last);
            const waiting = lanes.filter(lane => lane.wavefront > at && lane.first <= bank && bank <= lane.last).length;
            strip.append(
                svg('rect', {x: 36 + bank * 32, y: 14, width: 30, height: 20, class: using.length ? null : 'wait',
                    fill: using.length ? BANKS[bank >> 2] : null}),
                svg('text', {class: 'mid', x: 51 + bank * 32, y: 10}, String(bank)),
                using.length ? svg('text', {class: 'cell', x: 51 + bank * 32, y: 28}, using.length > 1
                    ? using.length + 'x' : String(using[0].lane)) : '',
                waiting ? svg('text', {class: 'mid', x: 51 + bank * 32, y: 48}, '+' + waiting) : '');
        }
        strip.append(svg('text', {x: 0, y: 10}, 'bank'), svg('text', {x: 0, y: 28}, 'lane'),
            svg('text', {x: 0, y: 48}, 'waits'));
    }
    step(0);
    parts.push(html('div', {class: 'controls'}, play,
        html('button', {type: 'button', onclick: () => { stop(); step((at + wavefronts - 1) % wavefronts); }}, 'Back'),
        html('button', {type: 'button', onclick: () => { stop(); step((at + 1) % wavefronts); }}, 'Next'),
        slider, label), html('div', {class: 'scroll'}, strip), ...below);
    return {parts, stop};
}

function drawTiles() {
    const place = section('tiles');
    if (data.tiles.length === 0) {
        place.append(note('No operation moves a tile to or from shared memory.'));
        return;
    }
    const modes = html('div'), view = html('div', {role: 'tabpanel'});
    let running = null, chosen = null;
    function showMode(tile, mode) {
        if (running) running.stop();
        chosen = mode.name;
        const facts = [`swizzle ${mode.name}${mode.current ? ', as in this run' : ''}`];
        if (mode.wavefronts !== undefined)
            facts.push(`${whole(mode.wavefronts)} wavefronts for a pass over the tile, ${whole(mode.ideal_wavefronts)} ` +
                `without conflicts`, mode.ways > 1
                ? `worst access: instruction ${mode.instruction} of ${mode.instructions}, ${mode.ways}-way`
                : `no conflicts; shown: instruction ${mode.instruction} of ${mode.instructions}`);
        else if (mode.no_access) facts.push(`the consumer cannot read it: ${mode.no_access}`);
        running = tileView(tile, mode);
        view.replaceChildren(html('p', {}, facts.join('; ')), ...running.parts);
    }
    function showTile(tile) {
        const reasons = tile.modes.map(mode => mode.illegal || null), illegal = tile.modes.filter(mode => mode.illegal);
        const switchModes = tabs(tile.modes.map(mode => mode.name + (mode.current ? ' (this run)' : '')),
            i => showMode(tile, tile.modes[i]), 'swizzle', reasons);
        modes.replaceChildren(note(`${tile.direction} of ${tile.map}: ${tile.tile_rows} rows of ${tile.row_bytes} bytes, ` +
            `pitch ${tile.pitch_bytes}, at address ${tile.address}` +
            (tile.consumer ? `; read by ${tile.consumer}` : '; nothing that the scenario names reads it')),
        switchModes.list, illegal.length === 0 ? '' : html('details', {}, html('summary', {class: 'note'},
            `${illegal.length} modes are not legal for this tensor map`),
        html('ul', {}, illegal.map(mode => html('li', {}, `${mode.name}: ${mode.illegal}`)))));
        let first = tile.modes.findIndex(mode => mode.name === chosen && !mode.illegal);
        if (first < 0) first = tile.modes.findIndex(mode => mode.current);
        switchModes.select(first);
    }
    const choice = tabs(data.tiles.map((tile, i) => `${tile.map}${tile.consumer ? '' : ' (' + tile.direction + ')'}` +
        (data.tiles.filter(other => other.map === tile.map).length > 1 ? ` ${i}` : '')),
    i => showTile(data.tiles[i]), 'tile');
    place.append(legend(BANKS.map((colour, i) => ({colour, name: `banks ${4 * i}-${4 * i + 3}`}))), choice.list, modes, view);
    if (data.tile_count > data.tiles.length) place.append(note(`${data.tile_count - data.tiles.length} more tiles`));
    choice.select(0);
}

/* --- Waves --- */
function drawCtas() {
    const place = section('ctas'), ctas = data.ctas, spans = [];
    for (let i = 0; i < ctas.spans.length; i += 4) {
        const [sm, cta, start, end] = ctas.spans.slice(i, i + 4);
        spans.push({sm, cta, start, end});
    }
    if (spans.length === 0) {
        place.append(note('No CTA ran.'));
        return;
    }
    const sms = [...new Set(spans.map(span => span.sm))].sort((a, b) => a - b);
    const order = spans.slice().sort((a, b) => a.start - b.start || a.cta - b.cta), lanes = new Map(), counts = new Map();
    for (const span of order) { /* CTAs that share an SM lie below each other; a CTA's wave counts those before it */
        const ends = lanes.get(span.sm) || [];
        let lane = ends.findIndex(end => end <= span.start);
        if (lane < 0) lane = ends.length;
        ends[lane] = span.end;
        lanes.set(span.sm, ends);
        span.lane = lane;
        const key = span.sm + ',' + lane;
        span.wave = counts.get(key) || 0;
        counts.set(key, span.wave + 1);
    }
    const share = Math.max(...[...lanes.values()].map(ends => ends.length));
    const high = Math.max(2 * share, Math.min(14, Math.floor(560 / sms.length))), width = 1100;
    const canvas = html('canvas', {role: 'img', style: `height:${sms.length * high}px`});
    canvas.width = 2 * width;
    canvas.height = 2 * sms.length * high;
    const context = canvas.getContext('2d');
    context.scale(2, 2);
    const wide = () => range.to - range.from, line = high / share;
    const x = cycle => (cycle - range.from) / wide() * width;
    const gap = line > 3 ? 0.8 : 0.3, axis = svg('svg', {viewBox: `0 0 ${width} 34`, role: 'img'});
    function draw() {
        context.clearRect(0, 0, width, sms.length * high);
        for (const span of spans) {
            context.fillStyle = COLOURS[span.wave % 8];
            context.fillRect(x(span.start), sms.indexOf(span.sm) * high + span.lane * line,
                Math.max(0.5, x(span.end) - x(span.start) - 0.5), line - gap);
        }
        axis.replaceChildren();
        for (const value of ticks(range.to, range.from))
            axis.append(svg('line', {class: 'axis', x1: x(value), x2: x(value), y1: 0, y2: 4}));
        timeAxis(axis, 0, width, 16);
    }
    const part = event => {
        const box = canvas.getBoundingClientRect();
        return (event.clientX - box.left) / box.width;
    };
    canvas.addEventListener('mousemove', event => {
        const box = canvas.getBoundingClientRect(), cycle = range.from + part(event) * wide();
        const top = (event.clientY - box.top) / box.height * sms.length, sm = sms[Math.floor(top)];
        const lane = Math.floor(top % 1 * share);
        const span = spans.find(item => item.sm === sm && item.lane === lane && item.start <= cycle && cycle < item.end);
        show(event, span ? `CTA ${span.cta} on SM ${sm}\ncycles ${whole(span.start)} to ${whole(span.end)} ` +
            `(${whole(span.end - span.start)})` : `SM ${sm}: no CTA`);
    });
    canvas.addEventListener('mouseleave', hide);
    const waves = ctas.waves > 1 ? `${ctas.waves} waves` + (ctas.last_ctas ? `, the last of ${ctas.last_ctas} CTAs` : '')
        : 'one wave';
    const where = sms.length > 1 ? `SMs ${sms[0]} to ${sms[sms.length - 1]}` : `SM ${sms[0]}`;
    place.append(note(`${whole(ctas.count)} CTA${ctas.count > 1 ? 's' : ''} on ${where}, ${waves}. A line is an SM, ` +
        'time goes from left to right; a colour is a wave.'), ofPart() || '', zoomHint(), canvas, axis);
    dragToZoom(canvas, part, () => {});
    draw();
    zoomed.push(draw);
    if (ctas.sm_step > 1) place.append(note(`Shown: the CTAs of every ${ctas.sm_step}th SM.`));
    if (ctas.cut) place.append(note(`Shown: the first ${spans.length} CTAs.`));
}

function drawSettings() {
    const place = section('settings'), body = html('tbody');
    const draw = filter => body.replaceChildren(...data.settings.filter(([key, value, origin]) =>
        (key + ' ' + value + ' ' + origin).toLowerCase().includes(filter)).map(([key, value, origin]) =>
        html('tr', {class: origin.startsWith('--') ? 'set' : null}, html('td', {}, key), html('td', {}, value),
            html('td', {}, origin))));
    place.append(html('input', {type: 'search', placeholder: 'filter', 'aria-label': 'filter',
        oninput: event => draw(event.target.value.toLowerCase())}),
    html('div', {class: 'box'}, html('table', {}, html('thead', {}, html('tr', {},
        ['key', 'value', 'origin'].map(text => html('th', {}, text)))), body)));
    draw('');
}

/* --- The theme: the reader's, until the button chooses. --- */
section('theme').addEventListener('click', () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
});

for (const draw of [drawFigures, drawVerdict, drawBusy, drawRoofline, drawCauses, drawSeries, drawLatencies, drawServers, drawTiles, drawCtas,
    drawSettings])
    draw();
})();
