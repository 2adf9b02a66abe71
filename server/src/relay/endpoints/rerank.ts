import { randomString } from '../../lib/ids.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, maxInteger, missing, optionalBoolean, optionalInteger, requiredString } from '../wire/read.ts';
import { type Answered, callEndpoint, readJson } from './call-endpoint.ts';
import { countTexts, estimateTexts } from './count-texts.ts';

const maxDocuments = 1_000;
/** Vendors that bill by search count so many documents as one. */
const documentsPerSearch = 100;

function readDocuments(value: unknown): string[] {
  if (value === undefined || value === null) throw missing('documents');
  if (!Array.isArray(value) || value.length === 0)
    throw invalid('documents', `'documents' must be an array that is not empty.`);
  if (value.length > maxDocuments) throw invalid('documents', `'documents' may hold at most ${maxDocuments} items.`);
  return value.map((item, i) => {
    const text = isObject(item) ? item.text : item;
    if (typeof text === 'string') return text;
    throw invalid(`documents[${i}]`, `'documents[${i}]' must be a string or an object with 'text'.`);
  });
}

export async function rerank(deps: RelayDeps, errand: Errand, given: Json): Promise<Answered<Json>> {
  const model = requiredString(given, 'model');
  const query = requiredString(given, 'query');
  const documents = readDocuments(given.documents);
  optionalBoolean(given, 'return_documents');
  const topN = optionalInteger(given, 'top_n', 1, maxInteger);
  // Plain texts are what every vendor takes.
  const body: Json = { ...given, documents, top_n: Math.min(topN ?? documents.length, documents.length) };
  const searches = Math.ceil(documents.length / documentsPerSearch);
  return callEndpoint<Json>(deps, errand, {
    type: 'rerank',
    model,
    offeredBy: (kind) => kind.rerank !== undefined,
    estimate: () => ({
      promptTokens: estimateTexts([query, ...documents]),
      completionTokens: 0,
      units: searches,
    }),
    toUpstream: (kind, target) => kind.rerank!.toUpstream(body, target),
    read: async (response, kind) => {
      const read = kind.rerank!.fromUpstream(await readJson(response), body);
      const results = read.body.results as { index: number }[];
      if (results.length === 0 || results.some(({ index }) => !(index in documents)))
        throw new UpstreamFault(failure('the upstream ranked documents that were not given'));
      const promptTokens = read.usage?.promptTokens || (await countTexts([query, ...documents]));
      const units = read.usage?.units || searches;
      return {
        value: {
          ...read.body,
          id: read.body.id ?? `rerank-${randomString(24)}`,
          model,
          usage: { total_tokens: promptTokens, search_units: units },
        },
        usage: { promptTokens, completionTokens: 0, units },
      };
    },
  });
}
