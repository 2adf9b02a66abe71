import { isObject, type Json } from '../conversation.ts';
import { toBase64 } from '../embeddings.ts';
import {
  invalid,
  missing,
  optionalEnum,
  optionalInteger,
  readArray,
  readObject,
  readString,
  unsupported,
} from '../read.ts';

/** The embedding task in Google's terms, for its models; other vendors do not get it. */
const tasks = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
} as const;
const purposes = [...(Object.keys(tasks) as (keyof typeof tasks)[]), 'image'] as const;

/** Cohere's limit. */
const mostTexts = 96;

const shapes = ['float', 'base64'] as const;
type Shape = (typeof shapes)[number];

export interface CohereEmbedding {
  /** As the body of `/v1/embeddings`. */
  body: Json;
  texts: string[];
  shapes: Shape[];
}

/** Parses the body of `POST /v2/embed`. */
export function parseCohereEmbed(body: Json): CohereEmbedding {
  const texts = textsOf(body);
  if (texts.length === 0) throw invalid('texts', `'texts' must not be empty.`);
  if (texts.length > mostTexts) throw invalid('texts', `'texts' may contain at most ${mostTexts} items.`);
  const purpose = optionalEnum(body, 'input_type', purposes);
  if (purpose === undefined) throw missing('input_type');
  if (purpose === 'image') throw unsupported('input_type', `'images' are not supported here.`);
  optionalEnum(body, 'truncate', ['NONE', 'START', 'END']);
  const dimensions = optionalInteger(body, 'output_dimension', 1, 65_536);
  return {
    body: {
      model: body.model,
      input: texts,
      ...(dimensions !== undefined && { dimensions }),
      hints: texts.map(() => ({ taskType: tasks[purpose] })),
    },
    texts,
    shapes: shapesOf(body.embedding_types),
  };
}

function textsOf(body: Json): string[] {
  if (body.images != null) throw unsupported('images', `'images' are not supported here.`);
  if (body.texts != null) return readArray(body.texts, 'texts').map((text, i) => readString(text, `texts[${i}]`));
  if (body.inputs == null) throw missing('texts');
  return readArray(body.inputs, 'inputs').map((input, i) => {
    const at = `inputs[${i}].content`;
    const parts = readArray(readObject(input, `inputs[${i}]`).content, at);
    return parts.map((part, j) => textOf(readObject(part, `${at}[${j}]`), `${at}[${j}]`)).join('\n');
  });
}

function textOf(part: Json, at: string): string {
  if (part.type !== 'text') throw unsupported(at, `Parts of type '${part.type}' are not supported by this model.`);
  return readString(part.text, `${at}.text`);
}

/** Types of fewer bits use a quantisation of Cohere's own. */
function shapesOf(value: unknown): Shape[] {
  if (value == null) return ['float'];
  const asked = readArray(value, 'embedding_types');
  if (asked.length === 0) return ['float'];
  return asked.map((name) => {
    const shape = shapes.find((known) => known === name);
    if (shape) return shape;
    throw unsupported('embedding_types', `'embedding_types' may contain only float and base64 here.`);
  });
}

/** Renders an answer of `/v1/embeddings` in Cohere's shape. */
export function renderCohereEmbed({ id, data, usage }: Json, { texts, shapes }: CohereEmbedding): Json {
  const vectors = (data as { embedding: number[] }[]).map(({ embedding }) => embedding);
  return {
    id,
    embeddings: Object.fromEntries(
      shapes.map((shape) => [shape, shape === 'float' ? vectors : vectors.map((vector) => toBase64(vector))]),
    ),
    texts,
    meta: {
      api_version: { version: '2' },
      billed_units: { input_tokens: isObject(usage) ? usage.prompt_tokens : 0 },
    },
    response_type: 'embeddings_by_type',
  };
}
