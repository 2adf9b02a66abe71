/** Conversations as OpenAI's clients write them, for vendors of this format that check more than OpenAI does. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { vendorOf } from '../../../lib/vendors/find-vendor.ts';
import { vendors } from '../../../lib/vendors/table.ts';
import { renderChatAnswer } from '../../wire/chat/answer.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { openaiKind } from '../openai.ts';

const target = (provider: string) => ({
  ...{ baseUrl: vendors.find(({ id }) => id === provider)!.baseUrl, provider },
  ...{ credential: 'c', modelName: 'm-1' },
});
const sent = (body: Json, provider: string) =>
  JSON.parse(openaiKind.toUpstream(parseChatRequest({ model: 'm', ...body }), target(provider)).body as string);

/** What Mistral refuses, as its own library checks it before it serves a model. */
function mistralRefuses(messages: Json[]): string | null {
  const known: Record<string, string> = {
    ...{ system: 'role content', user: 'role content', assistant: 'role content tool_calls prefix' },
    tool: 'role content tool_call_id name',
  };
  const after: Record<string, string> = {
    user: 'assistant user',
    assistant: 'assistant user tool',
    tool: 'assistant tool',
  };
  let open = new Set<unknown>();
  for (const [i, message] of messages.entries()) {
    const role = String(message.role);
    const extra = Object.keys(message).find((name) => !known[role]!.split(' ').includes(name));
    if (extra) return `extra_forbidden ${role}.${extra}`;
    const before = String(messages[i - 1]?.role ?? 'system');
    if (before !== 'system' && !after[before]!.split(' ').includes(role))
      return `Unexpected role ${role} after ${before}`;
    const ids = role === 'tool' ? [message.tool_call_id] : ((message.tool_calls ?? []) as Json[]).map(({ id }) => id);
    const strange = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(`${id}`));
    if (strange !== undefined) return `Tool call id was ${strange}`;
    if (role === 'tool' && !open.delete(message.tool_call_id)) return 'Unexpected tool call id in tool results';
    if (role === 'assistant') {
      if (open.size > 0) return 'Not the same number of function calls and responses';
      if (!message.content && ids.length === 0) return 'Assistant message must have either content or tool_calls';
      open = new Set(ids);
      if (open.size < ids.length) return 'Duplicate tool call id';
    }
  }
  const last = messages.at(-1)!;
  return last.role === 'assistant' && last.prefix !== true ? 'Expected last role User or Tool' : null;
}

const words = fc.constantFrom('Yes.', '', 'It is');
const id = fc.oneof(fc.uuid(), fc.constantFrom('abcDEF123', 'toolu_01AbC', 'functions.f:0', 'call_0', 'é'));

/** An answer, with its calls and their results, and what the user says next. */
const exchange = fc
  .record({
    content: fc.option(words),
    ids: fc.uniqueArray(id, { maxLength: 3 }),
    beside: fc.subarray(['refusal', 'annotations', 'reasoning_content', 'name']),
    next: fc.array(fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content: words }), {
      maxLength: 2,
    }),
  })
  .map(({ content, ids, beside, next }) => [
    {
      ...{ role: 'assistant', content },
      ...Object.fromEntries(beside.map((name) => [name, name === 'annotations' ? [] : 'x'])),
      ...(ids.length > 0 && {
        tool_calls: ids.map((one) => ({ id: one, type: 'function', function: { name: 'f', arguments: '{}' } })),
      }),
    },
    ...ids.toReversed().map((tool_call_id) => ({ role: 'tool', tool_call_id, content: '4' })),
    ...next,
  ]);

test('every conversation is one that Mistral takes', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 4 }), (exchanges) => {
      const user = { role: 'user', name: 'ann', content: [{ type: 'text', text: 'Hi', cache_control: {} }] };
      const { messages } = sent({ messages: [user, ...exchanges.flat()] }, 'mistral');
      expect(mistralRefuses(messages)).toBeNull();
    }),
    { numRuns: 300 },
  );
});

test('ids of calls stay together with those of results, and Mistral’s own stay', () => {
  const call = (one: string) => ({ id: one, type: 'function', function: { name: 'f', arguments: '{}' } });
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call('abcDEF123'), call('toolu_01')] },
    { role: 'tool', tool_call_id: 'toolu_01', content: 'b' },
    { role: 'tool', tool_call_id: 'abcDEF123', content: 'a' },
  ];
  const [, answer, one, other] = sent({ messages }, 'mistral').messages;
  expect(answer.tool_calls.map((made: Json) => made.id)).toEqual([other.tool_call_id, one.tool_call_id]);
  expect(other.tool_call_id).toBe('abcDEF123');
});

