import type { Json } from '../../wire/conversation.ts';

/** Requests for embeddings of at most this many inputs each; `hints` are one for each input. */
export function embeddingPieces(body: Json, most: number): Json[] {
  const { input, hints } = body;
  // Numbers are the tokens of a single input.
  if (!Array.isArray(input) || typeof input[0] === 'number' || input.length <= most) return [body];
  return Array.from({ length: Math.ceil(input.length / most) }, (_, i) => {
    const part = (list: unknown[]): unknown[] => list.slice(i * most, (i + 1) * most);
    return { ...body, input: part(input), ...(Array.isArray(hints) && { hints: part(hints) }) };
  });
}
