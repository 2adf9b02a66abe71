import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { anthropicKind } from '../providers/anthropic.ts';
import { geminiKind } from '../providers/gemini.ts';
import type { ProviderKind } from '../providers/kind.ts';
import { openaiKind } from '../providers/openai.ts';
import { RelayStream } from './relay-stream.ts';
import type { RelayStreamOptions } from './renderers.ts';
import type { AnswerSummary } from './watch.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const chunk = (delta: object, rest: object = {}, top: object = {}): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-up',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'gpt-4o-2024-08-06',
    ...top,
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  })}\n\n`;
const usageChunk = `data: ${JSON.stringify({
  id: 'chatcmpl-up',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'gpt-4o-2024-08-06',
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
})}\n\n`;
const done = 'data: [DONE]\n\n';
const plain = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hé' }),
  chunk({ content: 'llo' }),
  chunk({}, { finish_reason: 'stop' }),
];

const named = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const anthropicStream = [
  named({
    type: 'message_start',
    message: {
      id: 'msg_up',
      model: 'claude-sonnet-4-5',
      usage: { input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 1 },
    },
  } as never),
  named({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  } as never),
  named({ type: 'ping' }),
  named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } } as never),
  named({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'Eq0B+/x==' } } as never),
  named({ type: 'content_block_stop', index: 0 } as never),
  named({
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
  } as never),
  named({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } } as never),
  named({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '1}' } } as never),
  named({ type: 'content_block_stop', index: 1 } as never),
  named({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 12 },
  } as never),
  named({ type: 'message_stop' }),
];

interface Run {
  out: string;
  summary: AnswerSummary;
  output: string;
  stream: RelayStream;
}

function run(
  kind: ProviderKind,
  frames: string[],
  options: Partial<RelayStreamOptions> = {},
  cuts: number[] = [],
): Run {
  let output = '';
  const stream = new RelayStream({
    client: 'chat',
    upstream: kind.wire,
    decode: kind.decoder(),
    model: 'openai/gpt-4o',
    id: 'chatcmpl-ours',
    created: 1,
    includeUsage: false,
    onOutput: (text) => {
      output += text;
    },
    ...options,
  });
  const bytes = encoder.encode(frames.join(''));
  const out: Uint8Array[] = [];
  let at = 0;
  for (const cut of [...cuts.filter((c) => c < bytes.length).sort((a, b) => a - b), bytes.length]) {
    const piece = stream.push(bytes.slice(at, cut));
    if (piece) out.push(piece);
    at = cut;
  }
  const { tail, summary } = stream.end();
  if (tail) out.push(tail);
  return { out: decoder.decode(Buffer.concat(out)), summary, output, stream };
}

const datas = (out: string): unknown[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice(6)));

describe('chat upstream, chat client', () => {
  test('bytes are forwarded with only the model changed', () => {
    const { out, summary, output } = run(openaiKind, [...plain, done]);
    expect(out).toBe([...plain, done].join('').replaceAll('gpt-4o-2024-08-06', 'openai/gpt-4o'));
    expect(summary).toMatchObject({ complete: true, hasOutput: true, finish: 'stop', model: 'gpt-4o-2024-08-06' });
    expect(output).toBe('Héllo');
  });

  test('a model that already has the right name is not changed', () => {
    const { out } = run(openaiKind, [...plain, done], { model: 'gpt-4o-2024-08-06' });
    expect(out).toBe([...plain, done].join(''));
  });

  test('text that looks like a model field is not changed', () => {
    const tricky = chunk({ content: 'say "model":"x" or \\"model\\":\\"y\\"' });
    const { out } = run(openaiKind, [tricky]);
    expect(datas(out)[0]).toMatchObject({
      model: 'openai/gpt-4o',
      choices: [{ delta: { content: 'say "model":"x" or \\"model\\":\\"y\\"' } }],
    });
  });

  test('the usage chunk is read, and forwarded only on request', () => {
    const hidden = run(openaiKind, [...plain, usageChunk, done]);
    expect(hidden.out).not.toContain('usage');
    expect(hidden.summary).toMatchObject({ usage: { promptTokens: 10, completionTokens: 3 }, usageIsFinal: true });
    const shown = run(openaiKind, [...plain, usageChunk, done], { includeUsage: true });
    expect(datas(shown.out).at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 13 }, model: 'openai/gpt-4o' });
    expect(shown.out.endsWith(done)).toBe(true);
  });

  test('chunks without choices are forwarded', () => {
    const filters = `data: ${JSON.stringify({ id: '', choices: [], prompt_filter_results: [] })}\n\n`;
    const { out, summary } = run(openaiKind, [filters, ...plain, done]);
    expect(datas(out)).toHaveLength(5);
    expect(summary.complete).toBe(true);
  });

  test('usage on a normal chunk is read and forwarded as its own chunk', () => {
    const last = chunk({}, { finish_reason: 'stop' }, { usage: { prompt_tokens: 2, completion_tokens: 1 } });
    const hidden = run(openaiKind, [...plain.slice(0, 3), last, done]);
    expect(hidden.summary.usage).toEqual({ promptTokens: 2, completionTokens: 1 });
    expect(hidden.out).not.toContain('usage');
    expect(datas(hidden.out).at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    const shown = run(openaiKind, [...plain.slice(0, 3), last, done], { includeUsage: true });
    expect(datas(shown.out).at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 3 } });
    expect(datas(shown.out).at(-2)).not.toHaveProperty('usage');
  });

  test('nulls in tool-call deltas are omitted', () => {
    const { out } = run(openaiKind, [
      chunk({ role: 'assistant', content: null, tool_calls: null }),
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, id: null, type: null, function: { name: null, arguments: '{}' } }] }),
    ]);
    const [first, , third] = datas(out) as { choices: { delta: object }[] }[];
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: null } as object);
    expect(third?.choices[0]?.delta).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] } as object);
  });

  test('reasoning fields are forwarded and count as output', () => {
    const { out, output } = run(openaiKind, [
      chunk({ reasoning_content: 'a' }),
      chunk({ reasoning: 'b' }),
      ...plain,
      done,
    ]);
    expect(out).toContain('"reasoning_content":"a"');
    expect(out).toContain('"reasoning":"b"');
    expect(output).toBe('abHéllo');
  });

  test('comments of the upstream are not forwarded', () => {
    expect(run(openaiKind, [': OPENROUTER PROCESSING\n\n', ...plain, done]).out).not.toContain('PROCESSING');
  });

  test('an interrupted stream does not look complete', () => {
    const cut = run(openaiKind, plain.slice(0, 3));
    expect(cut.summary).toMatchObject({ complete: false, hasOutput: true, usageIsFinal: false });
    expect(cut.out).not.toContain('[DONE]');
    expect(cut.out).not.toContain('"stop"');
    const lying = run(openaiKind, [...plain.slice(0, 3), done]);
    expect(lying.summary.complete).toBe(false);
    expect(lying.out).not.toContain('[DONE]');
    const inside = run(openaiKind, [...plain.slice(0, 2), plain[2]!.slice(0, 40)]);
    expect(inside.summary.complete).toBe(false);
    expect(datas(inside.out)).toHaveLength(2);
  });

  test('a finished stream without its end marker is complete, and the client gets the marker', () => {
    const forgotten = run(openaiKind, plain);
    expect(forgotten.summary.complete).toBe(true);
    expect(forgotten.out).toBe(run(openaiKind, [...plain, done]).out);
  });

  test('with several choices, all must have finished', () => {
    const piece = (index: number, delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
    const both = [piece(0, { content: 'a' }), piece(1, { content: 'b' }), piece(0, {}, 'stop')];
    expect(run(openaiKind, both).summary.complete).toBe(false);
    expect(run(openaiKind, both).out).not.toContain('[DONE]');
    expect(run(openaiKind, [...both, piece(1, {}, 'stop')]).summary.complete).toBe(true);
    // One choice that is finished twice is still one.
    expect(run(openaiKind, [...both, piece(0, {}, 'stop')]).summary.complete).toBe(false);
  });

  test('an error object with status 200 stops the stream, and its message is hidden', () => {
    const error = 'data: {"error":{"message":"boom sk-abcdefghijkl","code":502}}\n\n';
    const { out, stream } = run(openaiKind, [plain[0]!, error, plain[1]!, done]);
    expect(stream.error).toMatchObject({ kind: 'failure', message: 'boom [redacted]' });
    expect(out).not.toContain('boom');
    expect(out).not.toContain('[DONE]');
    expect(decoder.decode(stream.fail(new AppError('provider_error', 'x')))).toContain('"finish_reason":"error"');
  });

  test('events that are not JSON are a failure', () => {
    expect(run(openaiKind, ['data: <html>\n\n']).stream.error?.kind).toBe('failure');
  });

  test('a final [DONE] without its blank line ends the stream', () => {
    const { out, summary } = run(openaiKind, [...plain, 'data: [DONE]']);
    expect(summary.complete).toBe(true);
    expect(out.endsWith(done)).toBe(true);
  });

  test('quality: tool arguments and requested JSON are checked', () => {
    const call = (args: string): string[] => [
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: args } }] }),
      chunk({}, { finish_reason: 'tool_calls' }),
      done,
    ];
    expect(run(openaiKind, call('{"a":1}')).summary.wellFormed).toBe(true);
    expect(run(openaiKind, call('{"a":')).summary.wellFormed).toBe(false);
    expect(run(openaiKind, [...plain, done]).summary.wellFormed).toBeUndefined();
    expect(run(openaiKind, [...plain, done], { expectsJson: true }).summary.wellFormed).toBe(false);
  });
});

describe('messages upstream', () => {
  test('to a messages client: bytes are forwarded, including signatures', () => {
    const { out, summary } = run(anthropicKind, anthropicStream, { client: 'messages', model: 'anthropic/claude' });
    expect(out).toBe(anthropicStream.join('').replace('claude-sonnet-4-5', 'anthropic/claude'));
    expect(summary).toMatchObject({
      complete: true,
      toolCalls: 1,
      wellFormed: true,
      finish: 'tool_calls',
      usage: { promptTokens: 10, completionTokens: 12, cacheReadTokens: 6 },
    });
  });

  test('to a chat client: thinking, signature, call, finish, usage', () => {
    const { out } = run(anthropicKind, anthropicStream, { includeUsage: true });
    const deltas = datas(out).flatMap((data) =>
      (data as { choices: { delta: object }[] }).choices.map((choice) => choice.delta),
    );
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      {
        reasoning_content: 'hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm', format: 'anthropic-claude-v1', index: 0 }],
      },
      {
        reasoning_details: [
          { type: 'reasoning.text', text: '', format: 'anthropic-claude-v1', signature: 'Eq0B+/x==', index: 0 },
        ],
      },
      { tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      {},
    ] as object[]);
    expect(datas(out).at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 12 } });
    expect(out.endsWith(done)).toBe(true);
  });

  test('incomplete without a stop reason; a missing message_stop is added; an overloaded error is a failure', () => {
    const cut = run(anthropicKind, anthropicStream.slice(0, -2), { client: 'messages' });
    expect(cut.summary.complete).toBe(false);
    expect(cut.out).not.toContain('message_stop');
    const forgotten = run(anthropicKind, anthropicStream.slice(0, -1), { client: 'messages' });
    expect(forgotten.summary.complete).toBe(true);
    expect(forgotten.out).toBe(run(anthropicKind, anthropicStream, { client: 'messages' }).out);
    const error = named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never);
    const failed = run(anthropicKind, [anthropicStream[0]!, error]);
    expect(failed.stream.error).toMatchObject({ kind: 'failure', message: 'Overloaded' });
    expect(failed.out).toBe('');
  });
});

describe('gemini upstream', () => {
  const piece = (parts: object[], rest: object = {}): string =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, ...rest }], usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, thoughtsTokenCount: 3 }, modelVersion: 'gemini-2.5-pro', responseId: 'r' })}\r\n\r\n`;
  const frames = [
    piece([{ text: 'thought', thought: true }]),
    piece([{ text: 'Hi' }]),
    piece([{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'Sg==' }]),
    piece([], { finishReason: 'STOP' }),
  ];

  test('to a chat client, ended by the close of the connection', () => {
    const { out, summary } = run(geminiKind, frames, { includeUsage: true });
    expect(summary).toMatchObject({
      complete: true,
      finish: 'tool_calls',
      usage: { promptTokens: 4, completionTokens: 5, reasoningTokens: 3 },
    });
    expect(out).toContain('"extra_content":{"google":{"thought_signature":"Sg=="}}');
    expect(out.endsWith(done)).toBe(true);
  });

  test('to a messages client: the signature precedes its call', () => {
    const { out } = run(geminiKind, frames, { client: 'messages' });
    expect(out).toContain('"signature":"gemini#Sg=="');
    expect(out.indexOf('gemini#Sg==')).toBeLessThan(out.indexOf('tool_use'));
    expect(out.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
  });

  test('incomplete if closed without a finish reason', () => {
    const { out, summary } = run(geminiKind, frames.slice(0, 2));
    expect(summary.complete).toBe(false);
    expect(out).not.toContain('[DONE]');
  });

  test('a malformed call is an upstream failure', () => {
    expect(run(geminiKind, [piece([], { finishReason: 'MALFORMED_FUNCTION_CALL' })]).stream.error?.kind).toBe(
      'failure',
    );
  });
});

test('the client gets the same bytes however the stream is split', () => {
  const cases: [ProviderKind, string[], Partial<RelayStreamOptions>][] = [
    [openaiKind, [...plain, usageChunk, done], { includeUsage: true }],
    [openaiKind, [...plain, usageChunk, done], { client: 'messages' }],
    [anthropicKind, anthropicStream, { client: 'messages' }],
    [anthropicKind, anthropicStream, {}],
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...cases),
      fc.array(fc.nat(2500), { maxLength: 15 }),
      ([kind, frames, options], cuts) => {
        const whole = run(kind, frames, options);
        const cut = run(kind, frames, options, cuts);
        expect(cut.out).toBe(whole.out);
        expect(cut.summary).toEqual(whole.summary);
      },
    ),
    { numRuns: 150 },
  );
});
