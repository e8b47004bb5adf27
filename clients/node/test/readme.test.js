// The examples of README.md and of doc/pipeline.md, each with a daemon of its own, print what the page says; and
// index.d.ts fits their use.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import * as all from '../index.js';

import {daemonFor} from './daemon.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(at('../README.md'), 'utf8');
const examples = [...page.matchAll(/```js\n([^]*?)```\n\nprints\n\n```text\n([^]*?)```/g)];

test('all examples are found', () => {
  assert.equal(examples.length, page.split('```js').length - 1);
  assert.ok(examples.length >= 5);
});

async function prints(t, code, wanted) {
  const daemon = await daemonFor(t);
  const program =
      code.replaceAll('\'fastjournal\'', JSON.stringify(at('../index.js'))).replaceAll('127.0.0.1:4050', daemon.tcp);
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {stdio: ['ignore', 'pipe', 'inherit']});
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  const status = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(status, 0);
  assert.equal(output, wanted);
}

for (const [nr, [, code, wanted]] of examples.entries())
  test(`example ${nr + 1} prints what the page says`, (t) => prints(t, code, wanted));

test('the example of the page of pipelines prints what it says', async (t) => {
  const pipelines = readFileSync(at('../../../doc/pipeline.md'), 'utf8');
  const found = [...pipelines.matchAll(/```javascript\n([^]*?)```/g)];
  assert.equal(found.length, 1);
  const code = found[0][1];
  await prints(t, code, [...code.matchAll(/^\/\/ prints: (.*\n)/gm)].map((line) => line[1]).join(''));
});

test('index.d.ts names what is exported', () => {
  const types = readFileSync(at('../index.d.ts'), 'utf8');
  const named = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual(named.sort(), Object.keys(all).sort());
});

const compiler = process.env.FJ_TSC ?? 'tsc';
const hasCompiler = spawnSync(compiler, ['--version']).status === 0;
test(
    'index.d.ts is right for a program', {skip: hasCompiler ? false : 'tsc (node-typescript) is not installed'}, () => {
      const words = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'es2022'];
      const ran = spawnSync(compiler, [...words, '--moduleResolution', 'node16', at('types.mts')], {encoding: 'utf8'});
      assert.equal(ran.status, 0, ran.stdout);
    });
