// A program that uses the types; readme.test.js compiles it, and nothing runs it.
import { connect, GiveUp, NotSent, StaleEpochError } from 'fastjournal';

// Of Node, whose own types need not be installed.
declare global {
  type Buffer = Uint8Array;
  namespace NodeJS {
    type Signals = 'SIGTERM' | 'SIGINT';
  }
}

const connection = await connect({ server: 'tls:localhost:1', ca: 'ca.pem', backOff: [1] });
const jobs = connection.journal('jobs');
const put = await jobs.put({ name: 'a', size: 3n }, { priority: 2, processDate: '+100' });
export const result: string = put.result;
for await (const notice of jobs.listen({ mode: 'deliver' })) {
  if (notice.kind === 'delivered') await jobs.done(notice.row);
  if (notice.kind === 'work') notice.ready.toFixed();
}
for await (const row of jobs.list({ status: 'parked' })) row.columns.name;
await connection.worker('jobs', async () => { throw new GiveUp('x'); }, { concurrency: 3, stopOn: ['SIGINT'] });
const post = connection.queues('post');
const sent: 'sent' | 'duplicate' | 'expired' = (await post.send('orders', 'x', { properties: { a: 1 } })).result;
export const both = [result, sent];
for await (const notice of post.listen({ credit: 3 })) if (notice.kind === 'delivered') await post.accept(notice.message);
for await (const message of post.browse({ status: 'parked' })) message.text.length;
await connection.consumer('post', 'orders', async (message) => message.properties.a, { concurrency: 2 });
const values = connection.keyValue('values');
const set: 'stored' | 'exists' | 'mismatch' | 'stale' | 'duplicate' =
  (await values.set('k', 1n, { ifValue: null, persist: false, client: 'c', sequence: 1 })).result;
const pair = await values.get(new Uint8Array(1), { facts: true, expirationDate: '+9' });
if (pair?.type === 'float' && typeof pair.value === 'number') pair.value.toFixed(pair.size);
for await (const { key, value } of values.scan({ prefix: 'a', count: 9 })) if (value !== null) key.length;
const blobs = connection.blobs('images');
await blobs.put(undefined, 'x', { hash: set, signal: new AbortController().signal });
const bytes: Uint8Array | undefined = (await blobs.get('k', { offset: 9 }))?.data;
export const kept: 'omitted' | 'absent' | undefined = bytes && (await blobs.omit('k'));
// @ts-expect-error a pair may not be there
(await values.get('k')).value;
// @ts-expect-error undefined is no value
await values.set('k', undefined);
const docs = connection.documents('docs');
const found = await docs.found('pages', '/a', 'h', { handOut: true });
if (found.change === 'new' && found.isMine) found.destinations.join();
const delivery = await docs.deliver(found, 'index', async ({ key, attempt }) => {
  if (attempt > 1) throw new NotSent('full', { kind: `of ${key}`, permanent: true });
});
export const verdict: 'run' | 'skip' | 'cancelled' = delivery.verdict;
for await (const notice of docs.listen({ mode: 'deliver' }))
  if (notice.kind === 'delivered') await docs.release(notice.document);
for await (const shown of docs.documents({ status: 'in_doubt' })) {
  if (shown.states.publish === 'in_doubt') await docs.resolve('sent', { document: shown });
}
for await (const destination of docs.destinations()) destination.inDoubt.toFixed();
for await (const event of docs.history({ document: found })) event.what.length;
await docs.retry({ status: 'dead', ifChanged: false, count: 3 });
const daemon = connection.daemon();
for await (const table of daemon.tables()) if (table.persistent) table.name.length;
export const texts: string[] = [await daemon.metrics({ format: 'openmetrics' }), (await daemon.stats())[0].command];
// @ts-expect-error it is commit or rollback
await daemon.xaDecide('1:a:b', 'maybe');
// @ts-expect-error it is sent or failed
await docs.resolve('maybe', { all: true });
// @ts-expect-error a consumer has no domain
await connection.consumer('post', 'orders', async () => {}, { domain: 'x' });
try {
  await jobs.next();
} catch (error) {
  if (error instanceof StaleEpochError) error.facts.holder;
}
// @ts-expect-error null is no value
await jobs.put({ name: null });
// @ts-expect-error a misspelt option
await connect({ sever: 'x' });
// @ts-expect-error a notice of a wake has no row
for await (const notice of jobs.listen()) if (notice.kind === 'work') notice.row;
