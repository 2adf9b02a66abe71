import { nowSeconds } from '../../lib/clock.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import type { Caller, Deps } from '../ports.ts';
import { others } from '../slices.ts';
import { addPart, addSource, type NewSource, type Source, sourceOfContent, turnTo } from '../store/sources.ts';
import { FileFault } from './faults.ts';
import { kindOfFile } from './file-kind.ts';
import { removeSource } from './import-source.ts';
import { importLimits } from './limits.ts';

export interface Upload {
  name: string;
  bytes: Uint8Array;
}

/** What all files of one request have in common. */
export type ImportedAs = Pick<NewSource, 'category' | 'keywords' | 'projectId' | 'replaces'>;

export interface AcceptedFile {
  source: Source;
  /** False when a source of this content was there. */
  accepted: boolean;
}

/** Written, and hashed, so much at a time: others have a turn in between. */
const partBytes = 256 * 1024;
/** Whoever is not done storing a file by then has left it behind. */
const receivingSeconds = 60;

/** Keeps a file until it is read, and has that begun. Throws a FileFault for what can be told without reading it. */
export async function acceptFile(
  deps: Deps,
  caller: Pick<Caller, 'userId' | 'keyId'>,
  upload: Upload,
  as: ImportedAs,
): Promise<AcceptedFile> {
  const { bytes, name } = upload;
  if (bytes.byteLength > importLimits.fileBytes) throw new FileFault('too_large');
  // Ten mebibytes were put together just now, and are looked at in one go.
  await others();
  const kind = kindOfFile(bytes);
  const { userId, keyId } = caller;
  const contentHash = await hashOf(bytes);
  const source = { ...as, userId, keyId, name, kind, contentHash, size: bytes.byteLength };
  await deps.keeping.take(userId, bytes.byteLength);
  const made = await makeRoom(deps, source);
  if (!made.accepted) return made;
  const { ref } = made.source;
  try {
    await keep(deps, ref, bytes);
  } catch (error) {
    // Whoever sends it again would be told that it is there. A disk that is full does not let go of it at once either.
    void retryUntilWritten(
      deps.owners,
      () => removeSource(deps, ref),
      () => {},
    );
    throw error;
  }
  return made;
}

/** A source of the same content is not made anew, unless nothing came of it. */
async function makeRoom(deps: Deps, source: NewSource): Promise<AcceptedFile> {
  const { db, clock } = deps;
  for (;;) {
    const now = nowSeconds(clock);
    const added = await addSource(db, source, now);
    if (added) return { source: added, accepted: true };
    const known = await sourceOfContent(db, source);
    if (!known) continue;
    const left = known.state === 'receiving' && known.updatedAt < now - receivingSeconds;
    if (known.state !== 'failed' && known.state !== 'deleting' && !left) return { source: known, accepted: false };
    await removeSource(deps, known.ref);
  }
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const part of partsOf(bytes)) {
    hash.update(part);
    await others();
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
    await others();
  }
  if (await turnTo(db, ref, ['receiving'], { state: 'waiting' }, nowSeconds(clock))) await startImport(ref);
}
