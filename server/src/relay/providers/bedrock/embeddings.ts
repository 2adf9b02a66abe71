import { failure, isObject, type Json, UpstreamFault } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import { tokens } from '../../wire/usage.ts';
import { embeddingPieces } from '../kind/embedding-pieces.ts';
import type { Endpoint } from '../kind.ts';
import { objectOf } from './fields.ts';
import { askModel } from './request.ts';

function textsOf(input: unknown): string[] {
  const list = Array.isArray(input) ? input : [input];
  if (!list.every((item) => typeof item === 'string'))
    throw unsupported('input', 'This model accepts only text, not token IDs.');
  return list;
}

const listOf = (vectors: unknown[], { model }: Json): Json => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model,
});

const without = (what: string) => new UpstreamFault(failure(`the upstream response has no '${what}'`));

/** Amazon Titan: one text per request. */
export const titanEmbeddings: Endpoint = {
  split: (body) => textsOf(body.input).map((input) => ({ ...body, input })),
  toUpstream(body, target) {
    const [inputText] = textsOf(body.input);
    return askModel(target, 'invoke', { inputText, dimensions: body.dimensions ?? undefined });
  },
  fromUpstream(json, body) {
    const { embedding, inputTextTokenCount } = objectOf(json);
    if (!Array.isArray(embedding)) throw without('embedding');
    const promptTokens = tokens(inputTextTokenCount);
    return {
      body: listOf([embedding], body),
      ...(promptTokens !== undefined && { usage: { promptTokens, completionTokens: 0 } }),
    };
  },
};

/** More are refused. */
const mostTexts = 96;

/** Cohere, which reports its tokens only in a header; billing counts them. */
export const cohereEmbeddings: Endpoint = {
  split: (body) => embeddingPieces(body, mostTexts),
  toUpstream: (body, target) =>
    askModel(target, 'invoke', {
      texts: textsOf(body.input),
      input_type: body.input_type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: body.dimensions ?? undefined,
    }),
  fromUpstream(json, body) {
    const { embeddings } = objectOf(json);
    // By type if types were requested, otherwise a plain list.
    const vectors = isObject(embeddings) ? embeddings.float : embeddings;
    if (!Array.isArray(vectors)) throw without('embeddings');
    return { body: listOf(vectors, body) };
  },
};
