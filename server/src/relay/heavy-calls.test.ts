/**
 * Arguments and results of tools are JSON within strings. Vendors that take objects have them parsed, at once: the shape of
 * the body says nothing about them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { buildContents } from './providers/gemini/content.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import { parseChatRequest } from './wire/chat/request.ts';

const numbers = `{"a":[${'1,'.repeat(400_000)}1]}`;
const called = { id: 'c1', type: 'function', function: { name: 'f', arguments: numbers } };
const asked = { role: 'user', content: 'hi' };

/** Requests whose earlier tool calls have these arguments, in every format that has them as text. */
const requests: [path: string, body: object][] = [
  ...['/v1/chat/completions', '/v2/chat'].map((path): [string, object] => [
    path,
    {
      max_tokens: 10,
      messages: [
        asked,
        { role: 'assistant', tool_calls: [called] },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      ],
    },
  ]),
  ...['/v1/responses', '/v1/responses/input_tokens'].map((path): [string, object] => [
    path,
    {
      input: [
        asked,
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: numbers },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      ],
    },
  ]),
];

let relay: RelayTest;
let upstream: ScriptedUpstream;
const kinds = ['openai', 'anthropic', 'gemini'];
beforeAll(async () => {
  relay = await openRelayTest();
  upstream = scriptedUpstream(() => new Response('', { status: 500 }));
  for (const kind of kinds)
    await addUpstream(relay.test, upstream.url, [{ model_id: `free/${kind}` }], { name: kind, kind });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

describe.each(kinds)('a model of kind %s', (kind) => {
  test.each(requests)('%s: arguments that take long to parse are refused', async (path, body) => {
    const answer = await relay.post(path, { model: `free/${kind}`, ...body });
    expect(await answer.text()).toContain('The arguments of tool calls are too large to be read as JSON.');
    expect(answer.status).toBe(400);
    expect(upstream.seen).toEqual([]);
  });
});

describe('signatures of thoughts that take long to read are refused', () => {
  const sealed = (json: string) => Buffer.from(`svc-thoughts${json}`).toString('base64');
  const repeated = (text: string, count: number) => `[${Array.from({ length: count }, () => text).join(',')}]`;
  const names = `[{${Array.from({ length: 80_000 }, (_, i) => `"${i}":1`).join(',')}}]`;
  const signed = (...values: string[]) => values.map((value) => ({ text: 'ok', thoughtSignature: sealed(value) }));

  test.each<[string, object[]]>([
    ['many', signed(repeated('{"data":"a"}', 400_000))],
    ['many in all', signed(...Array.from({ length: 100 }, () => repeated('{"data":"a"}', 4_000)))],
    ['many names', signed(names)],
    ['in the other spelling', [{ text: 'ok', thought_signature: sealed(repeated('{}', 400_000)) }]],
    ['in a result', [{ functionResponse: { name: 'f', response: {}, parts: signed(repeated('{}', 400_000)) } }]],
  ])('%s', async (_, parts) => {
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts },
    ];
    const answer = await relay.post('/v1beta/models/free/anthropic:generateContent', { contents });
    expect(await answer.text()).toContain('too many thoughts');
    expect(answer.status).toBe(400);
  });
});

test('results that take long to parse stay text for Gemini', () => {
  const result = (content: string) => {
    const messages = [
      asked,
      { role: 'assistant', tool_calls: [{ ...called, function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content },
    ];
    return buildContents(parseChatRequest({ model: 'm', messages }), 'gemini-3-pro').at(-1)!.parts;
  };
  expect(result('{"a":1}')).toEqual([{ functionResponse: { name: 'f', response: { a: 1 } } }]);
  expect(result(numbers)).toEqual([{ functionResponse: { name: 'f', response: { result: numbers } } }]);
});
