import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { geminiDecoder } from '../../providers/gemini/answer.ts';
import { buildGeminiRequest } from '../../providers/gemini/request.ts';
import { chatRequestOf } from '../../providers/openai/request.ts';
import { parseChatRequest } from '../chat/request.ts';
import type { Answer, Delta, Json, Part, Sourced } from '../conversation.ts';
import { renderGeminiAnswer } from './answer.ts';
import { parseGeminiRequest } from './request.ts';
import { GeminiStream } from './stream.ts';
import { readGeminiUsage, renderGeminiUsage } from './usage.ts';

/* What chat can say survives the way into Google's format and back; what is lost there is named here, and nothing else is. */

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const said = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((text) => text.isWellFormed());
const picture = fc.constantFrom('image/png', 'image/webp').map((type) => ({
  type: 'image_url',
  image_url: { url: `data:${type};base64,iVBORw0KGgo=` },
}));
const texts = fc.array(
  fc.oneof(
    said.map((text) => ({ type: 'text', text })),
    picture,
  ),
  { minLength: 1, maxLength: 3 },
);
const args = fc.dictionary(word, fc.oneof(said, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 });

/** One exchange: what the user says, what is called for it with results, and what the assistant says. */
const exchange = fc.record({
  asked: texts,
  calls: fc.array(fc.record({ name: word, args, result: said }), { maxLength: 3 }),
  answered: said,
});

const schema = fc.dictionary(
  word,
  fc.constantFrom({ type: 'string' }, { type: 'integer', minimum: 1 }, { type: 'array', items: { type: 'number' } }),
  { minKeys: 1, maxKeys: 3 },
);
const objectOf = (properties: unknown) => ({ type: 'object', properties });
const settings = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    top_p: fc.constantFrom(0.1, 1),
    top_k: fc.integer({ min: 1, max: 50 }),
    seed: fc.integer(),
    stop: fc.array(word, { minLength: 1, maxLength: 5 }),
    frequency_penalty: fc.constantFrom(-1, 0.5),
    presence_penalty: fc.constantFrom(-1, 0.5),
    reasoning: fc.integer({ min: 1, max: 9_999 }).map((max_tokens) => ({ max_tokens })),
  },
  { requiredKeys: [] },
);
const tools = fc.uniqueArray(fc.record({ name: word, schema }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ name }) => name,
});
const choice = fc.constantFrom('auto', 'none', 'required');
const asksFor = fc.oneof(
  fc.record({ tools, choice }).map(({ tools: all, choice: tool_choice }) => ({
    tools: all.map(({ name, schema: properties }) => ({
      type: 'function',
      function: { name, description: `Does ${name}`, parameters: objectOf(properties) },
    })),
    tool_choice,
  })),
  schema.map((properties) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: objectOf(properties) } },
  })),
  fc.constant({ response_format: { type: 'json_object' } }),
  fc.constant({}),
);

function messagesOf(
  exchanges: { asked: Json[]; calls: { name: string; args: Json; result: string }[]; answered: string }[],
): Json[] {
  return exchanges.flatMap(({ asked, calls, answered }, turn) => {
    const ids = calls.map((_, i) => `call-${turn}-${i}`);
    const made = calls.map(({ name, args: given }, i) => ({
      id: ids[i],
      type: 'function',
      function: { name, arguments: JSON.stringify(given) },
    }));
    const results = calls.map(({ result }, i) => ({ role: 'tool', tool_call_id: ids[i], content: result }));
    const loop = calls.length === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: made }, ...results];
    return [{ role: 'user', content: asked }, ...loop, { role: 'assistant', content: answered }];
  });
}

/** Without what has no place in the other format: ids of calls (they become numbers here), and how JSON text is spaced. */
function essence({ system, turns, params }: Sourced): unknown {
  const ids = new Map<string, number>();
  const number = (id: string) => ids.get(id) ?? ids.set(id, ids.size).get(id);
  const partOf = (part: Part): unknown => {
    if (part.type === 'tool_call') return { ...part, id: number(part.id), arguments: JSON.parse(part.arguments) };
    if (part.type !== 'tool_result') return part;
    return {
      callId: number(part.callId),
      content: part.content.map((one) => (one.type === 'text' ? loose(one.text) : one)),
    };
  };
  return { system, turns: turns.map(({ role, parts }) => ({ role, parts: parts.map(partOf) })), params };
}

