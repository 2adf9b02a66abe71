import { forgetKept } from '../../billing/store/kept-answers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { RunConfig } from './config.ts';
import { type EventName, newEvent, type RunEvent, type RunEvents, type RunNames } from './events.ts';
import type { RunState } from './state.ts';
import { commit, type Ending, type Holding, newCheckpointId, opening } from './store/commit.ts';
import { bytesOfSteps, type Step } from './store/steps.ts';

/** Pieces of text are joined this long: an event each would be one write a word. */
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
  /** Events up to this one can be read. */
  onWritten(lastSeq: number): void;
  /** So many bytes more are kept. */
  onKept(bytes: number): void;
  /** A write failed: the run cannot go on here. */
  onBroken(error: unknown): void;
}

interface Pending {
  /** The state differs from what is on disk. */
  changed: boolean;
  steps: Step[];
  checkpoints: string[];
  within: ((tx: Db) => Promise<void>)[];
  ending: Ending | null;
  /** Callers that wait for this batch. */
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
 * The one writer of a run. What is noted between two writes goes to disk together, with the state as it then is:
 * whoever changes the state notes the step in the same breath, so that on disk the two always agree.
 */
export class Journal {
  #pending = nothing();
  #events: RunEvent[] = [];
  /** What was told before the turn is announced; comes right after. */
  readonly #early: RunEvent[] = [];
  readonly #pieces = new Map<string, string>();
  /** Calls whose answers are kept with their charges, by the key of the step that waits for them. */
  readonly #kept = new Map<string, string[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;
  #closed: unknown = null;
  currentTask: string | null = null;

  constructor(readonly deps: JournalDeps) {}

  /** Tells an event; it is written with the next batch, at the latest after the time in which pieces are joined. */
  tell<E extends EventName>(event: E, data: RunEvents[E]): void {
    this.#flushPieces();
    const told = newEvent(this.deps.names, this.#now(), event, data);
    if (this.deps.state.announced) this.#events.push(told);
    else this.#early.push(told);
    this.#soon();
  }

  /** A piece of a task's text; those of one task are joined. */
  piece(taskId: string, text: string): void {
    this.#pieces.set(taskId, (this.#pieces.get(taskId) ?? '') + text);
    this.#soon();
  }

  /** Begins the events of this turn, once. */
  announce(): void {
    const { state, names, goal, config } = this.deps;
    this.#events.push(...opening(names, this.#now(), goal, config, state), ...this.#early.splice(0));
    state.announced = true;
    this.#pending.changed = true;
    this.#soon();
  }

  /** The answer to a call of this step is kept until the step is noted. */
  keeps(step: string, call: string): void {
    this.#kept.set(step, [...(this.#kept.get(step) ?? []), call]);
  }

  /** Notes a finished step, or a part of one; resolves when it is on disk, and the answers it was made of are kept no more. */
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

  /** Resolves when the state as it stands is on disk. */
  save(): Promise<void> {
    this.#pending.changed = true;
    return this.flush();
  }

  /** Notes a checkpoint of the state as it stands when it is written. */
  checkpoint(): string {
    const id = newCheckpointId();
    this.#pending.checkpoints.push(id);
    this.#pending.changed = true;
    this.tell('checkpoint_created', { checkpoint_id: id, iteration: this.deps.state.iteration });
    return id;
  }

  /** The last write: the run leaves `running`. */
  end(ending: Ending, within?: (tx: Db) => Promise<void>): Promise<void> {
    this.#pending.ending = ending;
    this.#pending.changed = true;
    if (within) this.#pending.within.push(within);
    // Whoever resumes begins with new steps.
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

  /** Nothing is written any more; what waits is told why. */
  close(why: unknown): void {
    this.#closed ??= why;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pending.waiting?.reject(why);
    this.#pending = nothing();
    this.#events = [];
    this.#pieces.clear();
  }

  /** Resolves when no write is under way. */
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
    // One breath, so that what is noted together is written together.
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

/** The transaction takes a while, and the state must be the one of its beginning. */
const frozen = <T extends { state: RunState; changed: boolean }>(batch: T): T =>
  batch.changed ? { ...batch, state: structuredClone(batch.state) } : batch;
