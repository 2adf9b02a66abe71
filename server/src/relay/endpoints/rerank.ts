import { randomString } from '../../lib/ids.ts';
import { plausibleOrCounted } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, maxInteger, missing, optionalBoolean, optionalInteger, requiredString } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { bytesOf, countMost, countTexts } from './count-texts.ts';

const maxDocuments = 1_000;
/** Vendors billing by search count this many documents as one. */
const documentsPerSearch = 100;
/**
 * Longer documents are split, and each piece counts: vendors split at 500 tokens, which have at least this many bytes.
 */
const bytesPerPiece = 1_000;

/** Vendors split and count differently. */
const otherCutting = 4;

const piecesOf = (documents: string[]): number =>
  documents.reduce((sum, text) => sum + Math.max(1, Math.ceil(Buffer.byteLength(text) / bytesPerPiece)), 0);

function readDocuments(value: unknown): string[] {
  if (value === undefined || value === null) throw missing('documents');
  if (!Array.isArray(value) || value.length === 0) throw invalid('documents', `'documents' must be a non-empty array.`);
  if (value.length > maxDocuments) throw invalid('documents', `'documents' may contain at most ${maxDocuments} items.`);
  return value.map((item, i) => {
    const text = isObject(item) ? item.text : item;
    if (typeof text === 'string') return text;
    throw invalid(`documents[${i}]`, `'documents[${i}]' must be a string or an object with 'text'.`);
  });
}

export async function rerank(deps: RelayDeps, context: RequestContext, given: Json): Promise<Answered<Json>> {
  const model = requiredString(given, 'model');
  const query = requiredString(given, 'query');
  const documents = readDocuments(given.documents);
  optionalBoolean(given, 'return_documents');
  const topN = optionalInteger(given, 'top_n', 1, maxInteger);
  // All vendors accept plain texts.
  const body: Json = { ...given, documents, top_n: Math.min(topN ?? documents.length, documents.length) };
  const searches = Math.ceil(documents.length / documentsPerSearch);
  const mostSearches = Math.ceil(piecesOf(documents) / documentsPerSearch) * otherCutting;
  // Some vendors count the query with every document.
  const most = bytesOf(documents) + bytesOf([query]) * documents.length;
  return callEndpoint<Json>(deps, context, {
    type: 'rerank',
    model,
    offeredBy: (kind) => kind.rerank !== undefined,
    estimate: {
      most: () => ({ promptTokens: most, completionTokens: 0, units: mostSearches }),
      countPrompt: async () => (await countMost(documents)) + (await countMost([query])) * documents.length,
    },
    toUpstream: (kind, target) => kind.rerank!.toUpstream(body, target),
    read: async (response, kind) => {
      const read = kind.rerank!.fromUpstream(await readJson(response), body);
      const results = read.body.results as { index: number; relevance_score: number }[];
      const ranked = new Set(results.map(({ index }) => index));
      if (results.length === 0 || results.some(({ index }) => !(index in documents)))
        throw new UpstreamFault(failure('the upstream ranked documents that were not sent'));
      if (ranked.size < results.length) throw new UpstreamFault(failure('the upstream ranked a document twice'));
      if (!results.every(({ relevance_score }) => Number.isFinite(relevance_score)))
        throw new UpstreamFault(failure('the upstream ranked a document without a score'));
      const count = () => countTexts([query, ...documents]);
      const { tokens, ...how } = await plausibleOrCounted(
        deps,
        context,
        read.usage?.promptTokens || undefined,
        most,
        count,
      );
      const reported = read.usage?.units ?? 0;
      const units = Number.isSafeInteger(reported) && reported > 0 && reported <= mostSearches ? reported : searches;
      return {
        value: {
          ...read.body,
          id: read.body.id ?? `rerank-${randomString(24)}`,
          model,
          usage: { total_tokens: tokens, search_units: units },
        },
        usage: { promptTokens: tokens, completionTokens: 0, units, ...how },
      };
    },
  });
}
