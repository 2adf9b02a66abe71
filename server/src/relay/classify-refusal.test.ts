import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import {
  byProvider as byProviderAnywhere,
  byRequest as byRequestAnywhere,
  type Endpoint,
  type EndpointName,
  endpoints,
  errorOf,
  messages,
  says,
} from './classify-refusal.fixture.ts';
import { byProviderAtBedrock, byRequestAtBedrock } from './providers/bedrock/refusals.fixture.ts';
import { addUpstream, type Script, type SeenRequest, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

const byRequest = [...byRequestAnywhere, ...byRequestAtBedrock];
const byProvider = [...byProviderAnywhere, ...byProviderAtBedrock];

const clock = manualClock(Date.now());
let house: TestApp;
let root: Member;
let keys: string[];
beforeAll(async () => {
  house = await openTestApp({ clock });
  root = await house.root();
  const second = await house.user();
  await root.call(`/api/admin/users/${second.id}/credits`, { method: 'POST', body: { quota: 1_000_000 } });
  keys = [await root.key(), await second.key()];
  await house.setOption('RateLimitEnabled', false);
});
afterAll(() => house.close());

const scripts = new Map<string, Script>();
const scripted = scriptedUpstream((request) => scripts.get(modelIn(request))!(request));
const channels: Record<string, number> = {};
beforeAll(async () => {
  for (const kind of ['openai', 'anthropic', 'gemini', 'bedrock'])
    channels[kind] = await addUpstream(house, scripted.url, [], { kind, provider: kind });
  await makeModels([...byRequest, ...byProvider].flatMap(([, where]) => where.map((name) => endpoints[name])));
});
afterAll(() => scripted.close());

function modelIn({ path, body }: SeenRequest): string {
  const named = /model-\d+/.exec(path)?.[0];
  return named ?? (body instanceof FormData ? String(body.get('model')) : (body as Loose).model);
}

/** Models that no case has taken yet. */
const ready = new Map<string, string[]>();
const sortOf = ({ type, kind = 'openai' }: Endpoint): string => `${kind} ${type}`;
let modelsMade = 0;

async function makeModel(like: Endpoint): Promise<void> {
  modelsMade += 1;
  const model_id = `model-${modelsMade}`;
  const body = { channel_id: channels[like.kind ?? 'openai'], model_id, model_name: model_id, type: like.type };
  expect((await root.call('/api/admin/provider-models', { method: 'POST', body })).status).toBe(201);
  ready.set(sortOf(like), [...(ready.get(sortOf(like)) ?? []), model_id]);
}

/** One for each, as copies of the last of its sort: each that is made alone has the whole catalog read again. */
async function makeModels(wanted: Endpoint[]): Promise<void> {
  const { db } = house.platform.database;
  for (const alike of Object.values(Object.groupBy(wanted, sortOf))) {
    const [like] = alike!;
    const names = alike!.map(() => {
      modelsMade += 1;
      return `model-${modelsMade}`;
    });
    ready.set(sortOf(like!), names);
    await makeModel(like!);
    const { id: _, ...row } = await db
      .selectFrom('provider_models')
      .selectAll()
      .where('model_id', '=', `model-${modelsMade}`)
      .executeTakeFirstOrThrow();
    for (let from = 0; from < names.length; from += 40)
      await db
        .insertInto('provider_models')
        .values(names.slice(from, from + 40).map((model_id) => ({ ...row, model_id, model_name: model_id })))
        .execute();
  }
  // The last one made in the usual way has all of them read.
  await makeModel(endpoints.whole);
}

/** A model of its own, whose upstream answers by this script. */
async function modelFor(endpoint: Endpoint, script: Script): Promise<string> {
  if (!ready.get(sortOf(endpoint))?.length) await makeModel(endpoint);
  const model = ready.get(sortOf(endpoint))!.pop()!;
  scripts.set(model, script);
  return model;
}

const ask = (key: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  house.call(path, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body });

async function circuitOf(model: string): Promise<string> {
  const answer = await root.call(`/api/routing/metrics?model_id=${encodeURIComponent(model)}`);
  return ((await answer.json()) as Loose).data.metrics[0].circuit_state;
}

/** Six requests, by two users in turn. */
async function circuitAfter(name: EndpointName, script: Script): Promise<string> {
  const endpoint: Endpoint = endpoints[name];
  const model = await modelFor(endpoint, script);
  for (let i = 0; i < 6; i++) await (await ask(keys[i % 2]!, endpoint.path, endpoint.body(model))).text();
  return circuitOf(model);
}

const circuitsAfter = async (where: EndpointName[], script: Script) =>
  Promise.all(where.map(async (name) => `${name}: ${await circuitAfter(name, script)}`));

test.each(byRequest)('a fault of the request keeps the circuit closed: %s', async (_, where, script) => {
  expect(await circuitsAfter(where, script)).toEqual(where.map((name) => `${name}: closed`));
});

test.each(byProvider)('a fault of the provider opens the circuit: %s', async (_, where, script) => {
  expect(await circuitsAfter(where, script)).toEqual(where.map((name) => `${name}: open`));
});

test('failures of a single user do not open the circuit for others', async () => {
  const model = await modelFor(endpoints.whole, ({ body }) =>
    JSON.stringify(body).includes('poison')
      ? new Response(null, { status: 500 })
      : Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] }),
  );
  const { path } = endpoints.whole;
  const poison = { model, messages: [{ role: 'user', content: 'poison' }] };
  for (let i = 0; i < 5; i++) expect((await ask(keys[1]!, path, poison)).status).toBe(502);
  expect(await circuitOf(model)).toBe('open');
  expect((await ask(keys[1]!, path, { model, messages })).status).toBe(503);
  for (let i = 0; i < 10; i++) expect((await ask(keys[0]!, path, { model, messages })).status).toBe(200);
});

