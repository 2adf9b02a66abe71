import { afterEach, describe, expect, test } from 'bun:test';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { JobHandler } from '../../platform/durable/jobs.ts';
import type { Deps } from '../ports.ts';
import { type Stage, stage } from '../scripted.fixture.ts';
import { engines } from '../store/db.fixture.ts';
import { addEntry, identicalEntry } from '../store/knowledge.ts';
import { addSource, sourceByRef, turnTo } from '../store/sources.ts';
import { acceptFile } from './accept-file.ts';
import { importSource, removeSource } from './import-source.ts';
import { sweepImports, workOnImports } from './work.ts';

const as = { category: 'c', keywords: [], projectId: null, replaces: false };
const me = { userId: 1, keyId: null };
const never = new AbortController().signal;
const sections = 30;
const text = Array.from({ length: sections }, (_, i) => `# Part ${i}\n\nBerth ${i} is free.`).join('\n\n');

describe.each(await engines())('interrupted imports, on %s', (_, open) => {
  let s: Stage;
  let begun: number[];
  const begin = async (overrides: Partial<Deps> = {}) => {
    begun = [];
    s = await stage(() => '', { startImport: async (ref) => void begun.push(ref), ...overrides }, open);
  };
  afterEach(() => s.close());

  const accept = async (name = 'parts.md', bytes = text) =>
    (await acceptFile(s.deps, me, { name, bytes: new TextEncoder().encode(bytes) }, as)).source.ref;
  const positions = async () => {
    const rows = await s.deps.db.selectFrom('ms_knowledge').select('source_position').orderBy('id').execute();
    return rows.map((row) => row.source_position);
  };
  const all = Array.from({ length: sections }, (_, i) => i + 1);
  /** Something happens at the nth look at the clock, which is in the middle of storing. */
  const inTheMiddle = (act: () => void): Deps => {
    let looks = 0;
    const nowMs = () => {
      looks += 1;
      if (looks === 5) act();
      return s.clock.nowMs();
    };
    return { ...s.deps, clock: { ...s.deps.clock, nowMs } };
  };

  test('a stopping process leaves the rest to the next, and no passage is stored twice', async () => {
    await begin();
    const ref = await accept();
    const stopping = new AbortController();
    const cut = importSource(
      inTheMiddle(() => stopping.abort(new Error('stopped'))),
      ref,
      stopping.signal,
    );
    await expect(cut).rejects.toThrow('stopped');
    const left = (await positions()).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(sections);
    expect(await sourceByRef(s.deps.db, ref)).toMatchObject({ state: 'reading', written: left, total: sections });
    await importSource(s.deps, ref, never);
    expect(await positions()).toEqual(all);
    expect(await sourceByRef(s.deps.db, ref)).toMatchObject({ state: 'ready', written: sections, attempts: 0 });
    expect(s.embedded.flat().length).toBe(sections);
  });

  test('two processes that briefly hold the same import store each passage once', async () => {
    await begin();
    const ref = await accept();
    await Promise.all([importSource(s.deps, ref, never), importSource(s.deps, ref, never)]);
    await importSource(s.deps, ref, never);
    expect(await positions()).toEqual(all);
    expect(await sourceByRef(s.deps.db, ref)).toMatchObject({ state: 'ready' });
  });

  test('an import deleted while it runs leaves nothing behind', async () => {
    await begin();
    const ref = await accept();
    let removing: Promise<void> | undefined;
    await importSource(
      inTheMiddle(() => {
        removing = removeSource(s.deps, ref);
      }),
      ref,
      never,
    );
    await removing;
    expect([await positions(), await sourceByRef(s.deps.db, ref)]).toEqual([[], null]);
    expect(await s.deps.db.selectFrom('ms_source_parts').selectAll().execute()).toEqual([]);
    await importSource(s.deps, ref, never);
  });

  test('a file that crashes processes is abandoned with an error', async () => {
    await begin();
    const ref = await accept();
    await s.deps.db.updateTable('ms_sources').set({ state: 'reading', attempts: 5 }).where('id', '=', ref).execute();
    await importSource(s.deps, ref, never);
    const source = await sourceByRef(s.deps.db, ref);
    expect(source).toMatchObject({ state: 'failed', error: expect.stringContaining('could not be read') });
  });

  test('an unreachable embedding model retries the job; a refusal does not', async () => {
    let fault = new AppError('provider_error', 'down');
    await begin({ embed: () => Promise.reject(fault) });
    const ref = await accept();
    await expect(importSource(s.deps, ref, never)).rejects.toThrow('down');
    expect(await sourceByRef(s.deps.db, ref)).toMatchObject({ state: 'ready', written: sections });
    fault = new AppError('insufficient_user_quota', 'no money');
    await importSource(s.deps, ref, never);
    expect(s.warnings.join()).toContain('no money');
    expect(await positions()).toEqual(all);
  });

  test('imports of one user leave a slot for other users', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await begin({ embed: () => released.then(() => Promise.reject(new AppError('insufficient_user_quota', 'no'))) });
    let handle: JobHandler | undefined;
    let places = 0;
    workOnImports({ work: (_, { concurrency }, handler) => ([places, handle] = [concurrency, handler]) }, s.deps);
    const run = (ref: number) => handle!({ id: '', queue: '', data: { ref }, attempt: 1, signal: never });
    const mine: number[] = [];
    for (let file = 0; file < places; file += 1) mine.push(await accept(`${file}.md`, `# ${file}\n\nBerth ${file}.`));
    const theirs = (await acceptFile(s.deps, { userId: 2, keyId: null }, { name: 'a', bytes: Buffer.from('tea') }, as))
      .source.ref;
    const running = mine.map(run);
    expect(await Promise.race(running)).toEqual({ notYetInMs: expect.any(Number) });
    const other = run(theirs);
    release();
    expect(await other).toBeUndefined();
    expect((await Promise.all(running)).filter((worked) => worked !== undefined)).toHaveLength(1);
    expect(await sourceByRef(s.deps.db, theirs)).toMatchObject({ state: 'ready' });
  });

  test('abandoned imports are resumed or removed', async () => {
    await begin();
    const { db, clock } = s.deps;
    const waiting = await accept();
    const fresh = { ...as, ...me, name: 'x', kind: 'text', size: 1 };
    const received = await addSource(db, { ...fresh, contentHash: 'a' }, nowSeconds(clock));
    const deleted = await addSource(db, { ...fresh, contentHash: 'b' }, nowSeconds(clock));
    await turnTo(db, deleted!.ref, ['receiving'], { state: 'deleting' }, nowSeconds(clock));
    const fact = { category: 'c', title: 'old', content: 'From the version before.', keywords: [] };
    await addEntry(db, { ...fact, userId: 1 }, 1);
    await db.updateTable('ms_knowledge').set({ fingerprint: null }).execute();
    begun = [];
    await sweepImports(s.deps);
    expect(begun).toEqual([]);
    expect(await sourceByRef(db, received!.ref)).not.toBeNull();
    expect(await identicalEntry(db, 1, fact, null)).not.toBeNull();
    s.clock.advance(3_600_000);
    await sweepImports(s.deps);
    expect(begun).toEqual([waiting]);
    expect([await sourceByRef(db, received!.ref), await sourceByRef(db, deleted!.ref)]).toEqual([null, null]);
  });
});
