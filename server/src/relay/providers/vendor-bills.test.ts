import { describe, expect, test } from 'bun:test';
import { costParts } from '../../lib/cost-parts.ts';
import { costOf, type Usage } from '../../lib/money.ts';
import { priceOf } from '../../routing/catalog/price-list.ts';
import type { Delta, Json } from '../wire/conversation.ts';
import { anthropicDecoder, fromAnthropic } from './anthropic/answer.ts';
import { fromGemini, geminiDecoder } from './gemini/answer.ts';
import { fromOpenai, openaiDecoder } from './openai/answer.ts';

/*
 * Usages as the vendors' documentation shows them, and what those vendors would charge for them: counted by hand from
 * their price lists, in millionths of a dollar.
 */
type Bill = [what: string, model: string, usage: Json, microUsd: number];

const openai: Bill[] = [
  [
    'most of the prompt from the cache: 86 × 2.50 + 1,920 × 1.25 + 300 × 10',
    'gpt-4o',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
    215 + 2400 + 3000,
  ],
  [
    'reasoning is output: 93 × 1.25 + 1,024 × 0.125 + 1,472 × 10',
    'gpt-5',
    {
      prompt_tokens: 1117,
      completion_tokens: 1472,
      total_tokens: 2589,
      prompt_tokens_details: { cached_tokens: 1024 },
      completion_tokens_details: { reasoning_tokens: 1280 },
    },
    116.25 + 128 + 14_720,
  ],
  [
    'rejected predictions are output: 400 × 2.50 + 250 × 10',
    'gpt-4o-2024-08-06',
    {
      prompt_tokens: 400,
      completion_tokens: 250,
      completion_tokens_details: { accepted_prediction_tokens: 120, rejected_prediction_tokens: 90 },
    },
    1000 + 2500,
  ],
  [
    'a written cache: 52 × 2 + 2,048 × 0.20 + 2,900 × 2.50 + 100 × 12',
    'gpt-5.6-terra',
    {
      prompt_tokens: 5000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 2048, cache_write_tokens: 2900 },
    },
    104 + 409.6 + 7250 + 1200,
  ],
  [
    'the longest of the short prompts: 272,000 × 2.50 + 1,000 × 15',
    'gpt-5.4',
    { prompt_tokens: 272_000, completion_tokens: 1000 },
    680_000 + 15_000,
  ],
  [
    'a long prompt, all of it at the higher price: 100,000 × 5 + 200,000 × 0.50 + 2,000 × 22.50',
    'gpt-5.4',
    { prompt_tokens: 300_000, completion_tokens: 2000, prompt_tokens_details: { cached_tokens: 200_000 } },
    500_000 + 100_000 + 45_000,
  ],
  [
    'audio in and out: 20 × 2.50 + 130 × 32 + 80 × 10 + 320 × 64',
    'gpt-audio',
    {
      prompt_tokens: 150,
      completion_tokens: 400,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 130 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 320 },
    },
    50 + 4160 + 800 + 20_480,
  ],
];

