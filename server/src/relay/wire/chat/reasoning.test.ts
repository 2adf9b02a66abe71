import { describe, expect, test } from 'bun:test';
import { anthropicKind } from '../../providers/anthropic.ts';
import { geminiKind } from '../../providers/gemini.ts';
import type { ProviderKind } from '../../providers/kind.ts';
import { openaiKind } from '../../providers/openai.ts';
import { isObject, type Json } from '../conversation.ts';
import { parseMessagesRequest } from '../messages/request.ts';
import { RelayStream } from '../relay-stream.ts';
import { renderChatAnswer } from './answer.ts';
import { parseChatRequest } from './request.ts';

const options = { model: 'a/b', id: 'chatcmpl-1', created: 1 };
const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const user = { role: 'user', content: 'hi' };

interface Message extends Json {
  reasoning_details?: Json[];
  tool_calls?: Json[];
}

/** What a client holds after an answer that came whole. */
const held = (kind: ProviderKind, body: unknown): Message =>
  (renderChatAnswer(kind.fromUpstream(body), options).choices as { message: Message }[])[0]!.message;

/** The pieces of a streamed one. */
function pieces(kind: ProviderKind, events: object[]): Message[] {
  const stream = new RelayStream({
    ...options,
    client: 'chat',
    upstream: kind.wire,
    decode: kind.decoder(),
    includeUsage: false,
  });
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const written = Buffer.from(stream.push(new TextEncoder().encode(text))!).toString();
  return written
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => (JSON.parse(frame.slice(6)) as { choices: { delta: Message }[] }).choices[0]!.delta);
}

/** Clients put the pieces of a detail together by their number, or leave them as they came. */
const keepApart = (deltas: Message[]): Json[] => deltas.flatMap(({ reasoning_details }) => reasoning_details ?? []);
function putTogether(deltas: Message[]): Json[] {
  const details: Json[] = [];
  for (const detail of keepApart(deltas)) {
    const at = detail.index as number;
    const known = details[at];
    details[at] = known ? { ...known, ...detail, text: `${known.text ?? ''}${detail.text ?? ''}` } : detail;
  }
  return details;
}

const sentBack = (kind: ProviderKind, message: Json): Json =>
  JSON.parse(kind.toUpstream(parseChatRequest({ model: 'm', messages: [user, message, user] }), target).body as string);

describe('round trip of Anthropic’s thinking through a chat client', () => {
  const content = [
    { type: 'thinking', thinking: 'first thought', signature: 'Sig+/1==' },
    { type: 'redacted_thinking', data: 'sealed+/' },
    { type: 'thinking', thinking: 'second', signature: 'Sig+/2==' },
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ];
  const format = 'anthropic-claude-v1';
  const details = [
    { type: 'reasoning.text', text: 'first thought', signature: 'Sig+/1==', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'sealed+/', format, index: 1 },
    { type: 'reasoning.text', text: 'second', signature: 'Sig+/2==', format, index: 2 },
  ];
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'x' } },
    ...content.flatMap((block, index): object[] => {
      const start = { type: 'content_block_start', index };
      const delta = (value: object) => ({ type: 'content_block_delta', index, delta: value });
      if (block.type === 'thinking')
        return [
          { ...start, content_block: { type: 'thinking', thinking: '', signature: '' } },
          delta({ type: 'thinking_delta', thinking: block.thinking!.slice(0, 3) }),
          delta({ type: 'thinking_delta', thinking: block.thinking!.slice(3) }),
          delta({ type: 'signature_delta', signature: block.signature }),
        ];
      if (block.type === 'text')
        return [
          { ...start, content_block: { type: 'text', text: '' } },
          delta({ type: 'text_delta', text: block.text }),
        ];
      if (block.type === 'tool_use')
        return [
          { ...start, content_block: { ...block, input: {} } },
          delta({ type: 'input_json_delta', partial_json: '{"a":1}' }),
        ];
      return [{ ...start, content_block: block }];
    }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  const whole = held(anthropicKind, { id: 'm', content, stop_reason: 'tool_use' });
  const streamed = pieces(anthropicKind, events);

  test('every detail is present, whole and streamed', () => {
    expect(whole.reasoning_details).toEqual(details);
    expect(putTogether(streamed)).toEqual(details);
    expect(streamed.map((delta) => delta.reasoning_content ?? '').join('')).toBe('first thoughtsecond');
  });

  test.each([
    ['whole', () => whole.reasoning_details!],
    ['streamed and joined', () => putTogether(streamed)],
    ['streamed and kept in pieces', () => keepApart(streamed)],
    ['kept in pieces without indexes', () => keepApart(streamed).map(({ index: _, ...detail }) => detail)],
  ])('%s: it is returned byte for byte', (_, given) => {
    const body = sentBack(anthropicKind, { ...whole, reasoning_details: given() });
    expect((body.messages as { content: Json[] }[])[1]!.content).toEqual(content);
  });

  test('it is not sent to Gemini', () => {
    expect(JSON.stringify(sentBack(geminiKind, whole))).not.toMatch(/Sig|sealed|thought/);
  });
});

