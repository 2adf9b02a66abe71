import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../lib/errors.ts';
import { openaiKind } from '../../providers/openai.ts';
import { frameOf, responseEvents, wholeResponse } from '../../responses-upstream.fixture.ts';
import type { Json, WireFormat } from '../conversation.ts';
import { RelayStream } from '../relay-stream.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What it says, in the order of its pieces. */
const said = 'hmWell.{"city":"Rome"}';

/** A stream of an upstream up to a cut, as a client gets it, and what is known of it then. */
function carried(client: WireFormat, bytes: Uint8Array, pieces: number[]) {
  let counted = '';
  const kept: Json[] = [];
  const relay = new RelayStream({
    client,
    upstream: 'responses',
    decode: openaiKind.responses!.decoder(),
    model: 'x/m',
    id: 'resp_own',
    created: 1,
    includeUsage: true,
    onOutput: (text) => {
      counted += text;
    },
    onEnded: (response) => kept.push(response),
  });
  const out: Uint8Array[] = [];
  let at = 0;
  for (const size of [...pieces, bytes.length]) {
    const piece = relay.push(bytes, at, Math.min(bytes.length, at + size));
    if (piece) out.push(new Uint8Array(piece));
    at = Math.min(bytes.length, at + size);
  }
  const { tail, summary } = relay.end();
  if (tail) out.push(tail);
  if (!summary.complete) out.push(relay.fail(new AppError('provider_error', 'cut')));
  return { text: decoder.decode(Buffer.concat(out)), summary, counted, kept };
}

const cut = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  pieces: fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 12 }),
});

const events = (text: string): Json[] => (text.match(/^data: \{.*$/gm) ?? []).map((line) => JSON.parse(line.slice(6)));

test('a forwarded stream cut at any byte ends as failed, with one id and consecutive numbers', () => {
  const all = encoder.encode(responseEvents().map(frameOf).join(''));
  fc.assert(
    fc.property(cut, ({ share, pieces }) => {
      const { text, summary, kept } = carried('responses', all.slice(0, all.length * share), pieces);
      const told = events(text);
      expect(told.map((event) => event.sequence_number)).toEqual(told.map((_, i) => i));
      expect(text).not.toContain('_up"');
      const last = told.at(-1)!;
      if (told.length === 1) expect(last.type).toBe('error');
      else {
        expect(last.type).toBe(summary.complete ? 'response.completed' : 'response.failed');
        expect(kept.map(({ id }) => id)).toEqual(['resp_own']);
      }
    }),
    { numRuns: 150 },
  );
});

/** How each format tells that an answer broke off, and its own end, which must not be seen then. */
const ends = {
  chat: ['"finish_reason":"error"', '[DONE]'],
  messages: ['event: error', 'message_stop'],
  gemini: ['"error"', '"finishReason"'],
} as const;

test('a translated stream cut at any byte ends and is counted by what was received', () => {
  const all = encoder.encode(responseEvents().map(frameOf).join(''));
  fc.assert(
    fc.property(cut, fc.constantFrom('chat', 'messages', 'gemini'), ({ share, pieces }, client) => {
      const { text, summary, counted } = carried(client, all.slice(0, all.length * share), pieces);
      expect(said.startsWith(counted)).toBe(true);
      expect(summary.hasOutput).toBe(counted !== '');
      expect(summary.usageIsFinal).toBe(summary.complete);
      const [broken, whole] = ends[client];
      expect([text.includes(broken), text.includes(whole)]).toEqual([!summary.complete, summary.complete]);
    }),
    { numRuns: 100, examples: [[{ share: 1, pieces: [] }, 'chat']] },
  );
});

test('deltas are forwarded byte for byte except for the item id', () => {
  const [frame] = responseEvents()
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(frameOf);
  const { text } = carried('responses', encoder.encode(frame!), []);
  const passed = text.slice(0, text.indexOf('\n\n') + 2);
  expect(passed.replace(/msg_own_1/, 'msg_up')).toBe(frame!);
});

test('unknown items and fields are not changed', () => {
  const response = wholeResponse({ output: [{ type: 'dream', id: 'dr_up', deep: { id: 'x' } }], moderation: { a: 1 } });
  const last = { type: 'response.completed', response, sequence_number: 0 };
  const { kept } = carried('responses', encoder.encode(frameOf(last)), []);
  expect(kept[0]).toMatchObject({ moderation: { a: 1 }, output: [{ type: 'dream', deep: { id: 'x' } }] });
  expect((kept[0]!.output as Json[])[0]!.id).toMatch(/^dr_own_1$/);
});

test.each<[string, Json, Json]>([
  ['no details', {}, { cached_tokens: 0, cache_write_tokens: 0 }],
  ['some', { input_tokens_details: { cached_tokens: 2 } }, { cached_tokens: 2, cache_write_tokens: 0 }],
])('the usage of a server that gives %s has all that OpenAI’s libraries require', (_, told, input) => {
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8, ...told };
  const all = encoder.encode(responseEvents(wholeResponse({ usage })).map(frameOf).join(''));
  const { text, kept } = carried('responses', all, []);
  const whole = { ...usage, input_tokens_details: input, output_tokens_details: { reasoning_tokens: 0 } };
  expect(events(text).at(-1)).toMatchObject({ type: 'response.completed', response: { usage: whole } });
  expect(kept).toMatchObject([{ usage: whole }]);
});
