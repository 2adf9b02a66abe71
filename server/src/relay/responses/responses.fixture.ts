import { silent, type TestDb, type TestEngine } from '../../billing/engines.fixture.ts';
import { type ManualClock, manualClock, systemClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { openDb } from '../../platform/db/open.ts';
import { JobStore } from '../../platform/durable/job-store.ts';
import { beatMs, deadAfterMs, openOwners } from '../../platform/durable/owners.ts';
import { openQueue } from '../../platform/durable/queue.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { unbounded } from '../../platform/storage-quota/storage-quota.fixture.ts';
import type { AnswerBackground } from './background.ts';
import type { Before, Item, Owner, ResponseObject } from './keeper.ts';
import { type KeptResponses, openResponses } from './open.ts';

export const ada: Owner = { userId: 1, keyId: 11 };

export const sealer = openSealer({ keys: [{ id: 'k', key: new Uint8Array(32).fill(7) }] });

export const user = (text: string): Item => ({ type: 'message', role: 'user', content: text });
export const said = (id: string, text: string): Item => ({
  ...{ type: 'message', id, role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});

export const responseOf = (id: string, output: Item[], more: Item = {}): ResponseObject => ({
  ...{ id, object: 'response', status: 'completed', model: 'demo/chat', created_at: 1_700_000_000, output },
  ...more,
});

/** What items say, whatever shape they have. */
export const textsOf = (items: Item[]): string[] =>
  items.map((item) =>
    typeof item.content === 'string' ? item.content : (item.content as { text: string }[])[0]!.text,
  );

export interface Process {
  kept: KeptResponses;
  clock: ManualClock;
  /** Of every process that is told so: the days. */
  days: { kept: number };
  start(): Promise<void>;
  /** Time passes for the liveness of processes: one beat, one look. */
  beat(): Promise<void>;
  /** Time passes in which it cannot say that it lives; then it can. */
  fallSilent(): Promise<void>;
  close(): Promise<void>;
}

/** A process on a database, with a queue of its own; nothing else is shared with the others. */
export async function openProcess(
  open: Pick<TestDb, 'db' | 'where'>,
  engine: Pick<TestEngine, 'name'>,
  answer?: AnswerBackground,
): Promise<Process> {
  // Another process has connections of its own; a SQLite file has only one process.
  const own = engine.name === 'postgres' ? await openDb(open.where) : null;
  const { db } = own ?? open;
  const clock = manualClock(1_700_000_000_000);
  const alive = manualClock();
  const owners = await openOwners({ db, log: silent, clock: alive });
  const jobs = openQueue({ store: new JobStore(db, systemClock), owners, log: silent });
  const days = { kept: 30 };
  const shared = memoryShared(systemClock);
  const keptDays = () => days.kept;
  const kept = openResponses({
    ...{ db, owners, jobs, shared, clock, sealer, log: silent, storage: unbounded, keptDays },
    recheckCaller: () => {},
  });
  if (answer) kept.work(answer);
  return {
    kept,
    clock,
    days,
    start: () => jobs.start(),
    beat: async () => {
      alive.advance(beatMs);
      await owners.look();
    },
    fallSilent: async () => {
      alive.advance(deadAfterMs);
      await owners.look();
    },
    close: async () => {
      await jobs.stop(0);
      await owners.leave();
      await shared.close();
      await own?.close();
    },
  };
}

/** A response that is to be worked on, and its request. */
export const queuedOf = (id: string, text: string, named: Before = {}) => ({
  response: responseOf(id, [], { status: 'queued', background: true }),
  input: [user(text)],
  named,
  body: { model: 'demo/chat', input: text },
});

// Run as a program: keeps a chain, begins to work on a response, says so, beats, and never comes to an end.
if (import.meta.main) {
  const { where, engine, chain, id } = JSON.parse(process.argv[2]!);
  const opened = await openDb(where);
  const { kept, start, beat } = await openProcess({ ...opened, where }, { name: engine }, async (_, __, attempt) => {
    attempt.tell({ type: 'response.output_text.delta', delta: 'lost' });
    console.log(`began ${attempt.requestId}`);
    return new Promise(() => {});
  });
  const response = responseOf(chain, [said('msg_chain', 'answer')]);
  await kept.keeper.keep(ada, { response, input: [user('question')], named: {} });
  await kept.keeper.enqueue(ada, queuedOf(id, 'go on', { previousResponseId: chain }));
  await start();
  for (;;) {
    await Bun.sleep(10);
    await beat();
  }
}
