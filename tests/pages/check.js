/* Runs in a page of `tmasim report`: presses every tab and button, and says in the element "checked" what
 * is wrong, or "all good". tests/pages/run puts it behind the page's own script. */
'use strict';
(() => {
const wrong = [];
const expect = (good, text) => { if (!good) wrong.push(text); };
const all = selector => [...document.querySelectorAll(selector)];
const data = JSON.parse(document.getElementById('data').textContent);

for (const section of all('main>section'))
    expect(section.textContent.trim().length > 20 || section.id === 'figures', `section ${section.id} is empty`);
expect(document.getElementById('name').textContent === data.scenario, 'the heading is not the name');
expect(all('#figures b').length === (data.teraflops > 0 ? 7 : 6), 'six figures, and the rate of products');
expect(data.verdict.startsWith('not tried') === (data.likely !== ''), 'a run without experiments says what is likely');
expect(all('#busy tr').length === data.busy.filter(item => item.fraction >= 0.001).length, 'a bar for each part that was busy');
expect(!data.kernel || data.busy[0].key === 'tensor_cores', 'tensor cores come first');
expect(!data.teraflops === !document.querySelector('#roofline svg'), 'a run with products has a roofline');

/* Texts of a drawing lie within it, and not on each other. */
function expectWholeTexts(section, what) {
    for (const drawing of section.querySelectorAll('svg')) {
        const view = drawing.viewBox.baseVal, boxes = [];
        for (const text of drawing.querySelectorAll('text')) {
            const box = text.getBBox(), right = box.x + box.width, bottom = box.y + box.height;
            expect(box.x > view.x - 1 && box.y > view.y - 1 && right < view.x + view.width + 1 &&
                bottom < view.y + view.height + 1, `${what}: "${text.textContent}" is cut off`);
            const other = boxes.find(([at]) => at.x + at.width > box.x + 1 && right > at.x + 1 &&
                at.y + at.height > box.y + 3 && bottom > at.y + 3);
            expect(!other, `${what}: "${text.textContent}" lies on "${other && other[1]}"`);
            boxes.push([box, text.textContent]);
        }
    }
}
for (const section of all('main>section')) expectWholeTexts(section, section.id);

/* Every choice of every list of tabs shows something else, and only one is chosen. */
function press(label) {
    const list = document.querySelector(`[role=tablist][aria-label="${label}"]`), section = list.closest('section');
    const buttons = [...list.querySelectorAll('[role=tab]:not(:disabled)')], shown = new Set();
    for (const button of buttons) {
        button.click();
        const chosen = list.querySelectorAll('[aria-selected=true]');
        expect(chosen.length === 1 && chosen[0] === button, `${label}: ${button.textContent}`);
        shown.add(section.innerHTML);
        expectWholeTexts(section, `${label}, ${button.textContent}`);
    }
    expect(shown.size === buttons.length, `${label}: choices look the same`);
}
new Set(all('[role=tablist]').map(list => list.getAttribute('aria-label'))).forEach(press);
const list = document.querySelector('#series [role=tablist]');
if (list) {
    list.querySelector('[role=tab]').click();
    list.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    expect(list.querySelectorAll('[role=tab]')[1].getAttribute('aria-selected') === 'true', 'arrow keys move');
}

/* Dragging over the waves zooms in to what lies there, and a button shows the whole run again. */
const waves = document.querySelector('#ctas canvas');
if (waves && list) {
    const chart = () => document.querySelector('#series svg').outerHTML, before = chart(), box = waves.getBoundingClientRect();
    const drag = (type, part) => waves.dispatchEvent(new MouseEvent(type,
        {clientX: box.left + part * box.width, clientY: box.top + 1, bubbles: true}));
    drag('mousedown', 0.5);
    drag('mousemove', 0.55);
    drag('mouseup', 0.6);
    const short = data.series.cycles <= 2 * data.servers.window_cycles;
    expect(short || chart() !== before, 'dragging zooms in');
    expectWholeTexts(document.getElementById('ctas'), 'axis of the waves');
    document.querySelector('.whole').click();
    expect(chart() === before, 'the button shows the whole run');
    expect(document.querySelector('.whole').disabled, 'the button is off for the whole run');
}

/* Shares add up. */
for (const bar of data.bars) {
    const sum = bar.tenths.reduce((total, share) => total + share, 0);
    expect(sum === 1000 || sum === 0, `${bar.name}: shares add up to ${sum}`);
}
const cycles = data.series.causes.flat().reduce((total, value) => total + value, 0);
const counted = data.bars.flatMap(bar => bar.cycles).reduce((total, value) => total + value, 0);
expect(data.sampled ? cycles < counted : cycles === counted, `causes over time: ${cycles}, in all ${counted}`);

/* A sampled run says so, and wherever only a part is shown. */
const parts = all('main>section').filter(item => item.querySelector('.part')).map(item => item.id).join();
expect(parts === (data.sampled ? 'series,latencies,servers,ctas' : ''), `parts of the run: ${parts}`);
expect(!data.sampled === !document.getElementById('sampled'), 'the page says whether the run was sampled');
expect(!data.sampled || data.series.cycles < data.memory_cycles, 'the series ends with the simulated part');

/* The worst access, wavefront by wavefront: every lane has its turn. */
const tile = data.tiles.findIndex(item => item.modes.some(mode => mode.lanes));
if (tile >= 0) {
    all('#tiles [aria-label=tile] [role=tab]')[tile].click();
    const current = data.tiles[tile].modes.findIndex(item => item.current), mode = data.tiles[tile].modes[current];
    all('#tiles [aria-label=swizzle] [role=tab]')[current].click();
    const slider = document.querySelector('#tiles input[type=range]');
    expect(Number(slider.max) === mode.instruction_wavefronts - 1, 'the slider has every wavefront');
    const lanes = new Set();
    for (let i = 0; i < mode.instruction_wavefronts; i++) {
        const text = document.querySelector('#tiles .controls .note').textContent;
        expect(text.startsWith(`wavefront ${i + 1} of`), `wavefront ${i}: ${text}`);
        text.split('lanes ')[1].split(', ').forEach(lane => lanes.add(lane));
        all('#tiles .controls button')[2].click();
    }
    expect(lanes.size === mode.lanes.length / 7, `${lanes.size} lanes had their turn`);
    const play = all('#tiles .controls button')[0];
    play.click();
    expect(play.textContent === 'Pause', 'it plays');
    play.click();
    expect(play.textContent === 'Play', 'it stops');
}

/* The configuration can be filtered. */
const rows = all('#settings tbody tr').length, search = document.querySelector('#settings input');
expect(rows === data.settings.length, 'every setting has a line');
search.value = 'gpu.dram';
search.dispatchEvent(new Event('input'));
expect(all('#settings tbody tr').length > 0 && all('#settings tbody tr').length < rows, 'the filter filters');
search.value = '';
search.dispatchEvent(new Event('input'));

/* The theme: first that of the reader, then the other one, and back. */
const light = () => parseInt(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0], 10) > 128;
const first = light();
expect(first === !matchMedia('(prefers-color-scheme: dark)').matches, 'the theme is the reader\'s');
document.getElementById('theme').click();
expect(light() !== first, 'the button changes the theme');
document.getElementById('theme').click();
expect(light() === first, 'the button changes it back');

/* Nothing is wider than the page. */
expect(document.documentElement.scrollWidth <= innerWidth, 'the page scrolls sideways');
expect(all('script[src],link,img,iframe').length === 0, 'the page has other files');
const result = document.createElement('div');
result.id = 'checked';
result.textContent = (wrong.length ? wrong.join('; ') : 'all good') + (first ? ', light' : ', dark');
document.body.append(result);
})();
