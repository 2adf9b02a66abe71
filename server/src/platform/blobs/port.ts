/** Large results (images, speech, video): on disk, or in an S3 bucket. Keys are `[a-z0-9/_.-]`, chosen by us. */
export interface Blobs {
  readonly kind: 'disk' | 's3';
  put(key: string, content: Uint8Array | ReadableStream<Uint8Array>, contentType: string): Promise<{ size: number }>;
  stat(key: string): Promise<{ size: number; contentType: string } | null>;
  /** Bytes `start` to `end` inclusive; the whole without a range. Null if there is no such blob. */
  read(key: string, range?: Range): Promise<ReadableStream<Uint8Array> | null>;
  /**
   * The same as the body of an answer. Bun sends a large one from the disk and tells its length, but if it is deleted
   * right now, that fails only while it is sent (`isGone`).
   */
  body(key: string, range?: Range): Promise<Body | null>;
  delete(key: string): Promise<void>;
  /** Complete blobs whose keys begin with `prefix`, which ends with a slash. */
  list(prefix: string): AsyncIterable<Listed>;
  /** Deletes what was left of writes that a crash interrupted. */
  removeUnfinished(): Promise<void>;
}

export type Body = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

export interface Listed {
  key: string;
  writtenMs: number;
}

export interface Range {
  start: number;
  end: number;
}

/** The longest path that every file system and S3 accept. */
const maxKeyLength = 512;

/** Keys are made by us, so a bad one is a bug; in any case none may lead out of the folder. */
export function assertKey(key: string): void {
  const parts = key.split('/');
  const sound = parts.every((part) => /^[a-z0-9_.-]+$/.test(part) && part !== '.' && part !== '..');
  if (!sound || key.length > maxKeyLength) throw new Error(`not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}
