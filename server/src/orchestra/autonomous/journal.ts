import { forgetKept } from '../../billing/store/kept-answers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { RunConfig } from './config.ts';
import { type EventName, newEvent, type RunEvent, type RunEvents, type RunNames } from './events.ts';
import type { RunState } from './state.ts';
import { commit, type Ending, type Holding, newCheckpointId, opening } from './store/commit.ts';
import { bytesOfSteps, type Step } from './store/steps.ts';

/** Text chunks are joined for this long; one event per chunk would cost a write per word. */
const joinMs = 250;

export interface JournalDeps {
  db: Db;
  clock: Clock;
  holding: Holding;
  names: RunNames;
  goal: string;
  config: RunConfig;
  state: RunState;
  elapsedMs(): number;
  /** Called when events up to this number can be read. */
  onWritten(lastSeq: number): void;
  /** Called with the number of bytes that a write added to the user's storage. */
  onKept(bytes: number): void;
  /** Called when a write failed: this process cannot continue the run. */
  onBroken(error: unknown): void;
}

interface Pending {
  /** Whether the state differs from what is stored. */
  changed: boolean;
  steps: Step[];
  checkpoints: string[];
  within: ((tx: Db) => Promise<void>)[];
  ending: Ending | null;
  /** Resolved once this batch is written. */
  waiting: PromiseWithResolvers<void> | null;
}

const nothing = (): Pending => ({
  changed: false,
  steps: [],
  checkpoints: [],
  within: [],
  ending: null,
  waiting: null,
});

/**
 * The only writer of a run. Everything recorded between two writes is committed in one batch together with the current
 * state. Callers change the state and record the step synchronously, so that the stored state and steps always agree.
 */
export class Journal {
  #pending = nothing();
  #events: RunEvent[] = [];
  /** Events sent before the turn is announced; they follow the announcement. */
  readonly #early: RunEvent[] = [];
  readonly #pieces = new Map<string, string>();
  /** Calls whose answers are stored with their charges, by the key of the step that uses them. */
  readonly #kept = new Map<string, string[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;
  #closed: unknown = null;
  currentTask: string | null = null;

  constructor(readonly deps: JournalDeps) {}

  /** Queues an event; it is written with the next batch, at the latest after `joinMs`. */
  tell<E extends EventName>(event: E, data: RunEvents[E]): void {
    this.#flushPieces();
    const told = newEvent(this.deps.names, this.#now(), event, data);
    if (this.deps.state.announced) this.#events.push(told);
    else this.#early.push(told);
    this.#soon();
  }

  /** Queues a chunk of a task's text; chunks of the same task are joined. */
  piece(taskId: string, text: string): void {
    this.#pieces.set(taskId, (this.#pieces.get(taskId) ?? '') + text);
    this.#soon();
  }

  /** Adds the opening event of this turn, followed by events that were sent before it. */
  announce(): void {
    const { state, names, goal, config } = this.deps;
    this.#events.push(...opening(names, this.#now(), goal, config, state), ...this.#early.splice(0));
    state.announced = true;
    this.#pending.changed = true;
    this.#soon();
  }

  /** Marks the answer to a call of this step as stored; it is deleted when the step is recorded. */
  keeps(step: string, call: string): void {
    this.#kept.set(step, [...(this.#kept.get(step) ?? []), call]);
  }

  /** Records a finished step or a part of one, and deletes the stored answers it used; resolves once written. */
  record(key: string, result: unknown, tokens = 0, step = key): Promise<void> {
    this.#pending.steps.push({ key, result: JSON.stringify(result), tokens });
    this.#pending.changed = true;
    this.#forget(step);
    return this.flush();
  }

  #forget(step: string): void {
    const calls = this.#kept.get(step);
    if (!calls) return;
    this.#kept.delete(step);
    const { names, state } = this.deps;
    this.#pending.within.push((tx) => forgetKept(tx, names.executionId, calls));
    if (state.counted) state.counted = state.counted.filter((call) => !calls.includes(call));
  }

  /** Resolves once the current state is written. */
  save(): Promise<void> {
    this.#pending.changed = true;
    return this.flush();
  }

  /** Adds a checkpoint; it contains the state at the time of the next write. */
  checkpoint(): string {
    const id = newCheckpointId();
    this.#pending.checkpoints.push(id);
    this.#pending.changed = true;
    this.tell('checkpoint_created', { checkpoint_id: id, iteration: this.deps.state.iteration });
    return id;
  }

  /** The last write: the run is no longer `running`. */
  end(ending: Ending, within?: (tx: Db) => Promise<void>): Promise<void> {
    this.#pending.ending = ending;
    this.#pending.changed = true;
    if (within) this.#pending.within.push(within);
    // A resume starts with new steps, so stored answers are no longer needed.
    this.#pending.within.push((tx) => forgetKept(tx, this.deps.names.executionId));
    delete this.deps.state.counted;
    return this.flush();
  }

  flush(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    this.#pending.waiting ??= Promise.withResolvers<void>();
    const { promise } = this.#pending.waiting;
    this.#writing ??= this.#drain();
    return promise;
  }

  /** Stops all writing and rejects pending callers with the reason. */
  close(why: unknown): void {
    this.#closed ??= why;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pending.waiting?.reject(why);
    this.#pending = nothing();
    this.#events = [];
    this.#pieces.clear();
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  #now(): number {
    return Math.floor(this.deps.clock.nowMs() / 1000);
  }

  #flushPieces(): void {
    for (const [taskId, content] of this.#pieces) {
      this.#events.push(newEvent(this.deps.names, this.#now(), 'task_content_chunk', { task_id: taskId, content }));
    }
    this.#pieces.clear();
  }

  #soon(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.flush().catch(() => {});
    }, joinMs);
  }

  async #drain(): Promise<void> {
    // Wait one microtask, so that everything recorded synchronously goes into the same batch.
    await Promise.resolve();
    while (this.#pending.waiting && !this.#closed) await this.#write();
    this.#writing = null;
  }

  async #write(): Promise<void> {
    this.#flushPieces();
    const { waiting, ...batch } = this.#pending;
    const events = this.#events;
    this.#pending = nothing();
    this.#events = [];
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const { db, clock, holding, state, config, elapsedMs, onWritten, onKept, onBroken } = this.deps;
    const all = { ...batch, events, state, config, elapsedMs: elapsedMs(), currentTask: this.currentTask };
    try {
      const lastSeq = await commit(db, holding, frozen(all), clock.nowMs());
      waiting!.resolve();
      onKept(bytesOfSteps(batch.steps));
      if (lastSeq > 0) onWritten(lastSeq);
    } catch (error) {
      waiting!.reject(error);
      this.close(error);
      onBroken(error);
    }
  }
}

/** Copies the state, because it may change while the transaction runs. */
const frozen = <T extends { state: RunState; changed: boolean }>(batch: T): T =>
  batch.changed ? { ...batch, state: structuredClone(batch.state) } : batch;
