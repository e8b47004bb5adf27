// The protocol core without a daemon: what is written is read again, in pieces of any size, and bytes of a hostile daemon
// neither make it throw nor hold more than one message.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Reader, Writer} from '../lib/msgpack.js';
import {MessageReader, parseLine} from '../lib/protocol.js';

import {frameOf} from './pretender.js';

function frameAround(body) {
  const head = Buffer.from([0x46, 0x4a, 0x4d, 1, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function collect(limit = 1024 * 1024) {
  const messages = [];
  const errors = [];
  const reader = new MessageReader(limit, (one) => messages.push(one), (error) => errors.push(error));
  return {reader, messages, errors};
}

test('the example of the protocol page is encoded byte by byte', () => {
  const wanted =
      '464a4d010000002f82a7636f6d6d616e64a44e455854aa706172616d657465727382a57461626c65a57061676573a77265717565737405';
  assert.equal(frameOf('NEXT', {table: 'pages'}, 5).toString('hex'), wanted);
});

test('values of every kind and width come back as they were', () => {
  const integers =
      [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -1, -32, -33, -128, -129];
  integers.push(-32_768, -32_769, -(2 ** 31), -(2 ** 31) - 1, -(2 ** 53) + 1);
  integers.push(2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, -(2n ** 63n));
  const texts =
      ['', 'a', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(300), 'ä'.repeat(30), '🙂'.repeat(40_000), 'a\0b'];
  const others = [
    true, false, 0.5, -1e300, Infinity, Buffer.alloc(0), Buffer.from([0, 255]), Buffer.alloc(300, 7),
    Buffer.alloc(70_000, 9)
  ];
  for (const value of [...integers, ...texts, ...others]) {
    const writer = new Writer(1);
    writer.value(value);
    const reader = new Reader(Buffer.from(writer.buffer.subarray(0, writer.at)));
    assert.deepEqual(reader.value(), value);
    assert.equal(reader.at, reader.end);
  }
});

test('what cannot be sent is refused with the name of the parameter', () => {
  for (const value of [null, {}, [], Symbol('x'), () => 1, 2n ** 64n, -(2n ** 63n) - 1n, new Date(NaN)]) {
    assert.throws(
        () => frameOf('INSERT', {name: value}),
        (error) => error.code === 'bad_parameter' && error.facts.parameter === 'name');
  }
  const many = Object.fromEntries(Array.from({length: 256}, (_, i) => [`p${i}`, i]));
  assert.throws(() => frameOf('INSERT', many), {code: 'too_large'});
});

test('frames and lines are read whatever the pieces in which they arrive', () => {
  const bytes = Buffer.concat([
    frameOf('ROW', {table: 'jobs', name: 'ä'.repeat(20)}, 1),
    Buffer.from('INVALID code=invalid;message="a \\"b\\"; c";\n\r\nF=1\nFJM\n'),
    frameOf('ROW', {bytes: Buffer.alloc(500, 1)}, 2),
  ]);
  for (let size = 1; size <= bytes.length; ++size) {
    const {reader, messages, errors} = collect();
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    assert.equal(errors.length, 0);
    assert.deepEqual(messages.map((one) => one.command), ['ROW', 'INVALID', 'F=1', 'FJM', 'ROW']);
    assert.equal(messages[0].params.name, 'ä'.repeat(20));
    assert.equal(messages[1].params.message, 'a "b"; c');
    assert.equal(messages[4].params.bytes.length, 500);
  }
});

test('a column may have any name', () => {
  const {reader, messages} = collect();
  reader.push(Buffer.concat([frameAround(Buffer.from(
      '82a7636f6d6d616e64a3524f57aa706172616d657465727382a95f5f70726f746f5f5f01ab636f6e7374727563746f7202', 'hex'))]));
  assert.deepEqual(Object.keys(messages[0].params), ['__proto__', 'constructor']);
  assert.equal({}.polluted, undefined);
  assert.deepEqual({...parseLine('ROW __proto__=1;a=2').params}, {['__proto__']: '1', a: '2'});
});

test('a message above the limit is skipped, and the next one is read', () => {
  for (const large of [frameOf('ROW', {bytes: Buffer.alloc(3000)}), Buffer.from(`ROW a=${'x'.repeat(3000)}\n`)]) {
    for (const size of [1, 7, 100_000]) {
      const {reader, messages, errors} = collect(1000);
      const bytes = Buffer.concat([large, frameOf('DONE', {})]);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      assert.deepEqual(errors.map((error) => error.code), ['too_large']);
      assert.deepEqual(messages.map((one) => one.command), ['DONE']);
    }
  }
});

test('memory grows with what arrived, not with what a header announces', () => {
  const {reader} = collect(2 ** 31);
  reader.push(Buffer.from([0x46, 0x4a, 0x4d, 1, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]));
  assert.ok(reader.kept.length < 4096);
});

test('hostile bodies are refused one by one and end nothing', () => {
  const deep = Buffer.concat([Buffer.from('82a16b', 'hex'), Buffer.alloc(100_000, 0x91), Buffer.from('01')]);
  const bodies = [
    '', 'c0', '80', 'df7fffffff', '81a7636f6d6d616e64', '81a7636f6d6d616e64c0',
    '82a7636f6d6d616e64a14eaa706172616d6574657273dfffffffff', '82a7636f6d6d616e64a14eaa706172616d657465727381a161c0',
    '82a7636f6d6d616e64a14eaa706172616d657465727381a16190', '81a7636f6d6d616e64dbffffffff4e',
    '81a7636f6d6d616e64a14e00', '82a7636f6d6d616e64a14ea16bc1', '82a7636f6d6d616e64a14ea16bddffffffff'
  ].map((hex) => Buffer.from(hex, 'hex'));
  const {reader, messages, errors} = collect();
  for (const body of [...bodies, deep]) {
    const before = errors.length;
    reader.push(frameAround(body));
    assert.equal(errors.length, before + 1, body.toString('hex').slice(0, 80));
    assert.equal(errors.at(-1).code, 'invalid');
  }
  reader.push(frameOf('DONE', {}));
  assert.equal(messages.length, 1);
});

test('mutated streams never throw', () => {
  const seed = Number(process.env.FJ_SEED ?? Date.now() % 1_000_000);
  let state = seed + 1;
  const below = (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 8) % limit;
  };
  const good = Buffer.concat([
    frameOf('ROW', {table: 'jobs', row: 7, name: 'x'.repeat(40), b: Buffer.alloc(9), f: 0.5}),
    Buffer.from('ERROR code=paused;message="a;b";\n')
  ]);
  for (let i = 0; i < 20_000; ++i) {
    const bytes = Buffer.from(good);
    for (let changes = 1 + below(4); changes > 0; --changes) bytes[below(bytes.length)] = below(256);
    const {reader} = collect(10_000);
    const cut = below(bytes.length);
    try {
      reader.push(bytes.subarray(0, cut));
      reader.push(bytes.subarray(cut));
    } catch (error) {
      assert.fail(`FJ_SEED=${seed}, round ${i}: ${error.stack}`);
    }
    assert.ok(reader.kept.length <= 20_008);
  }
});
