/** Large results (images, speech, video): on disk, or in an S3 bucket. Keys are `[a-z0-9/_.-]`, chosen by us. */
export interface Blobs {
  readonly kind: 'disk' | 's3';
  put(key: string, content: Uint8Array | ReadableStream<Uint8Array>, contentType: string): Promise<{ size: number }>;
  stat(key: string): Promise<{ size: number; contentType: string } | null>;
  /** Bytes `start` to `end` inclusive; the whole without a range. Null if there is no such blob. */
  read(key: string, range?: { start: number; end: number }): Promise<ReadableStream<Uint8Array> | null>;
  delete(key: string): Promise<void>;
}

/** The longest path that every file system and S3 accept. */
const maxKeyLength = 512;

/** Keys are made by us, so a bad one is a bug; in any case none may lead out of the folder. */
export function assertKey(key: string): void {
  const parts = key.split('/');
  const sound = parts.every((part) => /^[a-z0-9_.-]+$/.test(part) && part !== '.' && part !== '..');
  if (!sound || key.length > maxKeyLength) throw new Error(`not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}
