import { brotliDecompressSync, inflateSync } from 'node:zlib';
import { FileFault } from './faults.ts';

const kinds = [
  'ArrayBuffer',
  'Uint8Array',
  'Int8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
] as const;

type Sized = new (...given: unknown[]) => object;

/**
 * Limits the memory of a worker thread: at most `most` bytes per allocation and `all` in total. Bun cannot limit a
 * thread's memory, and a file of a megabyte may decompress to a gigabyte. The returned function tells whether a limit
 * was exceeded, because PDF readers catch the error and continue.
 */
export function limitMemory(most: number, all: number): () => boolean {
  let left = all;
  let refused = false;
  const take = (bytes: number) => {
    left -= bytes;
    refused ||= bytes > most || left < 0;
    if (refused) throw new FileFault('too_much');
  };
  const bounded = (unpack: () => Uint8Array): Uint8Array => {
    try {
      const bytes = unpack();
      take(bytes.byteLength);
      return bytes;
    } catch (error) {
      refused ||= (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
      throw error;
    }
  };
  // The type of `globalThis` does not allow its constructors to be replaced.
  const scope = globalThis as unknown as Record<string, unknown>;
  for (const name of kinds) {
    const native = scope[name] as Sized & { BYTES_PER_ELEMENT?: number };
    const counted: Sized = new Proxy(native, {
      construct(target, given: unknown[], asked) {
        const [size] = given;
        if (typeof size === 'number') take(size * (native.BYTES_PER_ELEMENT ?? 1));
        return Reflect.construct(target, given, asked === counted ? target : asked);
      },
    });
    scope[name] = counted;
  }
  // Replaced because memory allocated by native decompression would not be counted.
  scope.DecompressionStream = class {
    readable: ReadableStream<Uint8Array>;
    writable: WritableStream<Uint8Array>;
    constructor(format: string) {
      const unpack = format === 'brotli' ? brotliDecompressSync : inflateSync;
      ({ readable: this.readable, writable: this.writable } = new TransformStream<Uint8Array, Uint8Array>({
        transform: (packed, out) => out.enqueue(bounded(() => unpack(packed, { maxOutputLength: most }))),
      }));
    }
  };
  return () => refused;
}
