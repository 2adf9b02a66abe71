import type { Usage } from '../../lib/money.ts';
import { isObject, type Json } from './conversation.ts';

const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** A missing score is not 0: it would rank a document where the vendor did not. */
const scoreOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const textOf = (document: unknown): string | undefined => {
  if (typeof document === 'string') return document;
  return isObject(document) && typeof document.text === 'string' ? document.text : undefined;
};

/** Normalises rerank answers of Cohere, Jina, Voyage and vLLM to Cohere's shape. */
export function normalizeRerank(answer: Json, request: Json): { body: Json; usage: Usage } {
  const given = Array.isArray(request.documents) ? request.documents : [];
  const withDocuments = request.return_documents !== false;
  const list = (Array.isArray(answer.results) ? answer.results : (answer.data as unknown[])).filter(isObject);
  const results = list.map((item) => {
    // A missing index is not 0: it would name a wrong document.
    const index = typeof item.index === 'number' ? item.index : -1;
    const text = textOf(given[index]) ?? textOf(item.document);
    return {
      index,
      relevance_score: scoreOf(item.relevance_score ?? item.score),
      ...(withDocuments && text !== undefined && { document: { text } }),
    };
  });
  results.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index);
  const topN = typeof request.top_n === 'number' ? request.top_n : results.length;
  const counts = readCounts(answer);
  return {
    body: {
      id: answer.id ?? null,
      model: request.model,
      results: results.slice(0, topN),
      usage: { total_tokens: counts.tokens, search_units: counts.searchUnits },
    },
    usage: { promptTokens: counts.tokens, completionTokens: 0, units: counts.searchUnits },
  };
}

function readCounts(answer: Json): { tokens: number; searchUnits: number } {
  const usage = isObject(answer.usage) ? answer.usage : {};
  const meta = isObject(answer.meta) ? answer.meta : {};
  const billed = isObject(meta.billed_units) ? meta.billed_units : {};
  const tokens = isObject(meta.tokens) ? meta.tokens : {};
  return {
    tokens: number(usage.total_tokens ?? tokens.input_tokens ?? billed.total_tokens),
    searchUnits: number(billed.search_units ?? usage.search_units) || 1,
  };
}
