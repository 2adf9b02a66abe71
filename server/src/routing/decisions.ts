import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import type { Decision } from './decision.ts';
import {
  attemptsOf,
  choiceSeconds,
  type LoggedChoice,
  LoggedChoices,
  onlyAttemptOf,
  textsOf,
} from './decision-choices.ts';
import { insertChoice, sweepChoices, sweepDecisions } from './store/decisions.ts';
import { decisionColumns, decisionsAtOnce, insertDecisions, mostDecisionsAtOnce } from './store/insert-decisions.ts';

export interface DecisionLog {
  /** Only buffers; nothing is written yet. */
  add(decision: Decision): void;
  /** Resolves once everything added so far is written. */
  flush(): Promise<void>;
  /** Deletes decisions older than `DecisionLogDays` in batches, with pauses for requests in between. */
  sweep(): Promise<void>;
  /** Number of decisions dropped because the database was unavailable for too long. */
  readonly lost: number;
  close(): Promise<void>;
}

interface DecisionLogDeps {
  db: Db;
  clock: Clock;
  keepDays: () => number;
  onError?: (error: unknown) => void;
}

const width = decisionColumns.length;

const choiceAt = decisionColumns.indexOf('choice_id');

/** Appends the values in the order of the columns, with the choice object in place of its id until it has one. */
function append(values: unknown[], decision: Decision, shared: LoggedChoice | null, nowSeconds: number): void {
  const { attempts } = decision;
  const last = attempts[attempts.length - 1];
  const own = shared ? null : textsOf(decision, nowSeconds);
  values.push(
    decision.requestId,
    decision.userId,
    decision.modelId,
    last?.candidate.channel.provider ?? null,
    last?.candidate.channel.id ?? null,
    shared,
    own?.strategy ?? '',
    own?.reason ?? '',
    last?.outcome ?? 'blocked',
    Math.round(decision.tookMs),
    own?.candidates ?? '',
    shared ? onlyAttemptOf(last!) : attemptsOf(attempts),
    decision.parentRequestId ?? null,
    Math.floor(decision.startedAtMs / 1000),
  );
}

/** A few seconds of a busy process. Beyond that the oldest are dropped, to bound the memory of the log. */
const maxWaiting = 5000;
const rowsPerDrop = 200;
const rowsPerSweep = 500;

/**
 * Buffers the values to be written, row after row. Buffering the decision objects themselves, with choices, scores and
 * attempts, would make the garbage collector traverse them again and again.
 */
class BufferedLog implements DecisionLog {
  readonly #choices = new LoggedChoices();
  #waiting: unknown[] = [];
  #closed = false;
  lost = 0;
  readonly #behind = new WriteBehind({
    everyMs: 1_000,
    write: () => this.#write(),
    failed: (error) => this.deps.onError?.(error),
  });

  constructor(readonly deps: DecisionLogDeps) {}

  add(decision: Decision): void {
    const now = nowSeconds(this.deps.clock);
    append(this.#waiting, decision, this.#choices.of(decision, now), now);
    this.#bound();
    // A busy process fills the buffer faster than the flush interval and would drop the rest.
    if (this.#rows >= mostDecisionsAtOnce) this.#behind.now();
    else this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async sweep(): Promise<void> {
    const { db, clock, keepDays } = this.deps;
    const before = nowSeconds(clock) - keepDays() * 86_400;
    while (!this.#closed && (await sweepDecisions(db, before, rowsPerSweep)) === rowsPerSweep) await Bun.sleep(5);
    // A choice is written before its decisions: after twice its lifetime no remaining decision refers to it.
    await sweepChoices(db, before - 2 * choiceSeconds);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#behind.stop();
  }

  get #rows(): number {
    return this.#waiting.length / width;
  }

  #bound(): void {
    if (this.#rows <= maxWaiting) return;
    const over = this.#rows - maxWaiting + rowsPerDrop;
    this.#waiting.splice(0, over * width);
    this.lost += over;
  }

  /**
   * Writes what is buffered now. Rows added meanwhile wait for the next write, or a busy process would write a few at a
   * time.
   */
  async #write(): Promise<void> {
    for (let left = this.#rows; left > 0; ) {
      const rows = decisionsAtOnce(this.deps.db, left);
      const part = this.#waiting.splice(0, rows * width);
      left -= rows;
      try {
        await this.#insert(part);
      } catch (error) {
        this.#waiting = [...part, ...this.#waiting];
        this.#bound();
        throw error;
      }
      await Bun.sleep(0);
    }
  }

  async #insert(values: unknown[]): Promise<void> {
    const { db } = this.deps;
    for (let i = choiceAt; i < values.length; i += width) {
      const choice = values[i] as LoggedChoice | number | null;
      // A number if an earlier attempt already inserted the choice.
      if (choice === null || typeof choice === 'number') continue;
      choice.id ??= await insertChoice(db, choice.texts);
      values[i] = choice.id;
    }
    await insertDecisions(db, values);
  }
}

export const openDecisionLog = (deps: DecisionLogDeps): DecisionLog => new BufferedLog(deps);