describe('round trip of Gemini’s signatures through a chat client', () => {
  const call = (name: string) => ({ functionCall: { name, args: { a: 1 } } });
  const parts = [{ text: 'hm', thought: true }, { ...call('f'), thoughtSignature: 'Own+/==' }, call('g')];
  const body = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  const whole = held(geminiKind, body);
  const streamed = pieces(
    geminiKind,
    parts.map((part, i) => ({
      candidates: [{ content: { parts: [part] }, ...(i === 2 && { finishReason: 'STOP' }) }],
    })),
  );
  const format = 'google-gemini-v1';

  test('the detail of a signature names its call', () => {
    const expected = (id: unknown) => [
      { type: 'reasoning.text', text: 'hm', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'Own+/==', id, format, index: 1 },
    ];
    expect(whole.reasoning_details).toEqual(expected(whole.tool_calls![0]!.id));
    expect(putTogether(streamed)).toEqual(expected(streamed.find(({ tool_calls }) => tool_calls)!.tool_calls![0]!.id));
  });

  test('a client that keeps only the details returns the signature', () => {
    const plain = whole.tool_calls!.map(({ extra_content: _, ...rest }) => rest);
    const sent = sentBack(geminiKind, { ...whole, tool_calls: plain }) as { contents: { parts: Json[] }[] };
    expect(sent.contents[1]!.parts).toEqual([{ ...call('f'), thoughtSignature: 'Own+/==' }, call('g')]);
  });

  test('the signature of a text is returned to the text', () => {
    const said = {
      candidates: [{ content: { parts: [{ text: 'yes', thoughtSignature: 'T+/=' }] }, finishReason: 'STOP' }],
    };
    const message = held(geminiKind, said);
    expect(message.reasoning_details).toEqual([{ type: 'reasoning.encrypted', data: 'T+/=', format, index: 0 }]);
    const sent = sentBack(geminiKind, message) as { contents: { parts: Json[] }[] };
    expect(sent.contents[1]!.parts).toEqual([{ text: 'yes', thoughtSignature: 'T+/=' }]);
  });

  test('they are not sent to Anthropic', () => {
    expect(JSON.stringify(sentBack(anthropicKind, whole))).not.toContain('Own');
  });
});

describe('details of other gateways and vendors', () => {
  test('encrypted details of other vendors are sent to no one else', () => {
    const reasoning_details = [
      { type: 'reasoning.encrypted', data: 'theirs', format: 'openai-responses-v1', id: 'rs_1', index: 0 },
      { type: 'reasoning.summary', summary: 'theirs', format: 'xai-responses-v1', index: 1 },
      { type: 'something.new', data: 'theirs' },
    ];
    const message = { role: 'assistant', content: 'ok', reasoning_details };
    for (const kind of [anthropicKind, geminiKind])
      expect(JSON.stringify(sentBack(kind, message))).not.toContain('theirs');
  });

  test('OpenRouter’s details keep their format through a messages client', () => {
    const details = [
      { type: 'reasoning.text', text: 'hm', signature: 'S==', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'sealed', format: 'anthropic-claude-v1', index: 1 },
    ];
    const message = { role: 'assistant', content: 'ok', reasoning: 'hm', reasoning_details: details };
    const answer = openaiKind.fromUpstream({ id: 'c', choices: [{ message, finish_reason: 'stop' }] });
    expect(answer.parts.slice(0, 2)).toEqual([
      { type: 'thinking', text: 'hm', signature: 'S==' },
      { type: 'redacted_thinking', data: 'sealed' },
    ]);
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'S==' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'text', text: 'ok' },
    ];
    const conversation = parseMessagesRequest({
      model: 'm',
      max_tokens: 5,
      messages: [user, { role: 'assistant', content }, user],
    });
    const sent = JSON.parse(
      openaiKind.toUpstream(conversation, { ...target, provider: 'openrouter' }).body as string,
    ) as { messages: Json[] };
    expect(sent.messages.find(({ role }) => role === 'assistant')!.reasoning_details).toEqual(details);
  });

  test('thinking that an upstream sends only in details is kept', () => {
    const decode = openaiKind.decoder();
    const delta = { reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] };
    const deltas = decode({ id: 'c', choices: [{ index: 0, delta }] });
    expect(deltas.filter(isObject)).toContainEqual({ type: 'thinking', text: 'hm' });
    const both = decode({ id: 'c', choices: [{ index: 0, delta: { ...delta, reasoning: 'hm' } }] });
    expect(both.filter(({ type }) => type === 'thinking')).toHaveLength(1);
  });
});
