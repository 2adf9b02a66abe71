import { mkdir, open, opendir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomString } from '../../lib/ids.ts';
import { begun, streamOf } from './begun.ts';
import { assertKey, type Blobs, type Listed, type Range } from './port.ts';

/** What a copy of the folder needs, contents first: each has its media type by then. */
export const blobParts = ['data', 'types'] as const;
/** A partial file of this age belongs to a process that died. */
const abandonedMs = 24 * 3_600_000;
/** Sent from memory, which takes no longer, and then nobody can delete it in between. */
const mostInMemory = 65_536;

/**
 * Blobs as files: contents under `data/`, media types under `types/`. Contents are written to a temporary file and
 * renamed last, so that a blob is complete or absent, also after a crash.
 */
export async function diskBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  const dataPath = (key: string) => join(folder, 'data', key);
  const typePath = (key: string) => join(folder, 'types', key);
  const contentOf = (key: string, range?: Range) => streamOf(Bun.file(dataPath(key)), range);
  await mkdir(incoming, { recursive: true });
  await removeAbandoned(incoming);

  return {
    kind: 'disk',
    async put(key, content, contentType) {
      assertKey(key);
      const aside = join(incoming, randomString(20));
      const asideType = `${aside}-type`;
      try {
        const size = await writeWhole(aside, content);
        await writeType(typePath(key), contentType, asideType);
        await mkdir(dirname(dataPath(key)), { recursive: true });
        await rename(aside, dataPath(key));
        return { size };
      } finally {
        await Promise.all([aside, asideType].map((path) => rm(path, { force: true })));
      }
    },
    async stat(key) {
      assertKey(key);
      const [file, contentType] = await Promise.all([
        stat(dataPath(key)).catch(nullWhenMissing),
        readFile(typePath(key), 'utf8').catch(nullWhenMissing),
      ]);
      if (!file?.isFile()) return null;
      return { size: file.size, contentType: contentType ?? 'application/octet-stream' };
    },
    async read(key, range) {
      assertKey(key);
      return begun(contentOf(key, range)).catch(nullWhenMissing);
    },
    async body(key, range) {
      assertKey(key);
      const found = await stat(dataPath(key)).catch(nullWhenMissing);
      if (!found?.isFile()) return null;
      const content = contentOf(key, range);
      return found.size > mostInMemory ? content : new Response(content).bytes().catch(nullWhenMissing);
    },
    async delete(key) {
      assertKey(key);
      await rm(dataPath(key), { force: true });
      await rm(typePath(key), { force: true });
    },
    list: (prefix) => filesBelow(join(folder, 'data'), prefix),
    removeUnfinished: () => removeAbandoned(incoming),
  };
}

async function writeWhole(path: string, content: Uint8Array | ReadableStream<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      await file.writeFile(chunk);
      size += chunk.byteLength;
    }
    // After a power cut, a name must not point to contents that were not written.
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

async function writeType(path: string, contentType: string, aside: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(aside, contentType, { mode: 0o600 });
  await rename(aside, path);
}

async function* filesBelow(root: string, prefix: string): AsyncGenerator<Listed> {
  const entries = await opendir(join(root, prefix)).catch(nullWhenMissing);
  if (!entries) return;
  for await (const entry of entries) {
    const key = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, `${key}/`);
    const found = entry.isFile() ? await stat(join(root, key)).catch(nullWhenMissing) : null;
    if (found) yield { key, writtenMs: found.mtimeMs };
  }
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(nullWhenMissing);
    if (found && Date.now() - found.mtimeMs > abandonedMs) await rm(path, { force: true });
  }
}

/** ENOTDIR: a part of the path is itself a blob. EISDIR: the path is a part of a blob's. */
const missing = ['ENOENT', 'ENOTDIR', 'EISDIR'];

function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== undefined && missing.includes(error.code)) return null;
  throw error;
}
