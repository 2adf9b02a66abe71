import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../lib/errors.ts';
import { anthropicKind } from '../../providers/anthropic.ts';
import { openaiKind } from '../../providers/openai.ts';
import type { Json } from '../conversation.ts';
import { renderMessagesAnswer } from '../messages/answer.ts';
import { RelayStream } from '../relay-stream.ts';
import { renderChatAnswer } from './answer.ts';

interface Made {
  name: string;
  args: Json;
}
interface Named extends Made {
  id: string;
}

/** How servers write the calls of a stream: the lists of pieces, one for each chunk. */
const styles: Record<string, (calls: Named[]) => Json[][]> = {
  'in indexed pieces': (calls) =>
    calls.flatMap(({ id, name, args }, index) => [
      [{ index, id, type: 'function', function: { name, arguments: '' } }],
      ...pieces(args).map((piece) => [{ index, function: { arguments: piece } }]),
    ]),
  'in interleaved pieces': (calls) => [
    calls.map(({ id, name }, index) => ({ index, id, type: 'function', function: { name, arguments: '' } })),
    ...calls.flatMap(({ args }, index) => pieces(args).map((piece) => [{ index, function: { arguments: piece } }])),
  ],
  'with id and name on every piece': (calls) =>
    calls.flatMap(({ id, name, args }, index) =>
      pieces(args).map((piece) => [{ index, id, type: 'function', function: { name, arguments: piece } }]),
    ),
  'with another id on every piece': (calls) =>
    calls.flatMap(({ id, name, args }, index) => [
      [{ index, id, type: 'function', function: { name, arguments: '' } }],
      ...pieces(args).map((piece, i) => [{ index, id: `${id}-${i}`, function: { name: null, arguments: piece } }]),
    ]),
  'whole, all with index 0': (calls) =>
    calls.map(({ id, name, args }) => [
      { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
    ]),
  'whole, without indexes': (calls) =>
    calls.map(({ id, name, args }) => [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }]),
  'whole in one chunk, without indexes': (calls) => [
    calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })),
  ],
  'whole, without indexes and ids': (calls) =>
    calls.map(({ name, args }) => [{ function: { name, arguments: JSON.stringify(args) } }]),
  'with arguments as objects': (calls) =>
    calls.map(({ id, name, args }, index) => [{ index, id, type: 'function', function: { name, arguments: args } }]),
  'with arbitrary indexes': (calls) =>
    calls.map(({ id, name, args }, i) => [
      { index: 1_000_000 - i, id, type: null, function: { name, arguments: JSON.stringify(args) } },
    ]),
};

const pieces = (args: Json): string[] => JSON.stringify(args).match(/.{1,4}/gs)!;

const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 7, model: 'up', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

function relayed(client: 'chat' | 'messages', chunks: string[]): Json[] {
  const stream = new RelayStream({
    ...{ client, upstream: 'chat', decode: openaiKind.decoder(), model: 'public/name', id: 'x', created: 1 },
    includeUsage: true,
  });
  const out = [stream.push(Buffer.from(chunks.join(''))), stream.end().tail];
  return dataOf(out.map((bytes) => (bytes ? Buffer.from(bytes).toString() : '')).join(''));
}

const dataOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));

// biome-ignore lint/suspicious/noExplicitAny: chunks are read as clients read them, field by field
type Loose = any;

/** As the official client puts a stream together: by number, which must be there. */
function callsOfChat(chunks: Loose[]): { calls: Made[]; ids: string[]; finish: string } {
  const calls: { id: string; name: string; text: string }[] = [];
  let finish = '';
  for (const { choices } of chunks)
    for (const { delta, finish_reason } of choices) {
      finish = finish_reason ?? finish;
      for (const { index, id, type, function: called } of delta.tool_calls ?? []) {
        if (calls[index] === undefined) expect({ id, type }).toEqual({ id: expect.any(String), type: 'function' });
        calls[index] ??= { id, name: called.name, text: '' };
        expect(called.arguments).toBeString();
        calls[index].text += called.arguments;
      }
    }
  return {
    calls: calls.map(({ name, text }) => ({ name, args: JSON.parse(text) })),
    ids: calls.map(({ id }) => id),
    finish,
  };
}

