import { z } from 'zod';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part), z.null()]).optional(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().nullish(),
});
const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.looseObject({ function: z.looseObject({ name: z.string() }) })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .union([
      z.looseObject({ type: z.enum(['text', 'json_object']) }),
      z.looseObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }),
      }),
    ])
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  n: z.int().min(1).max(16).nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = z.infer<typeof message>;
export type ChatTool = z.infer<typeof tool>;

export function textOf(one: ChatMessage | undefined): string {
  if (!one?.content) return '';
  if (typeof one.content === 'string') return one.content;
  return one.content
    .map((piece) => piece.text ?? '')
    .filter(Boolean)
    .join('\n');
}

/** Characters of one text that the rules read: their patterns backtrack, which long white space would make endless. */
const longestRead = 16_000;

function condensed(text: string): string {
  const plain = text.replace(/\s{9,}/g, (run) => (run.includes('\n') ? '\n\n' : ' '));
  if (plain.length <= longestRead) return plain;
  // Instructions are at the beginning, the subject at the end.
  return `${plain.slice(0, longestRead / 2)}\n…\n${plain.slice(-longestRead / 2)}`;
}

/** The limit for a whole conversation, beginning and end first: the rules scan it several times. */
const mostRead = 64_000;

/** The part of the conversation that the rules read; counting and limits use the original. */
export function toRead(request: ChatRequest): ChatRequest {
  const messages = [...request.messages];
  let room = mostRead;
  const read = (text: string): string => {
    const short = condensed(text.slice(0, 4 * longestRead)).slice(0, room);
    room -= short.length;
    return short;
  };
  for (const at of [0, ...messages.keys().toArray().reverse()]) {
    const one = request.messages[at]!;
    if (messages[at] !== one) continue;
    messages[at] = { ...one, content: contentRead(one.content, read) };
  }
  return { ...request, messages };
}

const contentRead = (content: ChatMessage['content'], read: (text: string) => string): ChatMessage['content'] =>
  Array.isArray(content)
    ? content.map((piece) => (piece.text === undefined ? piece : { ...piece, text: read(piece.text) }))
    : content && read(content);

/** Parts that the simulation cannot process, such as images and audio. */
export function attachments(one: ChatMessage | undefined): string[] {
  if (!one || !Array.isArray(one.content)) return [];
  return one.content
    .filter((piece) => piece.text === undefined)
    .map((piece) => piece.type.replace(/_url$|^input_/g, ''));
}

export const lastUserIndex = (messages: ChatMessage[]): number => messages.findLastIndex((one) => one.role === 'user');

export const lastUserText = (messages: ChatMessage[]): string => textOf(messages[lastUserIndex(messages)]);

/** Tool results since the last user message. */
export function freshToolResults(messages: ChatMessage[]): { name: string; result: string }[] {
  const calls = new Map(messages.flatMap((one) => one.tool_calls ?? []).map((call) => [call.id, call.function.name]));
  return messages
    .slice(lastUserIndex(messages) + 1)
    .filter((one) => one.role === 'tool')
    .map((one) => ({ name: calls.get(one.tool_call_id ?? '') ?? 'tool', result: textOf(one) }));
}
