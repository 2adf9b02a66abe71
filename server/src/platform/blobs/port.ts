/** Large results (images, speech, video): on disk, or in an S3 bucket. Keys are `[a-z0-9/_.-]`, chosen by us. */
export interface Blobs {
  readonly kind: 'disk' | 's3';
  put(key: string, content: Uint8Array | ReadableStream<Uint8Array>, contentType: string): Promise<{ size: number }>;
  stat(key: string): Promise<{ size: number; contentType: string } | null>;
  /** Bytes `start` to `end` inclusive; the whole without a range. Null when there is no such blob. */
  read(key: string, range?: { start: number; end: number }): Promise<ReadableStream<Uint8Array> | null>;
  delete(key: string): Promise<void>;
}
