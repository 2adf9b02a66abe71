import { isObject, type Json } from '../conversation.ts';
import { invalid, maxInteger, missing, optionalInteger, readArray, readObject, weigh } from '../read.ts';
import { documentedNames, listOf, withPartList } from './names.ts';

/** Converts the body of `embedContent` to that of `/v1/embeddings`. */
export function readEmbedRequest(value: unknown, model: string): Json {
  return embeddingBody(model, [readOne(documented(value), '')]);
}

/** The same for `batchEmbedContents`. */
export function readBatchEmbedRequest(value: unknown, model: string): Json {
  const { requests } = documented(value);
  if (requests == null) throw missing('requests');
  const list = readArray(listOf(requests), 'requests');
  if (list.length === 0) throw invalid('requests', `'requests' must contain at least one request.`);
  return embeddingBody(
    model,
    list.map((item, i) => readOne(readObject(item, `requests[${i}]`), `requests[${i}]`)),
  );
}

/** Vectors in this format's form. */
export const vectorsOf = ({ data }: Json): { values: unknown }[] =>
  (data as { embedding: unknown }[]).map(({ embedding }) => ({ values: embedding }));

function documented(value: unknown): Json {
  const given = readObject(value, 'body');
  weigh(given);
  return documentedNames(given) as Json;
}

interface One {
  text: string;
  dimensions: number | undefined;
  /** Extra information for Google's models; other vendors have no such fields. */
  hint: Json;
}

function readOne(request: Json, at: string): One {
  const param = at === '' ? 'content' : `${at}.content`;
  if (request.content == null) throw missing(param);
  const { parts } = readObject(withPartList(request.content), param);
  const texts = readArray(parts, `${param}.parts`).map((part, i) => {
    if (isObject(part) && typeof part.text === 'string') return part.text;
    throw invalid(`${param}.parts[${i}]`, `'${param}.parts' may contain only texts.`);
  });
  const text = texts.join('\n');
  if (text === '') throw invalid(param, `'${param}' must contain a non-empty text.`);
  const { taskType, title } = request;
  return {
    text,
    dimensions: optionalInteger(request, 'outputDimensionality', 1, maxInteger, at),
    hint: { ...(taskType != null && { taskType }), ...(title != null && { title }) },
  };
}

function embeddingBody(model: string, all: One[]): Json {
  const { dimensions } = all[0]!;
  if (all.some((one) => one.dimensions !== dimensions))
    throw invalid('requests', `'outputDimensionality' must be the same in all requests.`);
  return {
    model,
    input: all.map(({ text }) => text),
    ...(dimensions !== undefined && { dimensions }),
    ...(all.some(({ hint }) => Object.keys(hint).length > 0) && { hints: all.map(({ hint }) => hint) }),
  };
}
