import { describe, expect, test } from 'bun:test';
import { type ByteSource, readText } from '../../../lib/byte-source.ts';
import { fetchedAnswer } from '../../../platform/upstream/source.ts';
import { type Json, UpstreamFault } from '../../wire/conversation.ts';
import { bedrockKind } from '../bedrock.ts';
import { converseDecoder, converseReceived, fromConverse } from './converse-answer.ts';
import { chunkFrame, eventFrame, exceptionFrame, frameOf } from './frames.fixture.ts';

const bodyOf = (...pieces: (string | Uint8Array)[]): ByteSource =>
  fetchedAnswer(
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
          controller.close();
        },
      }),
    ),
  ).body;

const usage = { inputTokens: 3, outputTokens: 11, totalTokens: 26, cacheReadInputTokens: 7, cacheWriteInputTokens: 5 };
const answer = (content: Json[], stopReason = 'end_turn') => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
  metrics: { latencyMs: 1 },
});

describe('whole Converse answers', () => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'hm' } } },
    { reasoningContent: { redactedContent: 'enp6' } },
    { text: 'Let me see.' },
    { toolUse: { toolUseId: 'tooluse_2', name: 'g', input: { b: [1] } } },
    { citationsContent: { content: [{ text: 'as ' }, { text: 'said' }], citations: [] } },
    { image: { format: 'png', source: { bytes: 'iV' } } },
  ];

  test('become a message', async () => {
    const read = JSON.parse(
      await readText(converseReceived(bodyOf(JSON.stringify(answer(content, 'tool_use'))), false)),
    );
    expect(read).toEqual({
      id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/),
      ...{ type: 'message', role: 'assistant', model: '', stop_reason: 'tool_use', stop_sequence: null },
      content: [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'redacted_thinking', data: 'enp6' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'tooluse_2', name: 'g', input: { b: [1] } },
        { type: 'text', text: 'as said' },
      ],
      usage: { input_tokens: 3, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 11 },
    });
    expect(fromConverse(read)).toMatchObject({
      finish: 'tool_calls',
      usage: { promptTokens: 15, completionTokens: 11, cacheReadTokens: 7, cacheWriteTokens: 5 },
    });
  });

  test('that are already complete are read synchronously', () => {
    const text = JSON.stringify(answer([{ text: 'x' }]));
    const body = converseReceived({ ...bodyOf(text), wholeText: () => text }, false);
    expect(readText(body)).toContain('"type":"message"');
  });

  test('can be read without translation to Messages', () => {
    expect(fromConverse(answer([{ text: 'x' }]))).toMatchObject({
      parts: [{ type: 'text', text: 'x' }],
      finish: 'stop',
    });
  });

  test('report cache writes by lifetime', () => {
    const cacheDetails = [
      { ttl: '1h', inputTokens: 2 },
      { ttl: '5m', inputTokens: 3 },
    ];
    expect(fromConverse({ ...answer([{ text: 'x' }]), usage: { ...usage, cacheDetails } }).usage).toMatchObject({
      promptTokens: 15,
      cacheWriteTokens: 3,
      cacheWrite1hTokens: 2,
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['model_context_window_exceeded', 'length'],
  ])('stop reason %s becomes %s', (reason, finish) => {
    expect(fromConverse(answer([{ text: 'x' }], reason)).finish).toBe(finish as never);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no output', { stopReason: 'end_turn' }],
    ['no stop reason', { output: { message: { content: [] } } }],
    ['a malformed call', answer([{ text: 'x' }], 'malformed_tool_use')],
  ])('with %s are upstream faults', (_, json) => {
    expect(() => fromConverse(json)).toThrow(UpstreamFault);
  });

  test('that are not JSON are returned unchanged', async () => {
    expect(await readText(converseReceived(bodyOf('<html>'), false))).toBe('<html>');
  });
});

/** The events of a stream, read in every way in which streams are read. */
async function eventsOf(received: (body: ByteSource) => ByteSource, ...chunks: Uint8Array[]): Promise<Json[]> {
  const read = await readText(received(bodyOf(...chunks)));
  let flowed = '';
  const source = received(bodyOf(...chunks));
  const full = await source.flow((bytes, from, to) => {
    flowed += Buffer.from(bytes.subarray(from, to)).toString();
    return true;
  });
  expect([full, flowed]).toEqual([false, read]);
  return parsed(read);
}

const parsed = (text: string): Json[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame)!;
      const event = JSON.parse(data!) as Json;
      expect(event.type).toBe(name!);
      return event;
    });

const converse = (body: ByteSource) => converseReceived(body, true);
const claude = (body: ByteSource) => bedrockKind.forModel!('anthropic.claude-x').received!(body, true);

const delta = (contentBlockIndex: number, value: Json) =>
  eventFrame('contentBlockDelta', { contentBlockIndex, delta: value, p: 'abc' });
const stop = (contentBlockIndex: number) => eventFrame('contentBlockStop', { contentBlockIndex, p: 'ab' });
const head = eventFrame('messageStart', { role: 'assistant', p: 'abcdef' });
const ended = (stopReason: string) => eventFrame('messageStop', { stopReason });
const counted = eventFrame('metadata', { usage, metrics: { latencyMs: 1 } });

