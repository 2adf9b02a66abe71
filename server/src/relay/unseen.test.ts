import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import {
  addUpstream,
  breakAfter,
  chatPiece,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
} from './scripted-upstream.fixture.ts';

/** A stream that fails before anything in it could be seen is the next candidate's; one that has finished is whole. */
let relay: RelayTest;
let failing: ScriptedUpstream;
let sound: ScriptedUpstream;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  failing = scriptedUpstream();
  sound = scriptedUpstream(() => new Response(chatPiece({ content: 'from the second' }) + chatPiece({}, 'stop')));
});

let models = 0;
/** A model with circuits of its own, at two providers. */
async function newModel(kind: string): Promise<string> {
  const model_id = `unseen/${models++}`;
  const url = kind === 'gemini' ? failing.url.replace('/v1', '') : failing.url;
  await addUpstream(relay.test, url, [{ model_id }], { provider: 'first', kind });
  await addUpstream(relay.test, sound.url, [{ model_id }], { provider: 'second' });
  return model_id;
}
afterAll(async () => {
  await failing.close();
  await sound.close();
  await relay.close();
});

const named = (data: { type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const part = (value: object): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [value] } }] })}\n\n`;

const role = chatPiece({ role: 'assistant', content: '' });
const head = named({
  type: 'message_start',
  message: { id: 'm', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
});
const block = named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });

const headers = { 'content-type': 'text/event-stream' };
const closes =
  (text: string): Script =>
  () =>
    new Response(text, { headers });
const breaks = (text: string): Script => breakAfter([new TextEncoder().encode(text)], headers);

const unseen: [string, 'openai' | 'anthropic' | 'gemini', Script][] = [
  ['a role, then a clean end', 'openai', closes(role)],
  ['a role, then a break', 'openai', breaks(role)],
  ['a role, then an error', 'openai', closes(`${role}data: {"error":{"message":"boom","code":500}}\n\n`)],
  ['empty deltas, then an end marker without a finish reason', 'openai', closes(`${role}${role}data: [DONE]\n\n`)],
  ['a role and empty thinking', 'openai', closes(`${role}${chatPiece({ reasoning_content: '', tool_calls: [] })}`)],
  ['message_start, then a break', 'anthropic', breaks(head)],
  [
    'content_block_start, then an error',
    'anthropic',
    closes(head + block + named({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })),
  ],
  ['content_block_start and a ping, then an end', 'anthropic', closes(head + block + named({ type: 'ping' }))],
  ['an empty part, then an end', 'gemini', closes(part({ text: '' }))],
];

const ask = (model: string, provider: unknown, path = '/v1/chat/completions') =>
  relay.post(path, { model, provider, stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] });

for (const path of ['/v1/chat/completions', '/v1/messages'])
  for (const [name, kind, script] of unseen)
    test(`${path}: ${name}: falls back to the next candidate`, async () => {
      failing.answer(script);
      const before = failing.seen.length;
      const text = await (await ask(await newModel(kind), { order: ['first', 'second'] }, path)).text();
      expect(failing.seen.length).toBe(before + 1);
      expect(text.match(/from the second/g)).toHaveLength(1);
      expect(text).not.toContain('error');
    });

test('no fallback after output was sent', async () => {
  failing.answer(closes(role + chatPiece({ content: 'half' })));
  const text = await (await ask(await newModel('openai'), { order: ['first', 'second'] })).text();
  expect(text).toContain('half');
  expect(text).toContain('"finish_reason":"error"');
  expect(text).not.toContain('from the second');
});

test('a finished stream without its end marker is complete', async () => {
  failing.answer(closes(role + chatPiece({ content: 'all' }) + chatPiece({}, 'stop')));
  const text = await (await ask(await newModel('openai'), { only: ['first'] })).text();
  expect(text).toContain('all');
  expect(text).not.toContain('error');
  expect(text).toEndWith('data: [DONE]\n\n');
});
