import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { SseParser } from '../../../lib/sse.ts';
import type { Delta } from '../conversation.ts';
import { chatStream } from './stream.ts';

const options = { id: 'chatcmpl-1', model: 'a/b', created: 1, includeUsage: false };

function render(deltas: Delta[], includeUsage = false): unknown[] {
  const stream = chatStream({ ...options, includeUsage });
  const parser = new SseParser();
  const events = parser.push(new TextEncoder().encode(deltas.map((delta) => stream.push(delta)).join('')));
  return events.map((event) => (event.data === '[DONE]' ? event.data : JSON.parse(event.data)));
}

const usage: Delta = { type: 'usage', usage: { promptTokens: 5, completionTokens: 2, cacheReadTokens: 3 } };

describe('chatStream', () => {
  test('the first delta of a call has id, type and name, later ones only arguments, and nothing is null', () => {
    const chunks = render([
      { type: 'tool_start', index: 0, id: 'a', name: 'f' },
      { type: 'tool_args', index: 0, args: '{"x"' },
      { type: 'tool_args', index: 0, args: ':1}' },
      { type: 'tool_start', index: 1, id: 'b', name: 'g' },
      { type: 'tool_args', index: 1, args: '{}' },
      { type: 'finish', finish: 'tool_calls' },
      { type: 'end' },
    ]) as { choices: { delta: { tool_calls?: unknown[] }; finish_reason: unknown }[] }[];
    const calls = chunks.slice(0, -1).flatMap((chunk) => chunk.choices[0]!.delta.tool_calls ?? []);
    expect(calls).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
    expect(JSON.stringify(chunks)).not.toContain('"tool_calls":null');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('usage is sent only on request, as a last chunk without choices', () => {
    const deltas: Delta[] = [{ type: 'text', text: 'hi' }, { type: 'finish', finish: 'stop' }, usage, { type: 'end' }];
    expect(JSON.stringify(render(deltas))).not.toContain('usage');
    const asked = render(deltas, true);
    expect(asked.at(-1)).toBe('[DONE]');
    expect(asked.at(-2)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 2,
        total_tokens: 7,
        prompt_tokens_details: { cached_tokens: 3 },
      },
    });
  });

  test('the role comes first and alone', () => {
    const [first, second] = render([
      { type: 'start', id: 'x' },
      { type: 'text', text: 'é\n"' },
    ]);
    expect(first).toMatchObject({ object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' } }] });
    expect(second).toMatchObject({ choices: [{ delta: { content: 'é\n"' }, finish_reason: null }] });
  });

  test('an error is a readable chunk without an end marker', () => {
    const text = chatStream(options).fail(new AppError('provider_error', 'The provider stopped.'));
    expect(text).not.toContain('[DONE]');
    // go-openai takes any other chunk for a part of the answer, and the end of the stream for its end.
    expect(text).toStartWith('data: {"error":');
    // One line: many programs split streams at empty lines and read what follows `data: `.
    expect(JSON.parse(text.slice(6))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'a/b',
      error: { message: 'The provider stopped.', type: 'upstream_error', param: null, code: 'provider_error' },
      choices: [{ delta: {}, finish_reason: 'error' }],
    });
  });
});
