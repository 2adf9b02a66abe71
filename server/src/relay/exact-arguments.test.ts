import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { asText, digits, gemini, kinds, requests, streams, wholes, written } from './exact-arguments.fixture.ts';
import { addUpstream } from './scripted-upstream.fixture.ts';
import type { Json, WireFormat } from './wire/conversation.ts';

/* Ids of 64 bits in the arguments of tools: a rounded one names something else. */

let relay: RelayTest;
/** What the upstream answers with, and what it was sent last. */
let given = { body: '', type: '', first: '' };
let sent = '';
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    sent = await request.text();
    const { body, type, first } = given;
    given.first = '';
    return new Response(first || body, { headers: { 'content-type': type } });
  },
});

const give = (body: string, type = 'application/json', first = '') => {
  given = { body, type, first };
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(1_000_000_000);
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      `http://127.0.0.1:${upstream.port}${wire === 'gemini' ? '' : '/v1'}`,
      [
        {
          model_id: `n/${wire}`,
          model_name: 'up',
          capabilities:
            wire === 'responses' ? { responses: true, tools_in_responses: true } : { web_search: wire === 'messages' },
          prices: { prompt: 0, completion: 0, search: 0.01 },
        },
      ],
      { kind, name: wire, provider: `n-${wire}` },
    );
});
afterAll(async () => {
  await upstream.stop(true);
  await relay.close();
});

/** How often the arguments stand there, in whatever way. */
const timesIn = (text: string): number => text.split(digits).length - 1;
const rounded = /9007199254740992|12345678901234567000|12345678901234568/;

for (const wire of Object.keys(kinds) as WireFormat[])
  for (const client of Object.keys(kinds) as WireFormat[])
    describe(`a client of ${client}, an upstream of ${wire}`, () => {
      test.each([false, true])('the digits are those that were written; streamed: %p', async (stream) => {
        give(stream ? streams[wire]() : written(wholes[wire]), stream ? 'text/event-stream' : undefined);
        const { path, body } = requests[client](`n/${wire}`, stream);
        const { config, app } = relay.test;
        const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: written(body) };
        const answer = await app.fetch(new Request(config.baseUrl + path, init));
        const text = await answer.text();
        expect([answer.status, text]).toEqual([200, text]);
        expect(text).not.toMatch(rounded);
        expect(timesIn(text)).toBeGreaterThan(0);
        expect(sent).not.toMatch(rounded);
        expect(timesIn(sent)).toBe(2);
      });
    });

test.each(['messages', 'gemini'] as const)('so are those of an answer of %s that is parsed in slices', async (wire) => {
  give(written({ note: 'x'.repeat(300_000), ...(wholes[wire] as Json) }));
  for (const stream of [false, true])
    for (const client of Object.keys(kinds) as WireFormat[]) {
      const { path, body } = requests[client](`n/${wire}`, stream);
      expect(timesIn(await (await relay.post(path, body)).text())).toBeGreaterThan(0);
    }
});

test.each([false, true])('so are those of a turn that Anthropic paused; streamed: %p', async (stream) => {
  const paused = written({ ...(wholes.messages as Json), content: [], stop_reason: 'pause_turn' });
  give(written(wholes.messages), 'application/json', paused);
  const { path, body } = requests.chat('n/messages', stream);
  const answer = await relay.post(path, { ...(JSON.parse(written(body)) as Json), web_search_options: {} });
  expect(timesIn(await answer.text())).toBe(1);
  expect(sent).toContain('web_search');
  expect(sent).not.toMatch(rounded);
});

test('arguments that are one number are no object', async () => {
  const alone = (json: unknown) => JSON.stringify(json).replaceAll(asText, `"${digits}"`);
  give(alone(wholes.chat));
  for (const [client, member] of [
    ['messages', 'value'],
    ['gemini', 'value'],
  ] as const) {
    const { path, body } = requests[client]('n/chat', false);
    expect(await (await relay.post(path, body)).text()).toContain(`{"${member}":${digits}}`);
  }
  give(written(gemini));
  const { path, body } = requests.chat('n/gemini', false);
  await relay.post(path, JSON.parse(alone(body)));
  expect(sent).toContain(`"response":{"result":${digits}}`);
});

test('a number that is none of a tool’s is read as before', async () => {
  give(written(wholes.messages));
  const { path, body } = requests.messages('n/messages', false);
  const { config, app } = relay.test;
  const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
  const text = JSON.stringify({ ...(body as Json), temperature: 'T' }).replace('"T"', '0.69999999999999996');
  const answer = await app.fetch(
    new Request(config.baseUrl + path, {
      method: 'POST',
      headers,
      body: text.replace('"integer"', `"integer","maximum":${digits}`),
    }),
  );
  expect(answer.status).toBe(200);
  expect(JSON.parse(sent)).toMatchObject({ temperature: 0.7 });
  expect(sent).toContain('"maximum":9007199254740992');
});
