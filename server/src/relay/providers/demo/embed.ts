import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { mapYielding } from '../../../lib/map-yielding.ts';
import type { Tokens } from '../../../lib/tokens.ts';
import { findDemoModel } from './models.ts';
import { stem, words } from './text.ts';

const tokenIds = z.array(z.int());
export const embeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1), tokenIds.min(1), z.array(tokenIds).min(1)]),
  dimensions: z.int().min(8).max(3072).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
});

const defaultDimensions = 256;

/** Very common words say little about similarity; at full weight all texts would look alike. */
const light = new Set(
  'a an the and or of in on at to for from by with is are was were be it this that i you we they'.split(' '),
);

/** Feature hashing of word stems and character trigrams, weighted by 1 + ln(tf), normalised. */
export function embed(text: string, dimensions = defaultDimensions): Float32Array {
  const counts = new Map<string, number>();
  const add = (feature: string, weight: number): void => void counts.set(feature, (counts.get(feature) ?? 0) + weight);
  for (const word of words(text)) {
    const root = stem(word);
    const weight = light.has(word) ? 0.1 : 1;
    add(`w:${root}`, weight);
    // Trigrams match spelling variants and compounds; together they weigh less than the word.
    const padded = `^${root}$`;
    const share = (0.6 * weight) / Math.max(1, padded.length - 2);
    for (let at = 0; at + 3 <= padded.length; at += 1) add(`t:${padded.slice(at, at + 3)}`, share);
  }
  const vector = new Float32Array(dimensions);
  for (const [feature, count] of counts) {
    const hash = Bun.hash.xxHash32(feature);
    const weight = count >= 1 ? 1 + Math.log(count) : count;
    // The sign bit keeps collisions from only adding up.
    vector[(hash >>> 1) % dimensions]! += hash & 1 ? weight : -weight;
  }
  const length = Math.hypot(...vector);
  // A text without words needs a unit vector too, since the cosine with zeros is NaN.
  if (length === 0) vector[0] = 1;
  else for (let at = 0; at < dimensions; at += 1) vector[at]! /= length;
  return vector;
}

export async function answerEmbeddings(
  request: z.infer<typeof embeddingRequest>,
  counter: Tokens,
): Promise<Record<string, unknown>> {
  const inputs = inputsOf(request.input);
  const limit = findDemoModel(request.model)!.context_length;
  const counts = await counter.countEach(inputs.map((input) => (typeof input === 'string' ? input : '')));
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const size = typeof input === 'string' ? counts[index]! : input.length;
    if (size === 0) throw new AppError('invalid_value', `Input ${index} is empty.`, { param: 'input' });
    if (size > limit) {
      throw new AppError('context_length_exceeded', `Input ${index} has ${size} tokens; the limit is ${limit}.`, {
        param: 'input',
      });
    }
    tokens += size;
  }
  const data = await mapYielding(inputs, (input, index) => {
    const vector = embed(typeof input === 'string' ? input : input.join(' '), request.dimensions ?? defaultDimensions);
    return {
      object: 'embedding',
      index,
      embedding: request.encoding_format === 'base64' ? base64Of(vector) : [...vector],
    };
  });
  return {
    object: 'list',
    model: request.model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

function inputsOf(input: z.infer<typeof embeddingRequest>['input']): (string | number[])[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
}
