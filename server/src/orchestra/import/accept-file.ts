import { nowSeconds } from '../../lib/clock.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import type { Caller, Deps } from '../ports.ts';
import {
  addPart,
  addSource,
  type NewSource,
  type Source,
  sourceOfContent,
  sourcesOfName,
  turnTo,
} from '../store/sources.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { FileFault } from './faults.ts';
import { kindOfFile } from './file-kind.ts';
import { removeAll, removeSource } from './import-source.ts';
import { importLimits } from './limits.ts';

export interface Upload {
  name: string;
  bytes: Uint8Array;
}

/** The settings that all files of one request share. */
export type ImportedAs = Pick<NewSource, 'category' | 'keywords' | 'projectId' | 'replaces'>;

export interface AcceptedFile {
  source: Source;
  /** False if a source with this content already exists. */
  accepted: boolean;
}

/** Chunk size for writing and hashing; other work on the event loop runs in between. */
const partBytes = 256 * 1024;
/** An upload that is not stored within this time is considered abandoned. */
const receivingSeconds = 60;

/** Stores a file and enqueues its import. Throws a FileFault for problems that are visible without reading it. */
export async function acceptFile(
  deps: Deps,
  caller: Pick<Caller, 'userId' | 'keyId'>,
  upload: Upload,
  as: ImportedAs,
): Promise<AcceptedFile> {
  const { bytes, name } = upload;
  if (bytes.byteLength > importLimits.fileBytes) throw new FileFault('too_large');
  // Yield first: up to ten mebibytes were just assembled, and the next check scans them in one go.
  await yieldToEventLoop();
  const kind = kindOfFile(bytes);
  const { userId, keyId } = caller;
  const contentHash = await hashOf(bytes);
  const source = { ...as, userId, keyId, name, kind, contentHash, size: bytes.byteLength };
  await deps.storage.take(userId, bytes.byteLength);
  const made = await makeRoom(deps, source);
  if (!made.accepted) return made;
  const { ref } = made.source;
  try {
    await keep(deps, ref, bytes);
  } catch (error) {
    // Remove the source; otherwise a second upload would be told that the file already exists. The delete is retried,
    // because it may fail on a full disk too.
    void retryUntilWritten(
      deps.owners,
      () => removeSource(deps, ref),
      () => {},
    );
    throw error;
  }
  return made;
}

/** Reuses a source with the same content, unless its import failed, it is being deleted or its upload was abandoned. */
async function makeRoom(deps: Deps, source: NewSource): Promise<AcceptedFile> {
  const { db, clock } = deps;
  for (;;) {
    const now = nowSeconds(clock);
    const added = await addSource(db, source, now);
    if (added) return { source: added, accepted: true };
    const known = await sourceOfContent(db, source);
    if (!known) continue;
    const left = known.state === 'receiving' && known.updatedAt < now - receivingSeconds;
    const isKept = known.state !== 'failed' && known.state !== 'deleting' && !left;
    if (isKept && (await replacesOthers(deps, source, known))) return { source: known, accepted: false };
    await removeSource(deps, known.ref);
  }
}

/** False if the others can only be replaced once the file has been read, which its source does not know of. */
async function replacesOthers(deps: Deps, asked: NewSource, known: Source): Promise<boolean> {
  if (!asked.replaces) return true;
  const others = (await sourcesOfName(deps.db, asked)).filter((ref) => ref !== known.ref);
  if (known.state === 'ready') await removeAll(deps, others);
  return known.state === 'ready' || others.length === 0 || known.name !== asked.name;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const part of partsOf(bytes)) {
    hash.update(part);
    await yieldToEventLoop();
  }
  return hash.digest('hex');
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += partBytes) yield bytes.subarray(from, from + partBytes);
}

async function keep({ db, clock, startImport }: Deps, ref: number, bytes: Uint8Array): Promise<void> {
  let position = 0;
  for (const part of partsOf(bytes)) {
    await addPart(db, ref, position, part);
    position += 1;
    await yieldToEventLoop();
  }
  if (await turnTo(db, ref, ['receiving'], { state: 'waiting' }, nowSeconds(clock))) await startImport(ref);
}
