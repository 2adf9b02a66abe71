import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Usage } from '../lib/money.ts';
import { countUsage } from './count-usage.ts';
import { isPlausible, plausibleUsage } from './plausible-usage.ts';
import type { Json } from './wire/conversation.ts';
import { readGeminiUsage } from './wire/gemini/usage.ts';
import { readChatUsage, readMessagesUsage } from './wire/usage.ts';

const bounds = { promptTokens: 400, completionTokens: 50 };
const ours = { promptTokens: 93, completionTokens: 17 };
const unseen = 1_000;

/** What an upstream may put where a count belongs. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.nat(2_000) },
  fc.constantFrom(null, 0, -1, 1.5, '12', 'many', 1e308, -1e308, Number.MAX_SAFE_INTEGER, true, [], {}),
  fc.double(),
  fc.jsonValue(),
);
const some = (names: string[], nested: Record<string, string[]> = {}) =>
  fc.record(
    {
      ...Object.fromEntries(names.map((name) => [name, anything])),
      ...Object.fromEntries(
        Object.entries(nested).map(([name, inner]) => [
          name,
          fc.oneof(anything, fc.record(Object.fromEntries(inner.map((one) => [one, anything])), { requiredKeys: [] })),
        ]),
      ),
    },
    { requiredKeys: [] },
  );

const formats: [string, fc.Arbitrary<unknown>, (value: unknown) => Usage | undefined][] = [
  [
    'chat',
    some(['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_cache_hit_tokens'], {
      prompt_tokens_details: ['cached_tokens', 'cache_write_tokens', 'audio_tokens'],
      completion_tokens_details: ['reasoning_tokens', 'audio_tokens'],
    }),
    readChatUsage,
  ],
  [
    'messages',
    some(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'], {
      cache_creation: ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'],
      output_tokens_details: ['thinking_tokens'],
    }),
    readMessagesUsage,
  ],
  [
    'gemini',
    some([
      'promptTokenCount',
      'candidatesTokenCount',
      'thoughtsTokenCount',
      'toolUsePromptTokenCount',
      'cachedContentTokenCount',
    ]),
    readGeminiUsage,
  ],
];

/** What would be charged, and how often a lie was logged. */
async function charged(reported: Usage | undefined, hasOutput: boolean, usageIsFinal = reported !== undefined) {
  let lines = 0;
  const log = { warn: () => (lines += 1) } as never;
  const told = usageIsFinal ? plausibleUsage(reported, bounds, hasOutput) : undefined;
  const count = { count: async () => ours.promptTokens, countOutput: async () => ours.completionTokens };
  const usage =
    told ?? (await countUsage({ log }, { requestId: 'r' }, { usage: reported, usageIsFinal }, bounds, count, count));
  return { usage, lines };
}

const promptParts = ['cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens', 'audioInTokens', 'imageInTokens'];
const sum = (usage: Usage, names: string[]) =>
  names.reduce((all, name) => all + (((usage as unknown as Json)[name] as number | undefined) ?? 0), 0);

function expectSound(usage: Usage, hasOutput: boolean): void {
  for (const [name, value] of Object.entries(usage))
    if (name !== 'estimated') expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
  expect(usage.promptTokens).toBeGreaterThan(0);
  expect(usage.promptTokens).toBeLessThanOrEqual(bounds.promptTokens + unseen);
  expect(usage.completionTokens).toBeLessThanOrEqual(bounds.completionTokens + unseen);
  if (hasOutput) expect(usage.completionTokens).toBeGreaterThan(0);
  expect(sum(usage, promptParts)).toBeLessThanOrEqual(usage.promptTokens);
  expect(sum(usage, ['reasoningTokens', 'audioOutTokens'])).toBeLessThanOrEqual(usage.completionTokens);
}

describe('the charged usage is always possible, whatever an upstream reports', () => {
  for (const [name, usages, read] of formats) {
    test(name, async () => {
      await fc.assert(
        fc.asyncProperty(usages, fc.boolean(), fc.boolean(), async (json, hasOutput, cut) => {
          const reported = read(json);
          const { usage, lines } = await charged(reported, hasOutput, reported !== undefined && !cut);
          expectSound(usage, hasOutput);
          expect(lines).toBeLessThanOrEqual(1);
          if (usage.estimated && reported && !cut) expect(lines).toBe(1);
        }),
        { numRuns: 3_000 },
      );
    });
  }

  test('arbitrary numbers, including parts', async () => {
    const names = ['promptTokens', 'completionTokens', ...promptParts, 'reasoningTokens', 'audioOutTokens'];
    const numbers = fc.oneof(
      fc.nat(2_000),
      fc.double(),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 1e308),
    );
    const usages = fc.record(Object.fromEntries(names.map((name) => [name, numbers]))) as fc.Arbitrary<unknown>;
    await fc.assert(
      fc.asyncProperty(usages, async (reported) => expectSound((await charged(reported as Usage, true)).usage, true)),
      { numRuns: 3_000 },
    );
  });
});

describe('accepted usage', () => {
  const cases: [string, Usage, boolean, Usage][] = [
    [
      'an ordinary count',
      { promptTokens: 100, completionTokens: 20 },
      true,
      { promptTokens: 100, completionTokens: 20 },
    ],
    [
      'exactly the bound',
      { promptTokens: 1_400, completionTokens: 1_050 },
      true,
      { promptTokens: 1_400, completionTokens: 1_050 },
    ],
    [
      'a prompt above the bound',
      { promptTokens: 1_401, completionTokens: 20 },
      true,
      { promptTokens: 93, completionTokens: 20, estimated: true },
    ],
    [
      'an answer above the bound',
      { promptTokens: 100, completionTokens: 1_051 },
      true,
      { promptTokens: 100, completionTokens: 17, estimated: true },
    ],
    [
      'no output and none reported',
      { promptTokens: 100, completionTokens: 0 },
      false,
      { promptTokens: 100, completionTokens: 0 },
    ],
    [
      'output but none reported',
      { promptTokens: 100, completionTokens: 0 },
      true,
      { promptTokens: 100, completionTokens: 17, estimated: true },
    ],
    [
      'parts that fit',
      { promptTokens: 100, completionTokens: 20, cacheReadTokens: 90, reasoningTokens: 20 },
      true,
      { promptTokens: 100, completionTokens: 20, cacheReadTokens: 90, reasoningTokens: 20 },
    ],
    [
      'a part larger than its whole',
      { promptTokens: 100, completionTokens: 20, cacheReadTokens: 101, cacheWriteTokens: 7 },
      true,
      { promptTokens: 100, completionTokens: 20, cacheWriteTokens: 7 },
    ],
    [
      'parts of an implausible prompt',
      { promptTokens: 1e308, completionTokens: 20, cacheReadTokens: 90, reasoningTokens: 5 },
      true,
      { promptTokens: 93, completionTokens: 20, reasoningTokens: 5, estimated: true },
    ],
  ];
  for (const [name, reported, hasOutput, expected] of cases) {
    test(name, async () => expect((await charged(reported, hasOutput)).usage).toEqual(expected));
  }

  test('the local count is limited by what the request allowed', async () => {
    const count = { count: async () => 10_000, countOutput: async () => 10_000 };
    const log = { warn: () => {} } as never;
    const summary = { usage: undefined, usageIsFinal: false };
    expect(await countUsage({ log }, { requestId: 'r' }, summary, bounds, count, count)).toEqual({
      ...bounds,
      estimated: true,
    });
    expect(isPlausible(undefined, 10)).toBe(false);
  });
});