const deepseek: Bill[] = [
  [
    'cache hits and misses: 104 × 1.32 + 896 × 0.044 + 200 × 3.96',
    'deepseek-v4-pro',
    {
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      prompt_tokens_details: { cached_tokens: 896 },
      completion_tokens_details: { reasoning_tokens: 150 },
      prompt_cache_hit_tokens: 896,
      prompt_cache_miss_tokens: 104,
    },
    137.28 + 39.424 + 792,
  ],
  [
    'only vendor-specific fields: 36 × 0.30 + 64 × 0.006 + 10 × 1.20',
    'deepseek-flash',
    { prompt_tokens: 100, completion_tokens: 10, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    10.8 + 0.384 + 12,
  ],
];

const anthropic: Bill[] = [
  [
    'caches of both lifetimes: 2,048 × 3 + 1,800 × 0.30 + 148 × 3.75 + 100 × 6 + 503 × 15',
    'claude-sonnet-4-5',
    {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      output_tokens: 503,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
    },
    6144 + 540 + 555 + 600 + 7545,
  ],
  [
    'a book written to the cache: 21 × 3 + 188,086 × 3.75 + 393 × 15',
    'claude-sonnet-4-6',
    { input_tokens: 21, cache_creation_input_tokens: 188_086, cache_read_input_tokens: 0, output_tokens: 393 },
    63 + 705_322.5 + 5895,
  ],
  [
    'the book read again: 21 × 3 + 188,086 × 0.30 + 393 × 15',
    'claude-sonnet-4-6',
    { input_tokens: 21, cache_creation_input_tokens: 0, cache_read_input_tokens: 188_086, output_tokens: 393 },
    63 + 56_425.8 + 5895,
  ],
  [
    'the longest of the short prompts: 10,000 × 0.10 + 90,000 × 0.01 + 1,000 × 0.50',
    'claude-haiku-5-5',
    { input_tokens: 10_000, cache_read_input_tokens: 90_000, output_tokens: 1000 },
    1000 + 900 + 500,
  ],
  [
    'one token more: 10,000 × 0.50 + 90,001 × 0.05 + 1,000 × 2.50',
    'claude-haiku-5-5',
    { input_tokens: 10_000, cache_read_input_tokens: 90_001, output_tokens: 1000 },
    5000 + 4500.05 + 2500,
  ],
];

const gemini: Bill[] = [
  [
    'cached prompt and reasoning: 476 × 1.25 + 1,024 × 0.125 + (200 + 800) × 10',
    'gemini-2.5-pro',
    {
      promptTokenCount: 1500,
      cachedContentTokenCount: 1024,
      candidatesTokenCount: 200,
      thoughtsTokenCount: 800,
      totalTokenCount: 2500,
    },
    595 + 128 + 10_000,
  ],
  [
    'the longest of the short prompts: 200,000 × 1.25 + 100 × 10',
    'gemini-2.5-pro',
    { promptTokenCount: 200_000, candidatesTokenCount: 100 },
    250_000 + 1000,
  ],
  [
    'a long prompt: 50,000 × 2.50 + 200,000 × 0.25 + 1,500 × 15',
    'gemini-2.5-pro',
    {
      promptTokenCount: 250_000,
      cachedContentTokenCount: 200_000,
      candidatesTokenCount: 1000,
      thoughtsTokenCount: 500,
    },
    125_000 + 50_000 + 22_500,
  ],
  [
    'a minute of audio: 80 × 0.30 + 1,920 × 1 + 150 × 2.50',
    'gemini-2.5-flash',
    {
      promptTokenCount: 2000,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 50,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 80 },
        { modality: 'AUDIO', tokenCount: 1920 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
    },
    24 + 1920 + 375,
  ],
  [
    'partly cached audio: 700 × 0.30 + 800 × 1 + 1,500 × 0.03 + 10 × 2.50',
    'gemini-2.5-flash',
    {
      promptTokenCount: 3000,
      cachedContentTokenCount: 1500,
      candidatesTokenCount: 10,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 2000 },
        { modality: 'TEXT', tokenCount: 1000 },
      ],
      cacheTokensDetails: [
        { modality: 'AUDIO', tokenCount: 1200 },
        { modality: 'TEXT', tokenCount: 300 },
      ],
    },
    210 + 800 + 45 + 25,
  ],
  [
    'tool results are prompt tokens: 500 × 0.30 + 50 × 2.50',
    'gemini-2.5-flash',
    { promptTokenCount: 100, toolUsePromptTokenCount: 400, candidatesTokenCount: 50, totalTokenCount: 550 },
    150 + 125,
  ],
];

const last = (deltas: Delta[]): Usage | undefined =>
  deltas.flatMap((delta) => (delta.type === 'usage' ? [delta.usage] : [])).at(-1);

interface Vendor {
  bills: Bill[];
  whole(usage: Json): Usage | undefined;
  streamed(usage: Json): Usage | undefined;
}

const chatAnswer = { id: 'c', model: 'm', choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] };
const chat = (bills: Bill[]): Vendor => ({
  bills,
  whole: (usage) => fromOpenai({ ...chatAnswer, usage }).usage,
  streamed(usage) {
    const decode = openaiDecoder();
    const chunk = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hi' } }], usage: null };
    return last([...decode(chunk), ...decode({ id: 'c', model: 'm', choices: [], usage })]);
  },
});

const vendors: Record<string, Vendor> = {
  openai: chat(openai),
  deepseek: chat(deepseek),
  anthropic: {
    bills: anthropic,
    whole: (usage) =>
      fromAnthropic({ id: 'm', model: 'm', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage })
        .usage,
    streamed(usage) {
      const decode = anthropicDecoder();
      // The prompt comes with the first event; the last repeats some of it, and has the output.
      const { output_tokens, cache_creation, ...prompt } = usage;
      const start = { ...prompt, ...(cache_creation !== undefined && { cache_creation }), output_tokens: 1 };
      return last([
        ...decode({ type: 'message_start', message: { id: 'm', model: 'm', usage: start } }),
        ...decode({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { ...prompt, output_tokens } }),
        ...decode({ type: 'message_delta', delta: {}, usage: { output_tokens } }),
      ]);
    },
  },
  gemini: {
    bills: gemini,
    whole: (usageMetadata) =>
      fromGemini({ candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }], usageMetadata }).usage,
    streamed(usage) {
      const decode = geminiDecoder();
      const piece = { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] };
      const { candidatesTokenCount: _, thoughtsTokenCount: __, ...first } = usage;
      return last([...decode({ ...piece, usageMetadata: first }), ...decode({ ...piece, usageMetadata: usage })]);
    },
  },
};

for (const [provider, { bills, whole, streamed }] of Object.entries(vendors)) {
  describe(`a bill from ${provider}`, () => {
    test.each(bills)('%s', (_, model, usage, microUsd) => {
      const price = priceOf(provider, model)!;
      // Two millionths of a dollar are one unit of quota; a part of one is a whole one.
      const quota = Math.ceil(Number((microUsd / 2).toFixed(6)));
      expect(costOf(price, whole(usage)!)).toBe(quota);
      expect(streamed(usage)).toEqual(whole(usage));
      expect(costParts(price, whole(usage)!).reduce((sum, { cost }) => sum + cost, 0)).toBe(quota);
    });
  });
}
