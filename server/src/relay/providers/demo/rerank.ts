import { z } from 'zod';
import { randomString } from '../../../lib/ids.ts';
import { mapYielding } from '../../../lib/map-yielding.ts';
import type { Tokens } from '../../../lib/tokens.ts';
import { contentStems } from './text.ts';

export const rerankRequest = z.looseObject({
  model: z.string(),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string(), z.looseObject({ text: z.string() })]))
    .min(1)
    .max(1000),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
});

/** Characters read of each text. */
const readChars = 20_000;
const stemsOf = (text: string): string[] => contentStems(text.slice(0, readChars));

/** 0 to 1: mostly the share of query words found, and slightly their density. */
function relevance(wanted: Set<string>, document: string): number {
  const own = stemsOf(document);
  if (wanted.size === 0 || own.length === 0) return 0;
  const have = new Set(own);
  const found = [...wanted].filter((word) => have.has(word)).length / wanted.size;
  const density = own.filter((word) => wanted.has(word)).length / own.length;
  return Math.round((0.85 * found + 0.15 * density) * 10_000) / 10_000;
}

export async function answerRerank(
  request: z.infer<typeof rerankRequest>,
  counter: Tokens,
): Promise<Record<string, unknown>> {
  const texts = request.documents.map((document) => (typeof document === 'string' ? document : document.text));
  const wanted = new Set(stemsOf(request.query));
  const scores = await mapYielding(texts, (text) => relevance(wanted, text));
  const results = texts
    .map((text, index) => ({ index, relevance_score: scores[index]!, text }))
    .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, request.top_n ?? texts.length)
    .map(({ text, ...result }) => (request.return_documents === false ? result : { ...result, document: { text } }));
  const tokens = (await counter.countEach([request.query, ...texts])).reduce((sum, count) => sum + count, 0);
  return {
    id: `rerank-${randomString(20)}`,
    model: request.model,
    results,
    usage: { total_tokens: tokens, search_units: Math.ceil(texts.length / 100) },
  };
}
