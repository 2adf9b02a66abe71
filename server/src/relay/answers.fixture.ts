import fc from 'fast-check';
import type { Json } from './wire/conversation.ts';

/** Something a model made, which holds its own mark so that a test sees whether it reached the caller. */
export interface Made {
  kind: number;
  mark: string;
}

export type Wire = 'chat' | 'messages' | 'gemini';

const call = (mark: string) => ({ name: `f_${mark}`, arguments: '{"a":1}' });

/** Members of a chat message; a vendor may use any of them, and new ones. */
const chatMembers: ((mark: string, index: number) => Json)[] = [
  (mark) => ({ content: mark }),
  (mark) => ({ content: [{ type: 'text', text: mark }] }),
  (mark) => ({ refusal: mark }),
  (mark) => ({ reasoning_content: mark }),
  (mark) => ({ reasoning_details: [{ type: 'reasoning.summary', summary: mark }] }),
  (mark) => ({ function_call: call(mark) }),
  (mark, index) => ({ tool_calls: [{ index, id: `c${index}`, type: 'function', function: call(mark) }] }),
  (mark, index) => ({ tool_calls: [{ index, id: `c${index}`, type: 'custom', custom: { name: 'g', input: mark } }] }),
  (mark) => ({ audio: { id: 'audio_1', data: mark, transcript: mark } }),
  (mark) => ({ images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${mark}` } }] }),
  (mark) => ({ something_new: { deep: [mark] } }),
];

const messagesBlocks: ((mark: string) => Json)[] = [
  (mark) => ({ type: 'text', text: mark }),
  (mark) => ({ type: 'thinking', thinking: mark, signature: 'c2ln' }),
  (mark) => ({ type: 'redacted_thinking', data: mark }),
  (mark) => ({ type: 'tool_use', id: `toolu_${mark}`, name: `f_${mark}`, input: { a: mark } }),
  (mark) => ({ type: 'server_tool_use', id: `srv_${mark}`, name: 'web_search', input: { query: mark } }),
  (mark) => ({ type: 'something_new', value: mark }),
];

const geminiParts: ((mark: string) => Json)[] = [
  (mark) => ({ text: mark }),
  (mark) => ({ text: mark, thought: true }),
  (mark) => ({ functionCall: { name: `f_${mark}`, args: { a: mark } } }),
  (mark) => ({ inlineData: { mimeType: 'image/png', data: mark } }),
  (mark) => ({ executableCode: { language: 'PYTHON', code: mark } }),
];

const pick = <T>(list: readonly T[], kind: number): T => list[kind % list.length]!;
const event = (json: Json, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(json)}\n\n`;

export interface Scripted {
  made: Made[];
  /** As the upstream reports it, in its own members. */
  usage: unknown;
}

/** The answer of an upstream, whole and as the text of a stream with its usual end. */
export const answers: Record<Wire, { whole(given: Scripted): Json; stream(given: Scripted): string }> = {
  chat: {
    whole: ({ made, usage }) => ({
      id: 'c',
      object: 'chat.completion',
      model: 'up',
      choices: (made.length > 0 ? made : [null]).map((one, index) => ({
        index,
        message: { role: 'assistant', content: null, ...(one && pick(chatMembers, one.kind)(one.mark, 0)) },
        finish_reason: 'stop',
      })),
      ...(usage !== undefined && { usage }),
    }),
    stream: ({ made, usage }) => {
      const piece = (delta: Json, finish: string | null = null) =>
        event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
      return [
        piece({ role: 'assistant', content: '' }),
        ...made.map(({ kind, mark }, i) => piece(pick(chatMembers, kind)(mark, i))),
        piece({}, 'stop'),
        ...(usage === undefined ? [] : [event({ id: 'c', choices: [], usage } as Json)]),
        'data: [DONE]\n\n',
      ].join('');
    },
  },
  messages: {
    whole: ({ made, usage }) => ({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'up',
      content: made.map(({ kind, mark }) => pick(messagesBlocks, kind)(mark)),
      stop_reason: 'end_turn',
      ...(usage !== undefined && { usage }),
    }),
    stream: ({ made, usage }) => {
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'up', content: [], usage };
      return [
        event({ type: 'message_start', message }, 'message_start'),
        ...made.flatMap(({ kind, mark }, index) => [
          event(
            { type: 'content_block_start', index, content_block: pick(messagesBlocks, kind)(mark) },
            'content_block_start',
          ),
          event({ type: 'content_block_stop', index }, 'content_block_stop'),
        ]),
        event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, 'message_delta'),
        event({ type: 'message_stop' }, 'message_stop'),
      ].join('');
    },
  },
  gemini: {
    whole: ({ made, usage }) => geminiBody(made, usage, 'STOP'),
    stream: ({ made, usage }) =>
      [...made.map((one) => event(geminiBody([one], undefined))), event(geminiBody([], usage, 'STOP'))].join(''),
  },
};

const geminiBody = (made: Made[], usage: unknown, finishReason?: string): Json => ({
  candidates: [
    {
      content: { role: 'model', parts: made.map(({ kind, mark }) => pick(geminiParts, kind)(mark)) },
      ...(finishReason && { finishReason }),
    },
  ],
  ...(usage !== undefined && { usageMetadata: usage }),
  modelVersion: 'up',
});

const usageMembers: Record<Wire, [prompt: string, completion: string]> = {
  chat: ['prompt_tokens', 'completion_tokens'],
  messages: ['input_tokens', 'output_tokens'],
  gemini: ['promptTokenCount', 'candidatesTokenCount'],
};

/** Counts as an honest upstream gives them, and as others do. */
const anyCount = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }) },
  fc.constantFrom(0, null, -5, 1.5, 'many', 1e308, 2 ** 60, [], {}, undefined),
);

export const anyUsage = (wire: Wire): fc.Arbitrary<unknown> => {
  const [prompt, completion] = usageMembers[wire];
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ [prompt]: anyCount, [completion]: anyCount }) },
    fc.constantFrom(undefined, null, 'none', []),
  );
};

export const anyMade: fc.Arbitrary<Made[]> = fc
  .array(fc.nat({ max: 1000 }), { maxLength: 4 })
  .map((kinds) => kinds.map((kind, i) => ({ kind, mark: `mark${i}x${kind}` })));
