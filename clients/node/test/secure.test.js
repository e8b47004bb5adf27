// TLS and tokens, with certificates that openssl makes while the test runs.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {connect} from '../index.js';

import {closedAfter, Daemon, required} from './daemon.js';

function certificate(daemon, name, more) {
  const key = join(daemon.folder, `${name}.key`);
  const made = join(daemon.folder, `${name}.pem`);
  execFileSync(
      'openssl',
      [
        'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout',
        key, '-out', made, '-subj', `/CN=${name}`, ...more
      ],
      {stdio: 'ignore'});
  execFileSync('chmod', ['600', key]);
  return {certificate: made, key};
}

async function secure(t, tls = '', more = '') {
  const daemon = new Daemon({
    listen: false,
    configuration: `<fastjournal><listen address="127.0.0.1:0" tls="true"/><listen address="127.0.0.1:0" rights="read"/>
      <tls certificate="server.pem" key="server.key" ${tls}/><socket path="socket" rights="all"/>${more}</fastjournal>`,
  });
  t.after(() => daemon.remove());
  const server = certificate(daemon, 'server', ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']);
  const anna = certificate(daemon, 'anna', ['-addext', 'extendedKeyUsage=clientAuth']);
  return {daemon, server, anna};
}

test('TLS encrypts, and trusts only the authorities that it was given', async (t) => {
  const {daemon, server} = await secure(t);
  await daemon.start();
  const connection = closedAfter(t, await connect({server: daemon.tls, ca: server.certificate}));
  await connection.journal('jobs').put({name: 'a'});
  const counts = await connection.journal('jobs').putMany(Array.from({length: 2000}, (_, i) => ({name: `n${i}`})));
  assert.equal(counts.inserted, 2000);
  closedAfter(t, await connect({server: daemon.tls, ca: readFileSync(server.certificate)}));
  closedAfter(t, await connect({server: daemon.tls.replace('127.0.0.1', 'localhost'), ca: server.certificate}));
  await assert.rejects(
      connect({server: daemon.tls}), (error) => error.code === 'unavailable' && error.facts.tls === 'certificate');
  await assert.rejects(connect({server: daemon.tls, ca: 'none.pem'}), {code: 'unavailable', message: /option ca/});
});

test('plain text and TLS are told apart', async (t) => {
  const {daemon, server} = await secure(t);
  await daemon.start();
  await assert.rejects(
      connect({server: `tls:${daemon.tcp}`, ca: server.certificate, connectLimit: 500}), {code: 'unavailable'});
  const connection = closedAfter(t, await connect({server: daemon.tls.slice(4), backOff: []}));
  await assert.rejects(connection.call('STATS'), (error) => error.code !== 'timed_out');
});

test('a certificate of its own is shown', async (t) => {
  const {daemon, server, anna} = await secure(t, 'client-ca="anna.pem" client-certificates="required"');
  await daemon.start();
  closedAfter(t, await connect({server: daemon.tls, ca: server.certificate, ...anna}));
  const without = connect({server: daemon.tls, ca: server.certificate}).then(async (connection) => {
    closedAfter(t, connection);
    await connection.call('STATS');
  });
  await assert.rejects(without, {code: 'not_allowed', facts: {tls: 'refused'}});
});

test('a token gives the rights of its user, and a wrong one none', async (t) => {
  const {daemon, server} = await secure(t, '', '<access users="users.xml"/>');
  const cli = join(required('FJ_BIN'), 'fastjournal');
  const token =
      execFileSync(
          cli, ['user', 'add', 'anna', '--rights', 'read add work', '--file', join(daemon.folder, 'users.xml')],
          {stdio: ['ignore', 'pipe', 'ignore']})
          .toString()
          .trim();
  await daemon.start();
  const plain = closedAfter(t, await connect({server: daemon.tcp}));
  await assert.rejects(plain.journal('jobs').put({name: 'a'}), {code: 'not_allowed'});
  const known = closedAfter(t, await connect({server: daemon.tls, ca: server.certificate, token}));
  assert.equal((await known.journal('jobs').put({name: 'a'})).result, 'inserted');
  assert.equal((await known.call('RIGHTS')).first.params.user, 'anna');
  await assert.rejects(
      connect({server: daemon.tls, ca: server.certificate, token: `${token.slice(0, -1)}_`}), (error) => {
        assert.equal(error.code, 'not_allowed');
        assert.ok(!error.message.includes(token.slice(0, -1)));
        return true;
      });
});
