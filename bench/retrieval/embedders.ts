import { terms } from '../../server/src/orchestra/search/terms.ts';
import { embed } from '../../server/src/relay/providers/demo/embed.ts';
import { normal, randomOf } from '../kit/random.ts';
import { actions, objects, persons } from './lexicon.ts';

export type Embedder = (text: string) => Float32Array;

const size = 256;
/** Share of words whose meaning a strong embedder knows. */
const known = 0.85;
/** Noise added to its vectors, which have a length of about one. */
const noise = 0.25;

/** Compares words and letters and knows no synonyms, like the built-in demo model. */
export const weak: Embedder = (text) => embed(text);

/** A simulated model that knows most synonyms, tolerates typos, and is slightly noisy. */
export function strongOf(seed: number, more: string[][] = []): Embedder {
  const meaning = new Map<string, string>();
  const learn = (group: string[], name: string) => {
    for (const word of group) {
      for (const term of terms(word)) if (randomOf(seed, 'known', term)() < known) meaning.set(term, name);
    }
  };
  objects.forEach((group, i) => {
    learn(group, `object ${i}`);
  });
  persons.forEach((group, i) => {
    learn(group, `person ${i}`);
  });
  actions.forEach((group, i) => {
    learn(group.flat(), `action ${i}`);
  });
  more.forEach((group, i) => {
    learn(group, `more ${i}`);
  });
  const vectors = new Map<string, Float32Array>();
  const vectorOf = (name: string): Float32Array => {
    let vector = vectors.get(name);
    if (!vector) {
      const random = randomOf(seed, 'vector', name);
      vector = Float32Array.from({ length: size }, () => normal(1 / Math.sqrt(size), random));
      vectors.set(name, vector);
    }
    return vector;
  };
  return (text) => {
    const random = randomOf(seed, 'noise', text);
    const sum = new Float32Array(size);
    const found = terms(text);
    for (const term of found) {
      const vector = vectorOf(meaning.get(term) ?? `word ${term}`);
      for (let i = 0; i < size; i += 1) sum[i]! += vector[i]! / Math.sqrt(found.length);
    }
    const letters = embed(text, size);
    return sum.map((value, i) => value + 0.5 * letters[i]! + normal(noise / Math.sqrt(size), random));
  };
}
