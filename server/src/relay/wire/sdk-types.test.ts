import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import type { Delta, Json, ToolName } from './conversation.ts';
import { newRenderer } from './renderers.ts';
import { echoOf } from './responses/echo.ts';
import type { SdkEvents } from './sdk-types.fixture.ts';
import { typeFaults } from './type-faults.fixture.ts';

/** Every event that is written is one by the types of the wire's own library: the compiler is shown them. */
type Wire = keyof SdkEvents;
const wires: Wire[] = ['responses', 'chat', 'messages', 'gemini'];

const usage = { promptTokens: 3, completionTokens: 4, reasoningTokens: 2, cacheReadTokens: 1 };
const names: [string, ToolName][] = [
  ['patch', { name: 'patch', custom: true }],
  ['crm__find', { name: 'find', namespace: 'crm' }],
];
const request = {
  ...{ metadata: { a: 'b' }, instructions: 'Be kind.', max_output_tokens: 9, temperature: 1, top_p: 1, user: 'u' },
  ...{ tools: [{ type: 'function', name: 'find', parameters: {}, strict: false }], tool_choice: 'auto' },
  ...{ reasoning: { effort: 'low' }, text: { format: { type: 'text' } } },
};
const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'a', logprob: -1, bytes: [97] }] }];
const begin: Delta[] = [{ type: 'start', sure: true }];
const words: Delta[] = [...begin, { type: 'text', text: 'a' }, { type: 'text', text: 'b', logprobs }];
const ending = (finish: 'stop' | 'length' | 'tool_calls' | 'content_filter', more: Json = {}): Delta[] => [
  { type: 'finish', finish, ...more },
  { type: 'usage', usage },
  { type: 'end' },
];

const answers: Delta[][] = [
  [...words, ...ending('stop')],
  [...words, ...ending('stop', { stopSequence: '.' })],
  [...words, ...ending('length')],
  [...words, ...ending('content_filter')],
  [...words, { type: 'finish', finish: 'stop' }, { type: 'end' }],
  [...begin, { type: 'text', text: 'No.', refusal: true }, ...ending('stop')],
  [...words, { type: 'citation', url: 'https://a.example/', title: 'A', start: 0, end: 2 }, ...ending('stop')],
  [...begin, ...ending('stop')],
  [
    ...begin,
    { type: 'thinking', text: 'hm' },
    { type: 'signature', signature: 'S' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_start', index: 0, id: 'c0', name: 'crm__find' },
    { type: 'tool_start', index: 1, id: 'c1', name: 'patch', signature: 'G' },
    { type: 'tool_args', index: 0, args: '{"a"' },
    { type: 'tool_args', index: 1, args: '{"input":"x"}' },
    { type: 'tool_args', index: 0, args: ':1}' },
    ...ending('tool_calls'),
  ],
];

function eventsOf(client: Wire, deltas: Delta[], fault?: AppError): string[] {
  const echo = { members: echoOf(request), tools: new Map(names) };
  const writer = { client, model: 'm', id: 'x_1', created: 5, now: () => 9, includeUsage: true, requestId: 'req_1' };
  const stream = newRenderer({ ...writer, echo, showThoughts: true });
  const text = deltas.map((delta) => stream.push(delta)).join('') + (fault ? stream.fail(fault) : '');
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => line.slice('data: '.length));
}

const faultsIn = (shown: Partial<Record<Wire, string[]>>): Promise<string[]> =>
  typeFaults({ file: join(import.meta.dir, 'sdk-types.fixture.ts'), name: 'SdkEvents' }, shown);

test('every event matches the types of the vendor’s library', async () => {
  const shown = Object.fromEntries(wires.map((wire) => [wire, answers.flatMap((deltas) => eventsOf(wire, deltas))]));
  for (const wire of wires) expect(shown[wire]!.length).toBeGreaterThan(answers.length);
  // In the other formats a stream that breaks off ends with an error, which their libraries throw.
  const fault = new AppError('provider_error', 'It broke.');
  const broken = [...eventsOf('responses', words, fault), ...eventsOf('responses', [], fault)];
  expect(await faultsIn({ ...shown, responses: [...shown.responses!, ...broken] })).toEqual([]);
});

test('an event that does not match is detected', async () => {
  const wrong: [Wire, Json][] = [
    [
      'responses',
      { type: 'response.output_text.delta', sequence_number: 1, item_id: 'i', output_index: 0, delta: 'a' },
    ],
    ['responses', { type: 'response.output_text.deltas' }],
    [
      'chat',
      { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {} }, 7] },
    ],
    ['chat', { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [] }],
    ['messages', { type: 'content_block_start', content_block: { type: 'text', text: '' } }],
    ['gemini', { candidates: [{ finishReason: 'DONE' }] }],
  ];
  const shown = Map.groupBy(wrong, ([wire]) => wire);
  const events = [...shown].map(([wire, ones]) => [wire, ones.map(([, event]) => JSON.stringify(event))] as const);
  expect(await faultsIn(Object.fromEntries(events))).toHaveLength(wrong.length);
});
