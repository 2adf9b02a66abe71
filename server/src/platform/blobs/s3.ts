import { S3Client } from 'bun';
import { begun, streamOf } from './begun.ts';
import { assertKey, type Blobs, type Listed, type Range } from './port.ts';

export interface S3Config {
  /** Not needed for AWS itself. */
  endpoint?: string;
  bucket: string;
  region?: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Blobs as objects of a bucket. Long streams are uploaded in parts, with one part in memory at a time. */
export function s3Blobs(config: S3Config): Blobs {
  const client = new S3Client({ ...config });
  const stat = (key: string) => client.file(key).stat().catch(nullWhenMissing);
  const contentOf = (key: string, range?: Range) => streamOf(client.file(key), range);

  return {
    kind: 's3',
    async put(key, content, contentType) {
      assertKey(key);
      const body = content instanceof Uint8Array ? content : new Response(content);
      return { size: await client.write(key, body, { type: contentType }) };
    },
    async stat(key) {
      assertKey(key);
      const found = await stat(key);
      return found && { size: found.size, contentType: found.type };
    },
    async read(key, range) {
      assertKey(key);
      return begun(contentOf(key, range)).catch(nullWhenMissing);
    },
    async body(key, range) {
      assertKey(key);
      return (await stat(key)) && contentOf(key, range);
    },
    async delete(key) {
      assertKey(key);
      await client.delete(key);
    },
    list: (prefix) => objectsBelow(client, prefix),
    // A bucket's own rules do that: whoever lists unfinished uploads needs further permissions.
    removeUnfinished: async () => {},
  };
}

async function* objectsBelow(client: S3Client, prefix: string): AsyncGenerator<Listed> {
  for (let startAfter = ''; ; ) {
    const page = await client.list({ prefix, ...(startAfter && { startAfter }) });
    for (const { key, lastModified } of page.contents ?? [])
      yield { key, writtenMs: lastModified ? Date.parse(lastModified) : Number.POSITIVE_INFINITY };
    const last = page.contents?.at(-1)?.key;
    if (!page.isTruncated || last === undefined) return;
    startAfter = last;
  }
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'NoSuchKey') return null;
  throw error;
}
