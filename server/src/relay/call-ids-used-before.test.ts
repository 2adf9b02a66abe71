/** Servers that count the calls of each answer from zero: clients tell calls apart by id, also those of earlier turns. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { requests, streams, wholes, written } from './exact-arguments.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

let relay: RelayTest;
let upstream: ScriptedUpstream;
/** What the upstream answers with. */
let given = '';

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(() => new Response(given));
  await addUpstream(relay.test, upstream.url, [{ model_id: 'acme/counts', model_name: 'up' }]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

type Client = 'chat' | 'messages' | 'responses';
const clients: Client[] = ['chat', 'messages', 'responses'];
const ways = ['whole', 'streamed', 'streamed, with the id in each piece', 'whole where events were asked for'];

const finished = (ids: string[]): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'find', arguments: '{"user":1}' } })),
      },
      finish_reason: 'tool_calls',
    },
  ],
});
const pieces = (ids: string[]): string =>
  ids
    .flatMap((id, index) => [
      { index, id, type: 'function', function: { name: 'find', arguments: '{"user"' } },
      { index, id, function: { arguments: ':1}' } },
    ])
    .map((piece) => ({ ...finished([]), choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }] }))
    .concat({ ...finished([]), choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] } as never)
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join('');
const answers: Record<string, (ids: string[]) => string> = {
  whole: (ids) => JSON.stringify(finished(ids)),
  streamed: (ids) => pieces(ids).replaceAll(/("index":\d,)"id":"[^"]*",("function")/g, '$1$2'),
  'streamed, with the id in each piece': pieces,
  'whole where events were asked for': (ids) => JSON.stringify(finished(ids)),
};

/** The ids of calls in an answer; `call_1` stands in the history. */
async function idsTold(client: Client, way: string, ids: string[]): Promise<string[]> {
  given = answers[way]!(ids);
  const { path, body } = requests[client]('acme/counts', way !== 'whole');
  const text = await (await relay.post(path, JSON.parse(written(body)))).text();
  expect(text).toMatch(/find/);
  const name = client === 'responses' ? 'call_id' : 'id';
  const shown =
    client === 'messages' ? /"type":"tool_use","id":"([^"]*)"/g : new RegExp(`"${name}":"(call_[^"]*)"`, 'g');
  return [...new Set([...text.matchAll(shown)].map(([, id]) => id!))];
}

for (const client of clients)
  test.each(ways)(`a client of ${client} gets an id of its own for each call, %s`, async (way) => {
    const [first, second, ...more] = await idsTold(client, way, ['call_1', 'call_2']);
    expect(more).toEqual([]);
    expect(first).toMatch(/^call_\w{20}$/);
    expect(second).toBe('call_2');
  });

test.each([false, true])('reasoning stays with its call, streamed: %p', async (stream) => {
  const details = [{ type: 'reasoning.encrypted', data: 'sealed', id: 'call_1', format: 'google-gemini-v1', index: 0 }];
  const { choices, ...head } = finished(['call_1']) as Json & { choices: { message: Json }[] };
  const [{ message }] = choices as [{ message: Json }];
  given = stream
    ? `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { reasoning_details: details }, finish_reason: null }] })}\n\n${pieces(['call_1'])}`
    : JSON.stringify({ ...head, choices: [{ ...choices[0], message: { ...message, reasoning_details: details } }] });
  const { path, body } = requests.chat('acme/counts', stream);
  const text = await (await relay.post(path, JSON.parse(written(body)))).text();
  const ids = [...text.matchAll(/"id":"(call_[^"]*)"/g)].map(([, id]) => id);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).not.toBe('call_1');
});

test('the fixtures of the history name such a call', () => {
  expect(written(requests.chat('m', false).body)).toContain('"tool_call_id":"call_1"');
  expect(streams.chat()).toContain('"id":"call_1"');
  expect(written(wholes.chat)).toContain('"id":"call_1"');
});
