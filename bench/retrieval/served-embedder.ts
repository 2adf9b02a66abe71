import { z } from 'zod';
import type { Embedder } from './embedders.ts';

const answer = z.looseObject({ data: z.array(z.looseObject({ index: z.int(), embedding: z.array(z.number()) })) });
/** Texts per request that every server accepts. */
const batch = 64;

/** A model behind an OpenAI-compatible `/v1/embeddings` endpoint; all texts are embedded in advance. */
export async function servedBy(address: string, model: string, texts: string[]): Promise<Embedder> {
  const vectors = new Map<string, Float32Array>();
  const distinct = [...new Set(texts)];
  for (let from = 0; from < distinct.length; from += batch) {
    const input = distinct.slice(from, from + batch);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ model, input }) });
    if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
    const { data } = answer.parse(await response.json());
    for (const { index, embedding } of data) vectors.set(input[index]!, Float32Array.from(embedding));
  }
  return (text) => vectors.get(text) ?? new Float32Array(0);
}