test('a rejected request is tried on the next provider; if all fail, the first rejection is returned', async () => {
  const model = await modelFor(endpoints.whole, says(errorOf({ message: 'No such file: file-1' }), 404));
  const failing = scriptedUpstream(says('', 500));
  await addUpstream(house, failing.url, [{ model_id: model }], { provider: 'second' });
  const answer = await ask(keys[0]!, endpoints.whole.path, { model, messages, provider: { order: ['openai'] } });
  expect(failing.seen).toHaveLength(1);
  expect([answer.status, ((await answer.json()) as Loose).error.message]).toEqual([404, 'No such file: file-1']);
  await failing.close();
});

test('a client that stops reading audio does not count against the provider', async () => {
  const aborts: Promise<void>[] = [];
  let made = 0;
  const model = await modelFor(endpoints.speech, ({ signal, aborted }) => {
    aborts.push(aborted);
    const body = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(1);
        made += 1;
        if (!signal.aborted) controller.enqueue(new Uint8Array(65_536));
      },
    });
    return new Response(body, { headers: { 'content-type': 'audio/mpeg' } });
  });
  const readers = await Promise.all(
    [0, 1, 0, 1, 0, 1].map(async (who) => {
      const answer = await ask(keys[who]!, endpoints.speech.path, endpoints.speech.body(model));
      const reader = answer.body!.getReader();
      await reader.read();
      return reader;
    }),
  );
  // Everything between upstream and reader is full: whoever is silent from here on is the reader.
  for (let before = -1, still = 0; still < 20; before = made) {
    await Bun.sleep(5);
    still = made === before ? still + 1 : 0;
  }
  // Second by second: what the upstream still has on its way must arrive, or the silence would be the upstream's.
  for (let second = 0; second < 640; second += 1) {
    clock.advance(1_000);
    await Bun.sleep(0);
  }
  await Promise.all(aborts);
  for (const reader of readers) await expect(drain(reader)).rejects.toThrow();
  expect(await circuitOf(model)).toBe('closed');
});

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

test('a form whose stream field is not exactly true or false is rejected before it is sent', async () => {
  const seen = scripted.seen.length;
  const model = await modelFor(endpoints.transcriptions, () => new Response('data: {}\n\n'));
  for (const value of ['True', '1', 'yes', ' true']) {
    const data = endpoints.transcriptions.body(model);
    data.set('stream', value);
    const answer = await ask(keys[0]!, endpoints.transcriptions.path, data);
    expect([value, answer.status]).toEqual([value, 400]);
  }
  expect(scripted.seen).toHaveLength(seen);
});

test('headers that are too long or not ASCII are rejected and not forwarded', async () => {
  const seen = scripted.seen.length;
  const model = await modelFor(endpoints.whole, says('', 500));
  for (const value of ['x'.repeat(3_000), 'caf\u00e9']) {
    const answer = await ask(keys[0]!, endpoints.whole.path, { model, messages }, { 'openai-beta': value });
    const { error } = (await answer.json()) as Loose;
    expect([answer.status, error.param]).toEqual([400, 'openai-beta']);
  }
  expect(scripted.seen).toHaveLength(seen);
});
