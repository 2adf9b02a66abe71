/**
 * What is hostile, sent to every endpoint that takes text while somebody asks whether the service is alive: the loop is never
 * held for more than 50 ms longer than while nothing is asked, on a machine of usual pace. `SVC_HOSTILE_ONLY=words` runs the cases with these in their names.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ApiDocument, endpointsOf } from './fuzz/document.ts';
import { worldFor } from './fuzz/request.ts';
import { makeWorlds, type Worlds } from './fuzz/world.ts';
import { casesOfAnswers } from './hostile/answers.ts';
import { type Case, casesOf, longLists, manyParts, readers } from './hostile/cases.ts';
import { runOf, runs, shapes } from './hostile/inputs.ts';
import { freePort, type Service, startService } from './service.ts';
import { silence, startUpstream } from './upstream.ts';

const mostMs = 50;
/** On a slower machine more, as measured beside each try: of the time that a fixed piece of work takes there. */
const mostPaces = 1.5;
/** A full sweep of the heap, or code compiled for the first time, may fall into one try; never into all of them. */
const tries = 5;
/** Sent together, since most hold nothing: the groups that do are looked at one by one. */
const atOnce = 6;
/** Streams are read for a while only. */
const streamMs = 300;
/** What every model's window takes, and what none does. */
const runLengths = { with: [60_000, 1_000_000], without: [60_000] };
/**
 * Whoever reads again and again shows it at the first length, where each reader gets each run. At the second, which shows what
 * is read whole at once, each reader gets every third run, and each run goes to every third reader.
 */
const shareOfLongest = process.env.SVC_LONG ? 1 : 3;
const only = process.env.SVC_HOSTILE_ONLY;
/** Endpoints that are closed unless the operator opens them. */
const allOn = { OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };

let service: Service;
let worlds: Worlds;
let document: ApiDocument;
let watch: string;
let idleMs = 0;

beforeAll(async () => {
  const port = freePort();
  watch = `http://127.0.0.1:${port}`;
  service = await startService({
    env: { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', LOOP_WATCH_PORT: `${port}`, ...allOn },
    preload: join(import.meta.dir, 'hostile/watch.ts'),
  });
  worlds = await makeWorlds(service, 0);
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument;
  idleMs = await heldBy(() => Bun.sleep(500));
}, 300_000);
afterAll(() => service?.stop());

/** The longest that the loop was held while this went on, with somebody asking for health all the while. */
async function heldBy(work: () => Promise<unknown>): Promise<number> {
  await (await fetch(watch)).json();
  let done = false;
  const working = work().finally(() => {
    done = true;
  });
  while (!done) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await Bun.sleep(5);
  }
  await working;
  // What goes on behind the answer counts too.
  await Bun.sleep(30);
  return (await fetch(watch)).json() as Promise<number>;
}

async function send({ method, path, headers, body }: Case): Promise<number> {
  const signal = AbortSignal.timeout(120_000);
  const response = await fetch(service.url + path, {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body && { body }),
  });
  if (!response.headers.get('content-type')?.includes('event-stream')) await response.bytes();
  else
    await Promise.race([
      response.bytes(),
      Bun.sleep(streamMs).then(() => response.body?.cancel().catch(() => {})),
    ]).catch(() => {});
  return response.status;
}

/** Names of those that held the loop in every one of the tries. A group that did not hold it as a whole has none among it. */
async function findSlow(cases: Case[]): Promise<string[]> {
  const wanted = only ? cases.filter(({ name, path }) => `${name} ${path}`.includes(only)) : cases;
  const faults: string[] = [];
  for (let i = 0; i < wanted.length; i += atOnce) {
    const group = wanted.slice(i, i + atOnce);
    const held = await heldBy(() =>
      Promise.all(
        group.map(async (one) => {
          const status = await send(one);
          if (status >= 500 && status !== 503) faults.push(`${titleOf(one)}: status ${status}`);
        }),
      ),
    );
    if (held - idleMs > mostMs) for (const one of group) faults.push(...(await slowAlone(one)));
  }
  return faults;
}

