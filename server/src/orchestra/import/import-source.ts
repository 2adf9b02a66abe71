import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { bytesOfRow } from '../../platform/keeping/sizes.ts';
import type { Deps } from '../ports.ts';
import { others } from '../slices.ts';
import { addEntry } from '../store/knowledge.ts';
import {
  beginReading,
  bytesOf,
  countWritten,
  deleteParts,
  deletePassages,
  deleteSourceRow,
  earlierOfName,
  type Source,
  type SourceState,
  sourceByRef,
  turnTo,
} from '../store/sources.ts';
import { writeEntry } from '../turn/afterwards.ts';
import { embedMany } from '../turn/embed.ts';
import { type Fault, FileFault, faultTexts } from './faults.ts';
import type { Passage } from './passages.ts';
import { readPassages } from './read-file.ts';

/** Passages of one transaction: on SQLite nobody else has a turn until it ends. */
const atOnce = 4;
/** A file that has brought so many processes down is not read again. */
const mostAttempts = 5;
/** Titles of entries are as long as this at most. */
const longestTitle = 200;

const alive: SourceState[] = ['receiving', 'waiting', 'reading', 'ready', 'failed'];

/** Reads what is left of a source, stores its passages, and embeds them. May be called again after any step. */
export async function importSource(deps: Deps, ref: number, signal: AbortSignal): Promise<void> {
  const reading = await beginReading(deps.db, ref, nowSeconds(deps.clock));
  if (reading && !(await readAndStore(deps, reading, signal))) return;
  const source = await sourceByRef(deps.db, ref);
  if (source?.state !== 'ready') return;
  await deleteParts(deps.db, ref);
  // Only now, so that there is no moment in which neither the old nor the new text is found.
  if (source.replaces) for (const earlier of await earlierOfName(deps.db, source)) await removeSource(deps, earlier);
  await embed(deps, source, signal);
}

/** False when it failed, or is not ours any more. */
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

/** False when somebody else goes on with it, or it is being deleted. */
async function store(deps: Deps, source: Source, signal: AbortSignal): Promise<boolean> {
  const { db, clock } = deps;
  // Everything was stored before the process that did so ended.
  if (source.total !== null && source.written >= source.total) return true;
  const passages = await readPassages(await bytesOf(db, source.ref), signal);
  const change = { state: 'reading' as const, total: passages.length };
  if (!(await turnTo(db, source.ref, ['reading'], change, nowSeconds(clock)))) return false;
  for (let at = source.written; at < passages.length; at += atOnce) {
    signal.throwIfAborted();
    if (!(await writePassages(deps, source, at, passages.slice(at, at + atOnce)))) return false;
    await others();
  }
  return true;
}

/** What a file becomes is counted, not refused: there was room for the file. */
const writePassages = ({ db, clock, keeping }: Deps, source: Source, from: number, passages: Passage[]) => {
  for (const { content } of passages) keeping.add(source.userId, bytesOfRow(content));
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

/** What it is about, as its writer put it; else where it stands. */
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

/** Who imported pays, as for any entry. Refusals are left at that: words are found, and the next turn tries again. */
async function embed(deps: Deps, source: Source, signal: AbortSignal): Promise<void> {
  try {
    const caller = await deps.permit({ userId: source.userId, keyId: source.keyId });
    await embedMany(deps, caller, source.total ?? 0, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
    deps.warn('what was imported could not be embedded', error);
  }
}

/** Takes a source away with its passages; what of it is being stored stops. */
export async function removeSource(deps: Deps, ref: number): Promise<void> {
  const { db, clock, near } = deps;
  await turnTo(db, ref, alive, { state: 'deleting' }, nowSeconds(clock));
  const source = await sourceByRef(db, ref);
  await deletePassages(db, ref);
  await deleteSourceRow(db, ref);
  if (source) near.forget(source.userId);
}
