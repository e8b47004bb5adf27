// Elements from plain values. Text of the daemon becomes text nodes and nothing else: there is no way here to make
// elements from a string, and the content security policy allows none.

const SVG = 'http://www.w3.org/2000/svg';

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === 'on') {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else if (name.startsWith('on') || name === 'style' || name === 'srcdoc' || name === 'src') {
    throw new Error(`no attribute ${name} is set by this page`);
  } else if (name === 'href' && !String(value).startsWith('#')) {
    throw new Error('links stay on this page');
  } else if (name === 'value' || name === 'checked') {
    node[name] = value;
  } else {
    node.setAttribute(name, value === true ? '' : String(value));
  }
}

function fill(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// h('p', {class: 'note'}, 'text', node)
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  return fill(node, children);
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  return fill(node, children);
}

// Touches the node only if it changes, so that a selection within it stays.
export function say(node, text) {
  const now = String(text);
  if (node.textContent !== now) node.textContent = now;
}

export function mark(node, name, value) {
  const now = String(value);
  if (node.getAttribute(name) !== now) node.setAttribute(name, now);
}

export const replace = (node, ...children) => fill(emptied(node), children);

function emptied(node) {
  node.replaceChildren();
  return node;
}

// The children of `parent` become those of `items`, in their order. A child that is there already stays the same
// element, with its focus: make(item) for a new key, update(child, item) for each.
export function keyed(parent, items, key, make, update) {
  const before = parent.keyedChildren ?? new Map();
  const now = new Map();
  let place = null;
  for (const item of items) {
    const name = key(item);
    const child = before.get(name) ?? make(item);
    before.delete(name);
    now.set(name, child);
    update(child, item);
    const next = place === null ? parent.firstChild : place.nextSibling;
    if (next !== child) parent.insertBefore(child, next);
    place = child;
  }
  for (const child of before.values()) child.remove();
  parent.keyedChildren = now;
}
