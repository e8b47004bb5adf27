// A plan as a drawing: boxes of sources, steps and outputs, lines between them with what has arrived, is under way, and
// has failed or is in doubt behind them. It is drawn once for a plan; after that only its numbers change.
import {mark, say, svg} from './dom.js';
import {number, shortened, shortly} from './format.js';
import {arrange} from './plan_layout.js';
import {add, NONE} from './plan_reads.js';

const LINE = 17;
const CHARS_MAX = 32;
const WIDTH_MIN = 110;
const SHOWN_MAX = 5;  // destinations in the box of their output

const NUMBERS = '✓ 999k → 999k ! 999k';  // as wide as they get
const pen = document.createElement('canvas').getContext('2d');

export const MARKS = {
  arrived: '✓',
  under: '→',
  bad: '!'
};

// {node, set(counts)}: what is 0 is left out, but for what has arrived.
function figures(attributes) {
  const parts = ['arrived', 'under', 'bad'].map((kind) => ({kind, node: svg('tspan', {class: kind})}));
  const title = svg('title');
  const node = svg('text', attributes, title, parts.map((one) => one.node));
  return {
    node,
    set(counts) {
      const values = {...counts, bad: counts.failed + counts.doubt};
      for (const {kind, node: part} of parts) {
        say(part, values[kind] > 0 || kind === 'arrived' ? ` ${MARKS[kind]} ${shortly(values[kind])}` : '');
        part.classList.toggle('none', values[kind] === 0);
      }
      say(title, words(counts));
    },
  };
}

export const words = ({arrived, under, failed, doubt}) =>
    `${number(arrived)} arrived, ${number(under)} under way, ${number(failed)} failed, ${number(doubt)} in doubt`;

// whole: its title.
const line = (text, kind) => ({text: shortened(text, CHARS_MAX), whole: text, kind});

// Of the text as style.css draws it.
function measure({text, kind}) {
  pen.font = `${
      kind === 'name'     ? '600 13px' :
          kind === 'warn' ? '600 12px' :
                            '12px'} ${getComputedStyle(document.body).fontFamily}`;
  return Math.ceil(pen.measureText(text).width);
}

// The lines of a step's box; where a destination has one for its numbers, that line has it.
function linesOf(step, destinations) {
  const router = step.router ? `${step.router}${step.copies_max > 1 ? `, up to ${step.copies_max}` : ''}` : '';
  const out = [
    line(step.step, 'name'),
    line([step.kind, step.guarantee].filter((part) => part !== undefined).join(', '), 'soft'),
  ];
  if (router !== '') out.push(line(`router: ${router}`, 'router'));
  const numbers = (names) => out.push({...line(NUMBERS, 'numbers'), names});
  const sorted = destinations.toSorted((a, b) => (a.mode === 'open') - (b.mode === 'open'));
  const shown = sorted.slice(0, sorted.length === SHOWN_MAX + 1 ? SHOWN_MAX + 1 : SHOWN_MAX);
  for (const one of shown) {
    if (one.destination !== step.step) out.push(line(`via ${one.branches.replaceAll(' ', ', ')}`, 'soft'));
    numbers([one.destination]);
    if (one.mode !== 'open')
      out.push(line(`${one.mode === 'shut' ? 'paused' : 'probing'}${one.reason ? `: ${one.reason}` : ''}`, 'warn'));
  }
  const others = sorted.slice(shown.length);
  if (others.length > 0) {
    out.push(line(`and ${others.length} more, in the table below`, 'soft'));
    numbers(others.map((one) => one.destination));
  }
  return out;
}

// steps, destinations: as read. edges: [{from, to}].
export function drawing(steps, destinations, edges) {
  const boxes = steps.map((step) => {
    const its = destinations.filter((one) => one.step === step.step);
    const lines = linesOf(step, its);
    const width = 22 + Math.max(WIDTH_MIN, ...lines.map(measure));
    return {step, its, lines, name: step.step, width, height: lines.length * LINE + 14};
  });
  const {boxes: placed, lines: drawn, width, height} = arrange(boxes, edges);
  const outputs = [];  // {names, numbers}
  const shapes = boxes.map(({step, its, lines, name}) => {
    const at = placed.get(name);
    const is_held = its.some((one) => one.mode !== 'open');
    const kind = step.kind === 'source' ? 'source' : its.length > 0 ? 'output' : 'step';
    const title = lines.filter((one) => one.kind !== 'numbers').map((one) => one.whole).join('\n');
    return svg(
        'g', {class: `box ${kind}${is_held ? ' held' : ''}`}, svg('title', {}, title),
        svg('rect', {x: at.x, y: at.y, width: at.width, height: at.height, rx: 6}), lines.map((one, row) => {
          const place = {x: at.x + 11, y: at.y + 19 + row * LINE};
          if (one.kind !== 'numbers') return svg('text', {...place, class: one.kind}, one.text);
          const numbers = figures({...place, class: 'numbers'});
          outputs.push({names: one.names, numbers});
          return numbers.node;
        }));
  });
  const labels = [];
  const ways = drawn.map(({path, end, label}) => {
    const numbers = figures({x: label.x, y: label.y, class: 'numbers label'});
    const group =
        svg('g', {class: 'way'}, svg('path', {class: 'line', d: path}),
            svg('path', {class: 'arrow', d: `M${end.x} ${end.y}l-7 -4v8z`}), numbers.node);
    labels.push({group, numbers});
    return group;
  });
  const node = svg('svg', {class: 'plan', role: 'img', width, height, viewBox: `0 0 ${width} ${height}`}, ways, shapes);
  const sources = steps.filter((one) => one.kind === 'source').map((one) => placed.get(one.step));
  return {
    node,
    // Where one begins to read it.
    middle: sources.reduce((sum, one) => sum + one.y + one.height / 2, 0) / Math.max(1, sources.length),
    // now: counts of each destination by name; of_edge: those of each edge.
    set(now, of_edge, text) {
      mark(node, 'aria-label', text);
      for (const {names, numbers} of outputs) numbers.set(names.map((name) => now.get(name) ?? NONE).reduce(add, NONE));
      labels.forEach(({group, numbers}, at) => {
        const {counts, is_held} = of_edge[at];
        numbers.set(counts);
        group.classList.toggle('failing', counts.failed + counts.doubt > 0);
        group.classList.toggle('held', is_held);
      });
    },
  };
}