function callsOfMessages(events: Loose[]): { calls: Made[]; ids: string[] } {
  const blocks: { id: string; name: string; text: string }[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') blocks[index] = { ...content_block, text: '' };
    if (type === 'content_block_delta') blocks[index]!.text += delta.partial_json;
  }
  return {
    calls: blocks.map(({ name, text }) => ({ name, args: JSON.parse(text) })),
    ids: blocks.map(({ id }) => id),
  };
}

const made = fc.array(
  fc.record({ name: fc.constantFrom('f', 'g', 'look_up'), args: fc.dictionary(fc.string(), fc.jsonValue()) }),
  { minLength: 1, maxLength: 4 },
);
const named = made.map((calls) =>
  calls.map((call, i): Named => ({ ...JSON.parse(JSON.stringify(call)), id: `id${i}` })),
);
const bare = (calls: Named[]): Made[] => calls.map(({ name, args }) => ({ name, args }));

describe.each(Object.keys(styles))('tool calls that a server streams %s', (style) => {
  const streamOf = (calls: Named[]) => [
    chunk({ role: 'assistant', content: null }),
    ...styles[style]!(calls).map((tool_calls) => chunk({ tool_calls })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];

  test('reach a client of the same format correctly', () => {
    fc.assert(
      fc.property(named, (calls) => {
        const read = callsOfChat(relayed('chat', streamOf(calls)));
        expect(read.calls).toEqual(bare(calls));
        expect(new Set(read.ids).size).toBe(calls.length);
        expect(read.finish).toBe('tool_calls');
      }),
    );
  });

  test('reach a client of another format correctly', () => {
    fc.assert(
      fc.property(named, (calls) => {
        const read = callsOfMessages(relayed('messages', streamOf(calls)));
        expect(read.calls).toEqual(bare(calls));
        expect(new Set(read.ids).size).toBe(calls.length);
      }),
    );
  });
});

describe('a whole answer', () => {
  const answerOf = (message: Json, finish_reason: string | null = 'stop') => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const answer = openaiKind.fromUpstream({ choices: [{ message, finish_reason }], usage });
    const chat: Loose = renderChatAnswer(answer, { model: 'public/name', id: 'made', created: 5 });
    const messages: Loose = renderMessagesAnswer(answer, { model: 'public/name', id: 'made' });
    return { chat, messages };
  };
  const called = { role: 'assistant', content: null };

  test('has all required fields even if the server omits them', () => {
    const { chat } = answerOf({ role: 'assistant', content: 'hi' }, null);
    expect(chat).toMatchObject({ id: 'made', object: 'chat.completion', created: 5, model: 'public/name' });
    expect(chat.choices).toEqual([{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }]);
  });

  test.each([
    ['arguments as an object', { id: 'a', type: 'function', function: { name: 'f', arguments: { n: 1 } } }],
    ['no id', { type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
    ['no type', { id: 'a', function: { name: 'f', arguments: '{"n":1}' } }],
  ])('with a call that has %s is read correctly', (_, call) => {
    const { chat, messages } = answerOf({ ...called, tool_calls: [call] });
    const [choice] = chat.choices;
    expect(choice.finish_reason).toBe('tool_calls');
    expect(choice.message.tool_calls).toEqual([
      { id: expect.stringMatching(/./), type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
    ]);
    expect(messages.content).toEqual([
      { type: 'tool_use', id: expect.stringMatching(/./), name: 'f', input: { n: 1 } },
    ]);
  });

  test('with thinking among its content parts returns it in the usual field', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const { chat, messages } = answerOf({ ...called, content: [thinking, { type: 'text', text: 'hi' }] });
    expect(chat.choices[0].message).toEqual({ role: 'assistant', content: 'hi', reasoning_content: 'hm' });
    expect(messages.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'hi' },
    ]);
  });
});

const ending = { index: 0, delta: {}, finish_reason: 'stop' };

