// Where the boxes and lines of a plan are drawn: from left to right in layers, each step behind all those before it. Boxes
// are in even columns. Each line passes through an item of every column between its ends, the first of which has room for
// its label: so lines and labels lie beside boxes and each other, never on them.

const GAP = 18;           // between boxes of a column
const LABEL_HEIGHT = 22;  // the label stands on its line
const LINE_HEIGHT = 10;
const LABEL_WIDTH = 128;
const BEND = 34;  // on either side of a label
const PAD = 12;
const ITEMS_MAX = 6000;  // above, long lines go straight from their label
const ROUNDS = 8;

// nodes: [{name, width, height}]; edges: [{from, to}], without cycles. Boxes by name, and lines in the order of edges.
export function arrange(nodes, edges) {
  const items =
      new Map(nodes.map((one) => [one.name, {...one, height: one.height + GAP, left: [], right: [], box: one}]));
  const layers = layersOf(nodes, edges);
  for (const one of items.values()) one.column = 2 * layers.get(one.name);
  const length = edges.reduce((sum, {from, to}) => sum + 2 * (layers.get(to) - layers.get(from)) - 1, 0);
  const ways = edges.map(({from, to}) => {
    const end = length > ITEMS_MAX ? 2 * layers.get(from) + 1 : 2 * layers.get(to) - 1;
    const way = [items.get(from)];
    for (let column = 2 * layers.get(from) + 1; column <= end; column += 1) {
      const height = way.length === 1 ? LABEL_HEIGHT : LINE_HEIGHT;
      way.push({column, height, left: [], right: []});
    }
    way.push(items.get(to));
    for (let at = 1; at < way.length; at += 1) {
      way[at - 1].right.push(way[at]);
      way[at].left.push(way[at - 1]);
    }
    return way;
  });
  const columns = [];
  for (const item of new Set([...items.values(), ...ways.flat()])) (columns[item.column] ??= []).push(item);
  for (let at = 0; at < columns.length; at += 1) columns[at] ??= [];
  order(columns);
  settle(columns);
  return draw(columns, items, ways);
}

// The longest way from a source.
function layersOf(nodes, edges) {
  const before = new Map(nodes.map(({name}) => [name, []]));
  for (const {from, to} of edges) before.get(to).push(from);
  const layers = new Map();
  const layer = (name) => {
    if (!layers.has(name)) layers.set(name, Math.max(-1, ...before.get(name).map(layer)) + 1);
    return layers.get(name);
  };
  for (const {name} of nodes) layer(name);
  return layers;
}

const mean = (items, value, otherwise) =>
    (items.length === 0 ? otherwise : items.reduce((sum, one) => sum + value(one), 0) / items.length);

// Each item near those that it is linked with, so that few lines cross.
function order(columns) {
  const number = (column) => column.forEach((item, at) => {
    item.at = at;
  });
  columns.forEach(number);
  for (let round = 0; round < ROUNDS; round += 1) {
    const side = round % 2 === 0 ? 'left' : 'right';
    for (const column of side === 'left' ? columns : [...columns].reverse()) {
      for (const item of column) item.wish = mean(item[side], (one) => one.at, item.at);
      column.sort((a, b) => a.wish - b.wish || a.at - b.at);
      number(column);
    }
  }
}

// Heights: each item where those are that it is linked with, as far as its column has room.
function settle(columns) {
  for (const column of columns) place(column, column.map(() => 0));
  for (let round = 0; round <= ROUNDS; round += 1) {
    const side = round % 2 === 0 ? 'left' : 'right';
    const linked = (item) => (round === ROUNDS ? [...item.left, ...item.right] : item[side]);
    for (const column of side === 'left' ? columns : [...columns].reverse())
      place(column, column.map((item) => mean(linked(item), (one) => one.y, item.y ?? 0)));
  }
  const top = Math.min(...columns.flat().map((item) => item.y - item.height / 2));
  for (const item of columns.flat()) item.y += PAD - top;
}

// The middles that are nearest to the wishes, without an overlap: neighbours that would overlap move together.
function place(column, wishes) {
  const blocks = [];
  let offset = 0;
  column.forEach((item, at) => {
    item.offset = offset + item.height / 2;
    offset += item.height;
    let block = {sum: wishes[at] - item.offset, items: [item]};
    for (let last = blocks.at(-1); last && last.sum / last.items.length > block.sum / block.items.length;
         last = blocks.at(-1)) {
      blocks.pop();
      block = {sum: last.sum + block.sum, items: [...last.items, ...block.items]};
    }
    blocks.push(block);
  });
  for (const {sum, items} of blocks)
    for (const item of items) item.y = sum / items.length + item.offset;
}

function draw(columns, items, ways) {
  let x = PAD;
  const lefts = columns.map((column, at) => {
    const left = x;
    x += at % 2 === 1 ? LABEL_WIDTH + 2 * BEND : Math.max(0, ...column.map((item) => item.width ?? 0));
    return left;
  });
  const bottom = Math.max(...columns.flat().map((item) => item.y + item.height / 2));
  // Lines begin and end beside each other.
  const port = (item, side, other) => {
    const sorted = item[side].toSorted((a, b) => a.y - b.y);
    const room = item.box.height - 16;
    const step = Math.min(12, room / Math.max(1, sorted.length - 1));
    return item.y + (sorted.indexOf(other) - (sorted.length - 1) / 2) * step;
  };
  const lines = ways.map((way) => {
    const [from, label] = way;
    const to = way.at(-1);
    let [atX, atY] = [lefts[from.column] + from.width, port(from, 'right', label)];
    let path = `M${round(atX)} ${round(atY)}`;
    const curve = (toX, toY) => {
      const middle = round((atX + toX) / 2);
      path += `C${middle} ${round(atY)} ${middle} ${round(toY)} ${round(toX)} ${round(toY)}`;
      [atX, atY] = [toX, toY];
    };
    for (const item of way.slice(1, -1)) {
      const is_label = item.column % 2 === 1;
      curve(lefts[item.column] + (is_label ? BEND : 0), item.y);
      atX = is_label ? lefts[item.column] + BEND + LABEL_WIDTH : lefts[item.column + 1];
      path += `H${round(atX)}`;
    }
    curve(lefts[to.column], port(to, 'left', way.at(-2)));
    return {
      path,
      end: {x: round(atX), y: round(atY)},
      label: {x: round(lefts[label.column] + BEND + LABEL_WIDTH / 2), y: round(label.y - 4)},
    };
  });
  const boxes = new Map([...items].map(
      ([name, item]) => [name, {x: lefts[item.column], y: round(item.y - item.box.height / 2), ...item.box}]));
  return {boxes, lines, width: round(x + PAD), height: round(bottom + PAD)};
}

const round = (value) => Math.round(value * 10) / 10;