async function slowAlone(one: Case): Promise<string[]> {
  const seen: number[] = [];
  while (seen.length < tries) {
    const pace = (await (await fetch(`${watch}/pace`)).json()) as number;
    const held = (await heldBy(() => send(one))) - idleMs;
    if (held <= Math.max(mostMs, mostPaces * pace)) return [];
    seen.push(held);
  }
  return [`${titleOf(one)}: held for ${seen.map(Math.round).join(', ')} ms`];
}

const titleOf = ({ method, path, name }: Case): string => `${method} ${path.slice(0, 80)} ${name}`;

const byKey = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

test('every endpoint: its texts, its query, and bodies of every shape', async () => {
  const endpoints = endpointsOf(document).filter(
    ({ bodies, queryParameters }) => bodies.length + queryParameters.length > 0,
  );
  const cases = endpoints.flatMap((endpoint, turn) =>
    casesOf(endpoint, worldFor(worlds, endpoint), document.components.schemas, turn),
  );
  expect(cases.length).toBeGreaterThan(300);
  const names = new Set(cases.map(({ name }) => name));
  expect(Object.keys(shapes).filter((shape) => !names.has(`${shape}, in full length`))).toEqual([]);
  console.log(
    `hostile: ${cases.length} requests to ${endpoints.length} endpoints, beside ${idleMs.toFixed(1)} ms when idle`,
  );
  expect(await findSlow(cases)).toEqual([]);
}, 1_800_000);

test.each(['with', 'without'] as const)(
  'runs of a million letters, where texts are read (%s balance)',
  async (balance) => {
    const user = await service.user(balance === 'with' ? 500_000_000 : 0);
    const headers = byKey(await user.key());
    const cases = Object.entries(readers).flatMap(([reader, make], turn) =>
      Object.keys(runs).flatMap((what, place) =>
        runLengths[balance]
          .filter((letters) => letters < 1_000_000 || (turn + place) % shareOfLongest === 0)
          .map((letters): Case => {
            const { path, body } = make(runOf(what, letters));
            const name = `${letters} ${what} as ${reader}`;
            return { name, method: 'POST', path, headers, body: JSON.stringify(body) };
          }),
      ),
    );
    expect(await findSlow(cases)).toEqual([]);
  },
  1_800_000,
);

test('lists as long as they may be, of what is in order', async () => {
  const user = await service.user(500_000_000);
  const headers = byKey(await user.key());
  const cases = Object.entries(longLists).map(
    ([name, { path, body }]): Case => ({ name, method: 'POST', path, headers, body: JSON.stringify(body) }),
  );
  expect(await findSlow(cases)).toEqual([]);
}, 600_000);

test('answers of upstreams, as large as they may be', async () => {
  const upstream = startUpstream(silence);
  try {
    const cases = await casesOfAnswers(service, upstream, byKey(service.key));
    for (const one of cases) expect([titleOf(one), await send(one)]).toEqual([titleOf(one), 200]);
    expect(await findSlow(cases)).toEqual([]);
  } finally {
    upstream.stop();
  }
}, 600_000);

test('forms of very many parts, and a picture of 32 MB', async () => {
  const { authorization } = byKey(service.key);
  const form = manyParts(200_000);
  const picture = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'iVBORw0KGgoA'.repeat(2_700_000)}` },
  };
  const chat = {
    model: 'demo/chat',
    messages: [{ role: 'user', content: [picture, { type: 'text', text: 'What is it?' }] }],
  };
  const cases: Case[] = ['/v1/audio/transcriptions', '/v1/audio/translations'].map((path) => ({
    ...{ name: 'many parts', method: 'POST', path, body: form.body! },
    headers: { ...form.headers, authorization },
  }));
  cases.push({
    name: 'a picture',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: byKey(service.key),
    body: JSON.stringify(chat),
  });
  expect(await findSlow(cases)).toEqual([]);
}, 600_000);