test('a user who speaks beside the results speaks after them', () => {
  const content = [
    { type: 'tool_result', tool_use_id: 'a', content: '4' },
    { type: 'text', text: 'And now?' },
  ];
  const conversation = parseMessagesRequest({
    ...{ model: 'm', max_tokens: 9 },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content },
      { role: 'assistant', content: 'Now' },
    ],
  });
  const { messages } = JSON.parse(openaiKind.toUpstream(conversation, target('mistral')).body as string);
  expect(mistralRefuses(messages)).toBeNull();
  expect(messages.at(-2)).toEqual({ role: 'user', content: 'And now?' });
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'Now', prefix: true });
});

test.each(['groq', 'cerebras', 'fireworks', 'mistral'])(
  'an answer that is sent back has only members known to %s',
  (to) => {
    const message = renderChatAnswer(
      {
        ...{ id: 'c', model: 'm', finish: 'tool_calls', reasoningFormat: 'google-gemini-v1' },
        parts: [
          { type: 'thinking', text: 'Hm.', signature: 'gemini#c2ln' },
          {
            type: 'text',
            text: 'See',
            cited: [{ type: 'citation', start: 0, end: 3, url: 'https://a.example', title: 'A' }],
          },
          { type: 'tool_call', id: 'abcDEF123', name: 'f', arguments: '{}', signature: 'gemini#c2ln' },
        ],
      },
      { model: 'm', id: 'c', created: 1 },
    ).choices as { message: Json }[];
    const given = { ...message[0]!.message, annotations: [{ type: 'url_citation' }], audio: null, function_call: null };
    const result = { role: 'tool', tool_call_id: 'abcDEF123', content: '4' };
    const [, answer] = sent({ messages: [{ role: 'user', content: 'Hi' }, given, result] }, to).messages;
    const known = ['role', 'content', 'tool_calls', ...vendorOf(to, '').reasoningBack];
    expect(Object.keys(answer).filter((name) => !known.includes(name))).toEqual([]);
    expect(answer.content).toBe('See');
    expect(answer.tool_calls).toEqual([
      { id: 'abcDEF123', type: 'function', function: { name: 'f', arguments: '{}' } },
    ]);
  },
);

test('a refusal that is sent back is what was said', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, refusal: 'No.' },
    { role: 'user', content: 'Please' },
  ];
  expect(sent({ messages }, 'mistral').messages[1]).toEqual({ role: 'assistant', content: 'No.' });
});

test('user and assistant take turns for vendors that insist on it', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'One' },
    { role: 'user', content: 'two' },
    { role: 'user', content: [image] },
    { role: 'assistant', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'three' },
  ];
  expect(sent({ messages }, 'perplexity').messages).toEqual([
    messages[0],
    { role: 'user', content: [{ type: 'text', text: 'One' }, { type: 'text', text: 'two' }, image] },
    { role: 'assistant', content: 'a\n\nb' },
    messages[6],
  ]);
});

test('a seed and a temperature are said as the vendor knows them', () => {
  const asked = { messages: [{ role: 'user', content: 'Hi' }], seed: 7, temperature: 2 };
  expect(sent(asked, 'mistral')).toMatchObject({ random_seed: 7, temperature: 1.5 });
  expect(sent(asked, 'mistral')).not.toHaveProperty('seed');
  expect(sent(asked, 'cohere')).toMatchObject({ seed: 7, temperature: 1 });
  expect(sent(asked, 'openai')).toMatchObject({ seed: 7, temperature: 2 });
});

test.each(['deepseek', 'zai'])('a schema is said in words to %s, which only knows JSON', (to) => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } };
  const asked = { messages: [{ role: 'user', content: 'Hi' }], response_format };
  const body = sent(asked, to);
  expect(body.response_format).toEqual({ type: 'json_object' });
  expect(body.messages[0].role).toBe('system');
  expect(body.messages[0].content).toContain(JSON.stringify(schema));
  expect(body.messages.slice(1)).toEqual(asked.messages);
  expect(sent(asked, 'openai')).toMatchObject(asked);
  expect(sent({ ...asked, response_format: { type: 'json_object' } }, to).messages).toEqual(asked.messages);
});

test.each(['deepseek', 'moonshot'])('where tools were called, every answer comes to %s with thoughts', (to) => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const user = { role: 'user', content: 'Hi' };
  const asked = [
    user,
    { role: 'assistant', content: 'Let me see.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: '4' },
    { role: 'assistant', content: 'Four.', reasoning_content: 'Two and two.' },
    user,
    { role: 'assistant', content: 'Well?' },
    user,
  ];
  const thoughts = (messages: Json[]) =>
    messages.filter(({ role }) => role === 'assistant').map((message) => message.reasoning_content);
  expect(thoughts(sent({ messages: asked }, to).messages)).toEqual(['.', 'Two and two.', '.']);
  expect(thoughts(sent({ messages: asked, thinking: { type: 'disabled' } }, to).messages)).toEqual([
    ...[undefined, 'Two and two.', undefined],
  ]);
  expect(thoughts(sent({ messages: asked.slice(4) }, to).messages)).toEqual([undefined]);
});
