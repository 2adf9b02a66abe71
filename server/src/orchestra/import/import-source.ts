import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { bytesOfRow } from '../../platform/storage-quota/sizes.ts';
import type { Deps } from '../ports.ts';
import { addEntry } from '../store/knowledge.ts';
import {
  beginReading,
  bytesOf,
  countWritten,
  deleteParts,
  deletePassages,
  deleteSourceRow,
  type Source,
  type SourceState,
  sourceByRef,
  sourcesOfName,
  turnTo,
} from '../store/sources.ts';
import { writeEntry } from '../turn/after-answer.ts';
import { embedMany } from '../turn/embed.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { type Fault, FileFault, faultTexts } from './faults.ts';
import type { Passage } from './passages.ts';
import { readPassages } from './read-file.ts';

/** Passages per transaction: on SQLite a transaction blocks everything else. */
const atOnce = 4;
/** A file that has crashed this many processes is not read again. */
const mostAttempts = 5;
/** Maximum length of an entry's title. */
const longestTitle = 200;

const alive: SourceState[] = ['receiving', 'waiting', 'reading', 'ready', 'failed'];

/** Reads the rest of a source, stores its passages and embeds them. Can be called again after any step. */
export async function importSource(deps: Deps, ref: number, signal: AbortSignal): Promise<void> {
  const reading = await beginReading(deps.db, ref, nowSeconds(deps.clock));
  if (reading && !(await readAndStore(deps, reading, signal))) return;
  const source = await sourceByRef(deps.db, ref);
  if (source?.state !== 'ready') return;
  await deleteParts(deps.db, ref);
  // Delete the old version only now, so that either the old or the new text can be found at any time.
  if (source.replaces)
    await removeAll(
      deps,
      (await sourcesOfName(deps.db, source)).filter((one) => one < ref),
    );
  await embed(deps, source, signal);
}

/** False if reading failed, or the source is no longer ours. */
async function readAndStore(deps: Deps, source: Source, signal: AbortSignal): Promise<boolean> {
  try {
    if (source.attempts > mostAttempts) throw new FileFault('unreadable');
    if (!(await store(deps, source, signal))) return false;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    await fail(deps, source, error.fault);
    return false;
  }
  return turnTo(deps.db, source.ref, ['reading'], { state: 'ready' }, nowSeconds(deps.clock));
}

/** False if another process continues with the source, or it is being deleted. */
async function store(deps: Deps, source: Source, signal: AbortSignal): Promise<boolean> {
  const { db, clock } = deps;
  // An earlier process stored everything, but ended before changing the state.
  if (source.total !== null && source.written >= source.total) return true;
  const passages = await readPassages(await bytesOf(db, source.ref), signal);
  const change = { state: 'reading' as const, total: passages.length };
  if (!(await turnTo(db, source.ref, ['reading'], change, nowSeconds(clock)))) return false;
  for (let at = source.written; at < passages.length; at += atOnce) {
    signal.throwIfAborted();
    if (!(await writePassages(deps, source, at, passages.slice(at, at + atOnce)))) return false;
    await yieldToEventLoop();
  }
  return true;
}

/** Passages count towards the user's storage but are never rejected: there was room for the file. */
const writePassages = ({ db, clock, storage }: Deps, source: Source, from: number, passages: Passage[]) => {
  for (const { content } of passages) storage.add(source.userId, bytesOfRow(content));
  return db.transaction().execute(async (tx) => {
    const now = nowSeconds(clock);
    if (!(await countWritten(tx, source.ref, from, passages.length, now))) return false;
    const { userId, projectId, category, keywords } = source;
    for (const [i, passage] of passages.entries()) {
      const { content, page, heading } = passage;
      const fromFile = { sourceRef: source.ref, page, heading, position: from + i + 1 };
      const entry = { userId, projectId, category, keywords, title: titleOf(source.name, passage), content, fromFile };
      await writeEntry(tx, userId, (same) => addEntry(same, entry, now));
    }
    return true;
  });
};

/** The heading in the file; without one, the file name and page. */
function titleOf(name: string, { page, heading }: Passage): string {
  if (heading !== null) return heading;
  const place = page === null ? '' : `, page ${page}`;
  return `${name.slice(0, longestTitle - place.length).toWellFormed()}${place}`;
}

async function fail(deps: Deps, source: Source, fault: Fault): Promise<void> {
  const failed = { state: 'failed' as const, error: faultTexts[fault] };
  if (!(await turnTo(deps.db, source.ref, ['reading'], failed, nowSeconds(deps.clock)))) return;
  await deleteParts(deps.db, source.ref);
  await deletePassages(deps.db, source.ref);
}

/**
 * Embeds the passages at the importer's expense, like any entry. If the call is rejected, only log it: keyword search
 * still works, and the next turn tries again.
 */
async function embed(deps: Deps, source: Source, signal: AbortSignal): Promise<void> {
  try {
    const caller = await deps.permit({ userId: source.userId, keyId: source.keyId });
    await embedMany(deps, caller, source.total ?? 0, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
    deps.warn('imported content could not be embedded', error);
  }
}

export async function removeAll(deps: Deps, refs: readonly number[]): Promise<void> {
  for (const ref of refs) await removeSource(deps, ref);
}

/** Deletes a source with its passages; an import in progress stops. */
export async function removeSource(deps: Deps, ref: number): Promise<void> {
  const { db, clock, near } = deps;
  await turnTo(db, ref, alive, { state: 'deleting' }, nowSeconds(clock));
  const source = await sourceByRef(db, ref);
  await deletePassages(db, ref);
  await deleteSourceRow(db, ref);
  if (source) near.forget(source.userId);
}
