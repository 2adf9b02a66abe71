import { expect, test } from 'bun:test';
import type { Json } from '../server/src/relay/wire/conversation.ts';
import type { Kind } from './relay-replies.ts';
import { strictVendor } from './vendor-rules.ts';

const statusOf = async (kind: Kind, body: Json): Promise<number> => {
  const headers = new Headers({ 'anthropic-version': '2023-06-01' });
  const asked = { method: 'POST', path: '/', headers, body, aborted: false, sent: 0 };
  return (await strictVendor(kind, () => new Response('taken'))(asked)).status;
};

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const use = { type: 'tool_use', id: 'call_1', name: 'weather', input: {} };
const hi = { role: 'user', content: 'hi' };
const asksFor = { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] };
const says = { role: 'user', parts: [{ text: 'hi' }] };
const declares = (parameters: Json): Json[] => [{ functionDeclarations: [{ name: 'weather', parameters }] }];

const cases: [Kind, string, Json, number][] = [
  ['openai', 'a chat', { model: 'm', messages: [hi] }, 200],
  ['openai', 'an unknown field', { model: 'm', messages: [hi], top_k: 1 }, 400],
  ['openai', 'a call without its result', { messages: [hi, { role: 'assistant', tool_calls: [call] }, hi] }, 400],
  [
    'openai',
    'a result without its call',
    { messages: [hi, { role: 'tool', tool_call_id: 'call_1', content: '' }] },
    400,
  ],
  ['anthropic', 'a chat', { model: 'm', max_tokens: 9, messages: [hi] }, 200],
  [
    'anthropic',
    'instructions after the first message',
    { max_tokens: 9, messages: [hi, { role: 'system', content: 'Be kind.' }] },
    200,
  ],
  ['anthropic', 'an unknown role', { max_tokens: 9, messages: [hi, { role: 'tool', content: 'x' }] }, 400],
  ['anthropic', 'a missing max_tokens', { model: 'm', messages: [hi] }, 400],
  ['anthropic', 'an unknown field', { max_tokens: 9, messages: [hi], seed: 1 }, 400],
  [
    'anthropic',
    'an empty text',
    { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
    400,
  ],
  [
    'anthropic',
    'a call without its result',
    { max_tokens: 9, messages: [hi, { role: 'assistant', content: [use] }, hi] },
    400,
  ],
  ['gemini', 'a chat', { contents: [says], tools: declares({ type: 'object' }) }, 200],
  ['gemini', 'an unknown field', { contents: [says], stream: true }, 400],
  ['gemini', 'an unsupported schema keyword', { contents: [says], tools: declares({ $schema: 'x' }) }, 400],
  ['gemini', 'a call without its result', { contents: [says, asksFor, says] }, 400],
];

test.each(cases)('the %s stand-in responds like the vendor to %s', async (kind, _, body, status) => {
  expect(await statusOf(kind, body)).toBe(status);
});