describe('a stream', () => {
  test('with content in parts becomes text and thinking', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const chunks = relayed('chat', [
      chunk({ content: [thinking] }),
      chunk({ content: [{ type: 'text', text: 'hi' }] }),
      chunk({}, 'stop'),
    ]) as Loose[];
    expect(chunks.map(({ choices }) => choices[0].delta)).toEqual([
      { content: '', reasoning_content: 'hm' },
      { content: 'hi' },
      {},
    ]);
  });

  test('always has lists as choices', () => {
    const chunks = relayed('chat', ['data: {"id":"c","choices":null}\n\n', chunk({ content: 'a' }), chunk({}, 'stop')]);
    expect(chunks.every(({ choices }) => Array.isArray(choices))).toBe(true);
  });

  test('has one id and one timestamp, also in the usage chunk', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const told = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
    const chunks = relayed('chat', [chunk({ content: 'a' }), chunk({}, 'stop'), told, 'data: [DONE]\n\n']);
    expect(chunks.at(-1)).toMatchObject({ usage });
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`))).toEqual(new Set(['c 7']));
  });

  test('that is interrupted reports the error under its id', () => {
    const stream = new RelayStream({
      ...{ client: 'chat', upstream: 'chat', decode: openaiKind.decoder(), model: 'm', id: 'x', created: 1 },
      includeUsage: false,
    });
    const failed = () => dataOf(Buffer.from(stream.fail(new AppError('provider_error', 'gone'))).toString());
    expect(failed()).toMatchObject([{ id: 'x', created: 1, error: { message: 'gone' } }]);
    stream.push(Buffer.from(chunk({ content: 'a' })));
    expect(failed()).toMatchObject([{ id: 'c', created: 7, choices: [{ finish_reason: 'error' }] }]);
  });

  test.each<[string, Json]>([
    ['in a separate chunk', { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    ['with the finish reason', { choices: [ending], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    ['in the final choice', { choices: [{ ...ending, usage: { prompt_tokens: 1, completion_tokens: 2 } }] }],
    ['in a vendor field', { choices: [ending], x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }],
  ])('that reports usage %s is charged by it and returns it once, at the end', (_, told) => {
    const stream = new RelayStream({
      ...{ client: 'chat', upstream: 'chat', decode: openaiKind.decoder(), model: 'm', id: 'x', created: 1 },
      includeUsage: true,
    });
    const events = [
      chunk({ content: 'a' }),
      chunk({}, 'stop'),
      `data: ${JSON.stringify(told)}\n\n`,
      'data: [DONE]\n\n',
    ];
    const chunks = dataOf(Buffer.from(stream.push(Buffer.from(events.join('')))!).toString());
    expect(stream.summary().usage).toMatchObject({ promptTokens: 1, completionTokens: 2 });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 3 } });
    expect(chunks.filter((one) => JSON.stringify(one).includes('"usage"') && one.x_groq === undefined)).toHaveLength(1);
  });

  test('of several choices with JSON each is well formed', () => {
    const said = (index: number, delta: Json, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"n":1}' } }] };
    for (const delta of [{ content: '{"n":1}' }, call]) {
      const stream = new RelayStream({
        ...{ client: 'chat', upstream: 'chat', decode: openaiKind.decoder(), model: 'm', id: 'x', created: 1 },
        ...{ includeUsage: false, expectsJson: true },
      });
      stream.push(Buffer.from(said(0, delta) + said(1, delta) + said(1, {}, 'stop') + said(0, {}, 'stop')));
      expect(stream.end().summary).toMatchObject({ complete: true, wellFormed: true });
    }
  });

  test.each([
    ['chat', openaiKind, [chunk({ content: 'a' }), chunk({}, 'stop')]],
    [
      'messages',
      anthropicKind,
      [
        { type: 'message_start', message: { id: 'msg_up', model: 'up' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      ].map((event) => `data: ${JSON.stringify(event)}\n\n`),
    ],
  ] as const)('from a %s upstream without usage has the same id in our usage chunk', (upstream, kind, chunks) => {
    const stream = new RelayStream({
      ...{ client: 'chat', upstream, decode: kind.decoder(), model: 'public/name', id: 'x', created: 1 },
      includeUsage: true,
    });
    const text = (bytes: Uint8Array | null): string => (bytes ? Buffer.from(bytes).toString() : '');
    const first = text(stream.push(Buffer.from(chunks.join(''))));
    const last = stream.withUsage(stream.end().tail!, { promptTokens: 1, completionTokens: 2 });
    const told = dataOf(first + text(last));
    expect(told.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 3 } });
    expect(new Set(told.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
  });
});
