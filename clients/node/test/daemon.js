// The real daemon for these tests: a temporary folder with its tables, and a daemon that is started, killed and started
// again on the same data. FJ_BIN and FJ_PLUGINS name the folders of the programs and of the plugins.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

import {connect} from '../index.js';

export function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests need the programs of fastjournal`);
  return value;
}

const table = (name, more) => `<table name="${name}" model="journal" row-key="name">
<schema><column name="name" type="string" required="true"/><column name="payload" type="string"/>
<column name="size" type="uint64"/><column name="share" type="double"/><column name="bytes" type="buffer"/></schema>
${more}</table>`;

/** Documents are indexed, and published once. */
export const plan = `<plan name="docs" version="1">
<retry max-attempts="3" first="1ms" factor="1" jitter="0"/>
<source name="pages" router="duplicate-all"/>
<step name="index" after="pages" kind="idempotent" guarantee="at-least-once"/>
<step name="publish" after="pages" kind="potent"/>
</plan>`;

export class Daemon {
  // `plans`: of further pipeline tables, by their names.
  constructor({configuration = '<fastjournal/>', options = '<grace>10s</grace>', listen = true, plans = {}} = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'fj-node-'));
    this.listen = listen;
    this.addresses = [];
    mkdirSync(join(this.folder, 'tables'));
    this.write('fastjournal.xml', configuration);
    this.write('tables/jobs.xml', table('jobs', options));
    this.write('tables/post.xml', '<table name="post" model="queue"><queues>orders failed</queues></table>');
    this.write('tables/values.xml', '<table name="values" model="keyvalue"/>');
    this.write('tables/images.xml', '<table name="images" model="blob"/>');
    mkdirSync(join(this.folder, 'tables/plans'));
    this.writePlan('docs', plan);
    for (const name in plans) this.writePlan(name, ...plans[name]);
  }

  writePlan(name, text, more = '') {
    this.write(`tables/plans/${name}.xml`, text);
    const xml = `<table name="${name}" type="pipeline"><plan>plans/${name}.xml</plan>${more}</table>`;
    this.write(`tables/${name}.xml`, xml);
  }

  write(name, text, mode = 0o644) { writeFileSync(join(this.folder, name), text, {mode}); }

  // `address`: of the daemon before, so that clients find the next one.
  async start(address = '127.0.0.1:0') {
    const words = ['--config', join(this.folder, 'fastjournal.xml'), '--tables', join(this.folder, 'tables')];
    words.push('--plugins', required('FJ_PLUGINS'), '--data', join(this.folder, 'data'));
    if (this.listen) words.push('--listen', address, '--listen', `unix:${join(this.folder, 'socket')}`);
    this.child = spawn(join(required('FJ_BIN'), 'fastjournald'), words, {stdio: ['ignore', 'pipe', 'pipe']});
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.addresses = [];
    let output = '';
    this.child.stderr.on('data', (text) => (output += text));
    const lines = createInterface({input: this.child.stdout});
    await new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        output += `${line}\n`;
        if (line.startsWith('listening ')) this.addresses.push(line.split(' ')[1]);
        if (line === 'ready') resolve();
      });
      this.child.once('error', reject);
      this.child.once('close', () => reject(new Error(`the daemon ended: ${output}`)));
    });
    return this;
  }

  get tcp() { return this.addresses.find((one) => !one.includes('unix:') && !one.startsWith('tls:')); }
  get tls() { return this.addresses.find((one) => one.startsWith('tls:')); }
  get unix() { return `unix:${join(this.folder, 'socket')}`; }

  async end(signal = 'SIGTERM') {
    this.child.kill(signal);
    await this.ended;
  }

  async remove() {
    if (this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null)
      await this.end('SIGKILL');
    rmSync(this.folder, {recursive: true, force: true});
  }
}

/** A daemon for one test, removed after it. */
export async function daemonFor(test, given) {
  const daemon = new Daemon(given);
  test.after(() => daemon.remove());
  return daemon.start();
}

/** A connection for one test, closed after it. */
export function closedAfter(test, connection) {
  test.after(() => connection.close());
  return connection;
}

/** Both. */
export async function clientFor(test, given, options = {}) {
  const daemon = await daemonFor(test, given);
  return {daemon, connection: closedAfter(test, await connect({server: daemon.tcp, ...options}))};
}

export async function all(iterable) {
  const out = [];
  for await (const one of iterable) out.push(one);
  return out;
}
