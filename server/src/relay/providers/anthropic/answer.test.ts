import { describe, expect, test } from 'bun:test';
import { renderChatAnswer } from '../../wire/chat/answer.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import { type Delta, type Json, UpstreamFault } from '../../wire/conversation.ts';
import { renderMessagesAnswer } from '../../wire/messages/answer.ts';
import { anthropicKind } from '../anthropic.ts';

const target = { baseUrl: 'https://api.anthropic.com', credential: 'sk-ant', modelName: 'claude-sonnet-4-5' };
const user = { role: 'user', content: 'hi' };
const args = (text: string): Delta => ({ type: 'tool_args', index: 0, args: text });
const sent = (body: Json): Json =>
  JSON.parse(anthropicKind.toUpstream(parseChatRequest({ model: 'm', ...body }), target).body as string);

describe('whole answers', () => {
  const upstream = {
    id: 'msg_9',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'Sig+/==' },
      { type: 'redacted_thinking', data: 'zz' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_2', name: 'g', input: { b: [1] } },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 3, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 11 },
  };

  test('to a messages client: the body with the requested model name', () => {
    expect(renderMessagesAnswer(anthropicKind.fromUpstream(upstream), { model: 'a/b', id: 'x' })).toEqual({
      ...upstream,
      model: 'a/b',
    });
  });

  test('to a chat client: translated', () => {
    expect(
      renderChatAnswer(anthropicKind.fromUpstream(upstream), { model: 'a/b', id: 'chatcmpl-1', created: 4 }),
    ).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 4,
      model: 'a/b',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Let me see.',
            refusal: null,
            reasoning_content: 'hm',
            reasoning_details: [
              { type: 'reasoning.text', text: 'hm', format: 'anthropic-claude-v1', signature: 'Sig+/==', index: 0 },
              { type: 'reasoning.encrypted', data: 'zz', format: 'anthropic-claude-v1', index: 1 },
            ],
            tool_calls: [
              { id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '{"b":[1]}' } },
              { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 15,
        completion_tokens: 11,
        total_tokens: 26,
        prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 5 },
      },
    });
  });

  test('round trip chat → Anthropic → chat → Anthropic keeps ids, order, thinking and signatures', () => {
    const answer = renderChatAnswer(anthropicKind.fromUpstream(upstream), { model: 'a/b', id: 'c', created: 1 });
    const message = (answer.choices as { message: Json & { tool_calls: { id: string }[] } }[])[0]!.message;
    const results = message.tool_calls.map((call) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: `result of ${call.id}`,
    }));
    const next = sent({ messages: [user, message, ...results] });
    expect((next.messages as { content: Json[] }[])[1]?.content).toEqual(upstream.content as Json[]);
    expect((next.messages as { content: Json[] }[])[2]?.content.map((block) => block.tool_use_id)).toEqual([
      'toolu_2',
      'toolu_1',
    ]);
  });

  test('errors and incomplete messages are upstream faults', () => {
    for (const body of [
      null,
      {},
      { type: 'error', error: { type: 'api_error', message: 'x' } },
      { ...upstream, stop_reason: null },
    ]) {
      expect(() => anthropicKind.fromUpstream(body)).toThrow(UpstreamFault);
    }
  });

  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('stop reason %s becomes %s', (stop_reason, finish) => {
    const content = [{ type: 'text', text: 'ok' }];
    expect(anthropicKind.fromUpstream({ ...upstream, content, stop_reason }).finish).toBe(finish as never);
  });
});

describe('streams', () => {
  const deltasOf = (events: Json[]) => {
    const decode = anthropicKind.decoder();
    return events.flatMap(decode);
  };
  const start = (content_block: Json) => ({ type: 'content_block_start', index: 0, content_block });
  const delta = (value: Json) => ({ type: 'content_block_delta', index: 0, delta: value });
  const stop = { type: 'content_block_stop', index: 0 };
  const call = { type: 'tool_start', index: 0, id: 'toolu_1', name: 'f' } as const;
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'f' };

  test.each<[string, Json[], Delta[]]>([
    ['a call with its whole input at the start', [start({ ...tool, input: { a: 1 } }), stop], [call, args('{"a":1}')]],
    [
      'a call with its input at the start and again in pieces',
      [start({ ...tool, input: { a: 1 } }), delta({ type: 'input_json_delta', partial_json: '{"a":1}' }), stop],
      [call, args('{"a":1}')],
    ],
    ['a call without input', [start({ ...tool, input: {} }), stop], [call]],
    [
      'thinking with its whole text at the start',
      [start({ type: 'thinking', thinking: 'hm', signature: 'Sig' }), stop],
      [
        { type: 'thinking', text: 'hm' },
        { type: 'signature', signature: 'Sig' },
      ],
    ],
  ])('%s is emitted once', (_, events, deltas) => {
    expect(deltasOf(events)).toEqual(deltas);
  });
});
