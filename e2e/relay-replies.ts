/** One model answer in the format of each kind of upstream, complete or streamed. */
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { type Asked, events, type Pace, type Script } from './upstream.ts';

export interface Reply {
  text?: string;
  thinking?: string;
  signature?: string;
  calls?: { id: string; name: string; args: Json }[];
  finish?: 'stop' | 'length';
  /** Null if the upstream reports no usage. */
  usage?: { input: number; output: number } | null;
}

export type Kind = 'openai' | 'anthropic' | 'gemini';
export const kinds: Kind[] = ['openai', 'anthropic', 'gemini'];

const counted = { input: 11, output: 7 };

/** An upstream script that gives this reply, streamed if the request asks for it. */
export function says(kind: Kind, reply: Reply, pace: Pace = {}): Script {
  return (asked) =>
    isStreamed(kind, asked) ? events(asked, streamed[kind](reply), pace) : Response.json(whole[kind](reply));
}

const isStreamed = (kind: Kind, asked: Asked): boolean =>
  kind === 'gemini' ? asked.path.includes(':streamGenerateContent') : asked.body.stream === true;

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: Json): string => `event: ${value.type}\n${data(value)}`;

/** Words with their leading whitespace, so that they join to the original text. */
export const words = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

const halves = (args: Json): [string, string] => {
  const text = JSON.stringify(args);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

const finishOf = ({ calls, finish }: Reply): string => (calls?.length ? 'tool_calls' : (finish ?? 'stop'));

const openaiUsage = ({ usage = counted }: Reply) =>
  usage && { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output };

export const openaiChunk = (delta: Json, finish: string | null = null): string =>
  data({
    id: 'chatcmpl-up',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream-name',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

function* openaiStream(reply: Reply): Generator<string> {
  yield openaiChunk({ role: 'assistant', content: '' });
  if (reply.thinking) for (const word of words(reply.thinking)) yield openaiChunk({ reasoning_content: word });
  for (const word of words(reply.text ?? '')) yield openaiChunk({ content: word });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const head = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    yield openaiChunk({ tool_calls: [head] });
    for (const part of halves(call.args)) yield openaiChunk({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  yield openaiChunk({}, finishOf(reply));
  const usage = openaiUsage(reply);
  if (usage)
    yield data({ id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'u', choices: [], usage });
  yield 'data: [DONE]\n\n';
}

function openaiWhole(reply: Reply): Json {
  const calls = reply.calls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const usage = openaiUsage(reply);
  return {
    id: 'chatcmpl-up',
    object: 'chat.completion',
    created: 1,
    model: 'upstream-name',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text ?? null,
          ...(reply.thinking && { reasoning_content: reply.thinking }),
          ...(calls && { tool_calls: calls }),
        },
        finish_reason: finishOf(reply),
      },
    ],
    ...(usage && { usage }),
  };
}

const stopReasons: Record<string, string> = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };

function* anthropicStream(reply: Reply): Generator<string> {
  const usage = reply.usage === null ? { input: 0, output: 0 } : (reply.usage ?? counted);
  const message = { id: 'msg_up', type: 'message', role: 'assistant', model: 'upstream-name', content: [] };
  const start = { stop_reason: null, stop_sequence: null, usage: { input_tokens: usage.input, output_tokens: 1 } };
  yield named({ type: 'message_start', message: { ...message, ...start } });
  yield named({ type: 'ping' });
  let index = 0;
  const block = function* (content: Json, deltas: Json[]): Generator<string> {
    yield named({ type: 'content_block_start', index, content_block: content });
    for (const delta of deltas) yield named({ type: 'content_block_delta', index, delta });
    yield named({ type: 'content_block_stop', index });
    index += 1;
  };
  if (reply.thinking) {
    const signed = { type: 'signature_delta', signature: reply.signature ?? 'c2lnbmF0dXJl' };
    const thoughts = words(reply.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    yield* block({ type: 'thinking', thinking: '', signature: '' }, [...thoughts, signed]);
  }
  if (reply.text) {
    const deltas = words(reply.text).map((text) => ({ type: 'text_delta', text }));
    yield* block({ type: 'text', text: '' }, deltas);
  }
  for (const { id, name, args } of reply.calls ?? []) {
    const deltas = halves(args).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    yield* block({ type: 'tool_use', id, name, input: {} }, deltas);
  }
  const delta = { stop_reason: stopReasons[finishOf(reply)], stop_sequence: null };
  yield named({ type: 'message_delta', delta, usage: { output_tokens: usage.output } });
  yield named({ type: 'message_stop' });
}

function anthropicWhole(reply: Reply): Json {
  const { input, output } = reply.usage ?? counted;
  return {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'upstream-name',
    content: [
      ...(reply.thinking
        ? [{ type: 'thinking', thinking: reply.thinking, signature: reply.signature ?? 'c2lnbmF0dXJl' }]
        : []),
      ...(reply.text ? [{ type: 'text', text: reply.text }] : []),
      ...(reply.calls ?? []).map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
    stop_reason: stopReasons[finishOf(reply)],
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  };
}

const geminiPiece = (parts: Json[], reply: Reply, last: boolean): Json => {
  const usage = reply.usage === undefined ? counted : reply.usage;
  const finishReason = reply.finish === 'length' ? 'MAX_TOKENS' : 'STOP';
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last && { finishReason }) }],
    ...(last && usage && { usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output } }),
    modelVersion: 'upstream-name',
    responseId: 'gemini-up',
  };
};

const geminiCalls = (reply: Reply): Json[] =>
  (reply.calls ?? []).map(({ name, args }) => ({ functionCall: { name, args } }));

function* geminiStream(reply: Reply): Generator<string> {
  if (reply.thinking) yield data(geminiPiece([{ text: reply.thinking, thought: true }], reply, false));
  for (const text of words(reply.text ?? '')) yield data(geminiPiece([{ text }], reply, false));
  for (const call of geminiCalls(reply)) yield data(geminiPiece([call], reply, false));
  yield data(geminiPiece([{ text: '' }], reply, true));
}

const geminiWhole = (reply: Reply): Json =>
  geminiPiece(
    [
      ...(reply.thinking ? [{ text: reply.thinking, thought: true }] : []),
      ...(reply.text ? [{ text: reply.text }] : []),
      ...geminiCalls(reply),
    ],
    reply,
    true,
  );

export const streamed: Record<Kind, (reply: Reply) => Iterable<string>> = {
  openai: openaiStream,
  anthropic: anthropicStream,
  gemini: geminiStream,
};

export const whole: Record<Kind, (reply: Reply) => Json> = {
  openai: openaiWhole,
  anthropic: anthropicWhole,
  gemini: geminiWhole,
};