describe('Converse streams', () => {
  const spoken = [
    head,
    delta(0, { reasoningContent: { text: 'h' } }),
    delta(0, { reasoningContent: { text: 'm' } }),
    delta(0, { reasoningContent: { signature: 'Sig' } }),
    stop(0),
    delta(1, { reasoningContent: { redactedContent: 'enp6' } }),
    stop(1),
    // An empty block that nothing is said of.
    stop(2),
    delta(3, { text: 'Let ' }),
    delta(3, { text: 'me.' }),
    stop(3),
    eventFrame('contentBlockStart', { contentBlockIndex: 4, start: { toolUse: { toolUseId: 't1', name: 'f' } } }),
    delta(4, { toolUse: { input: '{"a":' } }),
    delta(4, { toolUse: { input: '1}' } }),
    stop(4),
    ended('tool_use'),
    counted,
  ];
  const begins = (index: number, content_block: Json) => ({ type: 'content_block_start', index, content_block });
  const piece = (index: number, value: Json) => ({ type: 'content_block_delta', index, delta: value });
  const stops = (index: number) => ({ type: 'content_block_stop', index });
  const expected = [
    { type: 'message_start', message: expect.objectContaining({ type: 'message', content: [] }) },
    begins(0, { type: 'thinking', thinking: '', signature: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'h' }),
    piece(0, { type: 'thinking_delta', thinking: 'm' }),
    piece(0, { type: 'signature_delta', signature: 'Sig' }),
    stops(0),
    begins(1, { type: 'redacted_thinking', data: 'enp6' }),
    stops(1),
    begins(2, { type: 'text', text: '' }),
    piece(2, { type: 'text_delta', text: 'Let ' }),
    piece(2, { type: 'text_delta', text: 'me.' }),
    stops(2),
    begins(3, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
    piece(3, { type: 'input_json_delta', partial_json: '{"a":' }),
    piece(3, { type: 'input_json_delta', partial_json: '1}' }),
    stops(3),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 3, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 11 },
    },
    { type: 'message_stop' },
  ];

  test('become Messages streams, however they are split', async () => {
    const bytes = Buffer.concat(spoken);
    for (const size of [1, 7, 100, bytes.length]) {
      const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(await allEvents(cut)).toEqual(expected);
    }
  });

  test('are decoded with usage only after it is reported', async () => {
    const deltas = (await allEvents(spoken)).flatMap(converseDecoder());
    expect(deltas.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', usage: { promptTokens: 15, completionTokens: 11, cacheReadTokens: 7, cacheWriteTokens: 5 } },
    ]);
    expect(deltas.slice(-2)).toEqual([{ type: 'finish', finish: 'tool_calls' }, { type: 'end' }]);
  });

  test('without usage at the end still close their blocks and end', async () => {
    const events = await allEvents([head, delta(0, { text: 'x' }), ended('end_turn')]);
    expect(events.slice(-3)).toEqual([
      stops(0),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 0 } },
      { type: 'message_stop' },
    ]);
  });

  test('that are cut between two frames have no end event', async () => {
    expect((await allEvents([head, delta(0, { text: 'x' })])).map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
  });

  test('with malformed model output end with an error', async () => {
    const events = await allEvents([head, delta(0, { text: 'x' }), ended('malformed_model_output'), counted]);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  });
});

/** The id differs from reading to reading, so that it is read once. */
const allEvents = async (frames: Uint8Array[]): Promise<Json[]> => parsed(await readText(converse(bodyOf(...frames))));

describe('Claude streams', () => {
  const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'h\né' } };

  test('contain the original events', async () => {
    const end = { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 1 } };
    const frames = [chunkFrame(text), eventFrame('somethingNew', {}), chunkFrame(end)];
    expect(await eventsOf(claude, ...frames)).toEqual([text, { type: 'message_stop' }]);
    expect(await eventsOf(claude, Buffer.concat(frames))).toEqual([text, { type: 'message_stop' }]);
  });

  test.each(['throttlingException', 'modelStreamErrorException', 'validationException'])(
    'end with the error for %s and nothing after it',
    async (name) => {
      const frames = [chunkFrame(text), exceptionFrame(name, 'why'), chunkFrame(text)];
      for (const chunks of [frames, [Buffer.concat(frames)]]) {
        const events = await eventsOf(claude, ...chunks);
        expect(events).toHaveLength(2);
        expect(events[1]).toMatchObject({ type: 'error', error: { message: 'why' } });
      }
    },
  );

  const failed = (message: unknown) => ({ type: 'error', error: { type: 'api_error', message } });
  const turned = Uint8Array.from(chunkFrame(text));
  turned[20]! ^= 1;
  test.each<[string, Uint8Array]>([
    ['a checksum is wrong', turned],
    ['it is cut in a frame', chunkFrame(text).subarray(0, 30)],
    ['it is not a stream of frames', Buffer.from('<html><body>Bad gateway</body></html>')],
    ['an event is not JSON', eventFrame('chunk', { bytes: 'e30e' })],
    ['an event has no type', chunkFrame({})],
    ['the transport fails', frameOf({ ':message-type': 'error', ':error-message': 'lost' }, '')],
  ])('end with an error if %s', async (_, broken) => {
    expect(await eventsOf(claude, chunkFrame(text), broken)).toEqual([text, failed(expect.any(String))]);
  });
});
