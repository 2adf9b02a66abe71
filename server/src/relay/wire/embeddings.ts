import { mapYielding } from '../../lib/map-yielding.ts';
import { isObject } from './conversation.ts';

/** Converts embeddings to the requested encoding, whichever one the upstream used. */
export function fitEmbeddings(data: unknown[], format: 'float' | 'base64'): Promise<unknown[]> {
  return mapYielding(data, (item) => {
    if (!isObject(item)) return item;
    if (format === 'base64' && Array.isArray(item.embedding)) return { ...item, embedding: toBase64(item.embedding) };
    if (format === 'float' && typeof item.embedding === 'string')
      return { ...item, embedding: toFloats(item.embedding) };
    return item;
  });
}

/** Little-endian 32-bit floats, as OpenAI's clients decode them. */
export function toBase64(values: number[]): string {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (let i = 0; i < values.length; i++) view.setFloat32(i * 4, values[i]!, true);
  return Buffer.from(view.buffer).toString('base64');
}

export function toFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => view.getFloat32(i * 4, true));
}