function loose(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

test('round trip from chat to Gemini and back', () => {
  const target = { baseUrl: '', credential: '', modelName: 'gemini-2.5-pro' };
  const request = fc.record({
    system: fc.option(said),
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 3 }),
    settings,
    asksFor,
  });
  fc.assert(
    fc.property(request, ({ system, exchanges, settings: given, asksFor: asked }) => {
      const messages = [...(system === null ? [] : [{ role: 'system', content: system }]), ...messagesOf(exchanges)];
      const chat = parseChatRequest({ model: 'm', messages, ...given, ...asked });
      const written = JSON.parse(JSON.stringify(buildGeminiRequest(chat, target)));
      const back = parseGeminiRequest(written, { model: 'm', stream: false });
      expect(essence(back)).toEqual(essence(chat));
      const again = parseChatRequest({
        ...chatRequestOf(back),
        ...(given.max_tokens && { max_tokens: given.max_tokens }),
      });
      const lost = { topK: undefined, reasoning: undefined };
      expect({ ...(essence(again) as Json), params: { ...again.params, ...lost } }).toEqual({
        ...(essence(chat) as Json),
        params: { ...chat.params, ...lost },
      });
    }),
    { numRuns: 200 },
  );
});

const signature = fc.constantFrom('gemini#c2ln', 'EqQB+/==', undefined);
const part: fc.Arbitrary<Part> = fc.oneof(
  said.map((text) => ({ type: 'text' as const, text })),
  fc
    .record({ type: fc.constant('thinking' as const), text: said, signature })
    .map(({ signature: sign, ...rest }) => ({ ...rest, ...(sign && { signature: sign }) })),
  fc.record({
    type: fc.constant('tool_call' as const),
    id: fc.uuid(),
    name: word,
    arguments: args.map((given) => JSON.stringify(given)),
  }),
);

const textOf = (parts: Json[]) =>
  parts.flatMap(({ text, thought }) => (typeof text === 'string' && !thought ? [text] : [])).join('');
const callsOf = (parts: Json[]) => parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
const partsIn = (body: Json): Json[] => (body.candidates as { content: { parts: Json[] } }[])[0]!.content.parts;

function deltasOf(parts: Part[], pieces: number): Delta[] {
  let calls = 0;
  return parts.flatMap((one): Delta[] => {
    if (one.type === 'text') return [...one.text].map((text) => ({ type: 'text', text }));
    if (one.type === 'thinking')
      return [
        { type: 'thinking', text: one.text },
        ...(one.signature ? [{ type: 'signature' as const, signature: one.signature }] : []),
      ];
    if (one.type !== 'tool_call') return [];
    const index = calls++;
    const size = Math.max(1, Math.ceil(one.arguments.length / pieces));
    const cuts = Array.from({ length: pieces }, (_, i) => one.arguments.slice(i * size, (i + 1) * size));
    return [
      { type: 'tool_start', index, id: one.id, name: one.name },
      ...cuts.map((piece): Delta => ({ type: 'tool_args', index, args: piece })),
    ];
  });
}

test('an answer has the same content whole and streamed, and Google’s library can read it', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (parts, pieces, shows) => {
        const options = { model: 'm', id: 'r', ...(shows && { showThoughts: true as const }) };
        const usage = { promptTokens: 7, completionTokens: 5, reasoningTokens: 2, cacheReadTokens: 3 };
        const answer: Answer = { id: 'a', model: 'up', parts, finish: 'stop', usage };
        const whole = renderGeminiAnswer(answer, options);
        const stream = new GeminiStream(options);
        const deltas: Delta[] = [
          ...deltasOf(parts, pieces),
          { type: 'finish', finish: 'stop' },
          { type: 'usage', usage },
          { type: 'end' },
        ];
        const events = deltas
          .map((delta) => stream.push(delta))
          .join('')
          .trim()
          .split('\n\n')
          .map((event): Json => JSON.parse(event.slice(6)));
        const streamed = events.flatMap(partsIn);
        expect(textOf(streamed)).toBe(textOf(partsIn(whole)));
        expect(callsOf(streamed)).toEqual(callsOf(partsIn(whole)));
        expect(streamed.some(({ thought }) => thought === true)).toBe(
          shows && parts.some(({ type }) => type === 'thinking'),
        );
        expect(events.filter(({ candidates }) => (candidates as Json[])[0]!.finishReason)).toHaveLength(1);
        expect(events.at(-1)!.usageMetadata).toEqual(whole.usageMetadata);
        const decode = geminiDecoder();
        const read = events.flatMap((event) => decode(event));
        expect(read.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('')).toBe(
          textOf(partsIn(whole)),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('usage is read back as written', () => {
  const count = fc.integer({ min: 1, max: 1_000 });
  const usage = fc.record({ reasoning: count, more: count, prompt: count, cached: count, sound: count });
  fc.assert(
    fc.property(usage, ({ reasoning, more, prompt, cached, sound }) => {
      const given = {
        promptTokens: prompt + cached + sound,
        completionTokens: reasoning + more,
        reasoningTokens: reasoning,
        cacheReadTokens: cached,
        audioInTokens: sound,
      };
      expect(readGeminiUsage(renderGeminiUsage(given))).toEqual(given);
    }),
    { numRuns: 100 },
  );
});
