import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Usage } from '../../lib/money.ts';
import type { Json } from './conversation.ts';
import { readGeminiUsage } from './gemini/usage.ts';
import { readChatUsage, readMessagesUsage, renderChatUsage, renderMessagesUsage } from './usage.ts';

const dialects: [who: string, usage: Json, read: Usage][] = [
  [
    'xAI leaves reasoning out of the completion',
    {
      prompt_tokens: 125,
      completion_tokens: 8,
      total_tokens: 173,
      prompt_tokens_details: { text_tokens: 100, audio_tokens: 0, image_tokens: 25, cached_tokens: 98 },
      completion_tokens_details: { reasoning_tokens: 40, audio_tokens: 0 },
    },
    { promptTokens: 125, completionTokens: 48, cacheReadTokens: 98, imageInTokens: 25, reasoningTokens: 40 },
  ],
  [
    'OpenRouter reports cache writes',
    {
      prompt_tokens: 200,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 100, audio_tokens: 20 },
    },
    { promptTokens: 200, completionTokens: 5, cacheReadTokens: 60, cacheWriteTokens: 100, audioInTokens: 20 },
  ],
  [
    'Groq',
    {
      queue_time: 0.1,
      prompt_tokens: 40,
      completion_tokens: 5,
      total_time: 0.2,
      prompt_tokens_details: { cached_tokens: 32 },
    },
    { promptTokens: 40, completionTokens: 5, cacheReadTokens: 32 },
  ],
  [
    'Moonshot puts cached tokens on top',
    { prompt_tokens: 40, completion_tokens: 5, cached_tokens: 32 },
    { promptTokens: 40, completionTokens: 5, cacheReadTokens: 32 },
  ],
  [
    'Mistral',
    { prompt_tokens: 40, completion_tokens: 5, num_cached_tokens: 16 },
    { promptTokens: 40, completionTokens: 5, cacheReadTokens: 16 },
  ],
  [
    'Perplexity puts reasoning on top',
    { prompt_tokens: 40, completion_tokens: 50, reasoning_tokens: 30, citation_tokens: 9 },
    { promptTokens: 40, completionTokens: 50, reasoningTokens: 30 },
  ],
  [
    'a proxy of Anthropic keeps its field names',
    { prompt_tokens: 40, completion_tokens: 5, cache_creation_input_tokens: 10, cache_read_input_tokens: 20 },
    { promptTokens: 40, completionTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 10 },
  ],
  [
    'cached audio counts as cached',
    {
      prompt_tokens: 90,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 50, audio_tokens: 60, cached_tokens_details: { audio_tokens: 40 } },
    },
    { promptTokens: 90, completionTokens: 5, cacheReadTokens: 50, audioInTokens: 20 },
  ],
];

describe('reading chat usage of', () => {
  test.each(dialects)('%s', (_, given, read) => {
    expect(readChatUsage(given)).toEqual(read);
  });
});

const amount = fc.nat(1_000_000);
const optional = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined });
const usages = fc
  .record({
    promptTokens: amount,
    completionTokens: amount,
    cacheReadTokens: optional,
    cacheWriteTokens: optional,
    cacheWrite1hTokens: optional,
    reasoningTokens: optional,
    audioInTokens: optional,
    imageInTokens: optional,
    audioOutTokens: optional,
  })
  .map((usage) => {
    const given = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
    // Room for all the parts.
    return {
      ...given,
      promptTokens: usage.promptTokens + 6000,
      completionTokens: usage.completionTokens + 3000,
    } as Usage;
  });

test('usage written in a format is read back unchanged', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      expect(readChatUsage(renderChatUsage(usage))).toEqual(usage);
      const { audioInTokens: _, imageInTokens: __, audioOutTokens: ___, ...said } = usage;
      expect(readMessagesUsage(renderMessagesUsage(usage))).toEqual(said);
    }),
    { numRuns: 5_000 },
  );
}, 300_000);

test('cached tokens are reported in both formats', () => {
  const usage = { promptTokens: 100, completionTokens: 5, cacheReadTokens: 50, cacheWriteTokens: 20 };
  expect(renderChatUsage({ ...usage, cacheWrite1hTokens: 10 })).toEqual({
    prompt_tokens: 100,
    completion_tokens: 5,
    total_tokens: 105,
    prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 30, cache_write_1h_tokens: 10 },
  });
  expect(renderMessagesUsage({ ...usage, cacheWrite1hTokens: 10 })).toEqual({
    input_tokens: 20,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    output_tokens: 5,
  });
});

test('the last event of a stream counts; missing or invalid values keep the earlier ones', () => {
  const start = readMessagesUsage({
    input_tokens: 10,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 25 },
    output_tokens: 1,
  });
  const whole = { promptTokens: 60, cacheReadTokens: 20, cacheWriteTokens: 5, cacheWrite1hTokens: 25 };
  expect(start).toEqual({ ...whole, completionTokens: 1 });
  for (const rest of [{}, { input_tokens: null }, { input_tokens: -1, cache_read_input_tokens: 'x' }])
    expect(readMessagesUsage({ ...rest, output_tokens: 9 }, start)).toEqual({ ...whole, completionTokens: 9 });
});

const names = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details', 'completion_tokens_details'],
  ...['cached_tokens', 'cache_write_tokens', 'cache_write_1h_tokens', 'audio_tokens', 'image_tokens'],
  ...['reasoning_tokens', 'prompt_cache_hit_tokens', 'cached_tokens_details', 'input_tokens', 'output_tokens'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation', 'output_tokens_details'],
  ...['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens', 'thinking_tokens', 'promptTokenCount'],
  ...['cachedContentTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'],
  ...['promptTokensDetails', 'candidatesTokensDetails', 'cacheTokensDetails', 'modality', 'tokenCount'],
];
const odd = fc.constantFrom<unknown>(
  -1,
  0,
  5,
  1.5,
  1e308,
  Number.NaN,
  Infinity,
  -Infinity,
  '7',
  null,
  true,
  'AUDIO',
  [],
);
const { tree } = fc.letrec<{ tree: unknown; object: Json }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 8 }),
  tree: fc.oneof({ maxDepth: 3 }, odd, tie('object'), fc.array(tie('object'), { maxLength: 3 })),
}));

test('any reported usage is read without throwing, and every number is a token count', () => {
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      const read = [
        ...[one, other].flatMap((value) => [readChatUsage(value), readGeminiUsage(value)]),
        // To make up what is said takes longer than to read it, so each of the two comes first once.
        readMessagesUsage(one, readMessagesUsage(other)),
        readMessagesUsage(other, readMessagesUsage(one)),
      ].filter((usage) => usage !== undefined);
      for (const usage of read)
        for (const count of Object.values(usage)) expect(Number.isInteger(count) && (count as number) >= 0).toBe(true);
    }),
    { numRuns: 10_000 },
  );
}, 300_000);
