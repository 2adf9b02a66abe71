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
import { decisionColumns, insertChoice, insertDecisions, sweepChoices, sweepDecisions } from './store/decisions.ts';

export interface DecisionLog {
  /** Nothing is written yet. */
  add(decision: Decision): void;
  /** Everything added so far is written when this resolves. */
  flush(): Promise<void>;
  /** Deletes what is older than `DecisionLogDays`, in batches with room for requests between them. */
  sweep(): Promise<void>;
  /** Decisions thrown away because the database was away for too long. */
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

/** Values in the order of the columns; for the choice itself until it has an id. */
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

/** Some seconds of a busy process; past it the oldest go, since a log must not take the memory of the service. */
const maxWaiting = 5000;
/**
 * Short enough that the synchronous SQLite write holds up streams for a few milliseconds at most, long enough for rows to
 * share its pages. Few sizes, since each is a statement that stays prepared.
 */
const rowsPerInsert = 200;
const sizes = [rowsPerInsert, 50, 12, 3, 1];
const flushAt = 2 * rowsPerInsert;
const rowsPerSweep = 500;

/**
 * What waits is kept as the values that will be written, row after row: some hundreds of decisions kept as they are, with
 * choices, scores and attempts, would be looked through by the garbage collector again and again.
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
    // A busy process fills the buffer in less than the pause between flushes, and would lose what is over.
    if (this.#rows >= flushAt) this.#behind.now();
    else this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async sweep(): Promise<void> {
    const { db, clock, keepDays } = this.deps;
    const before = nowSeconds(clock) - keepDays() * 86_400;
    while (!this.#closed && (await sweepDecisions(db, before, rowsPerSweep)) === rowsPerSweep) await Bun.sleep(5);
    // A choice stands before its decisions: with twice its time no decision refers to it that is still here.
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
    const over = this.#rows - maxWaiting + rowsPerInsert;
    this.#waiting.splice(0, over * width);
    this.lost += over;
  }

  /** What waits now; what comes meanwhile waits for its own turn, or a busy process would write a handful at a time. */
  async #write(): Promise<void> {
    for (let left = this.#rows; left > 0; ) {
      const rows = sizes.find((size) => size <= left)!;
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
      // A number when this part was tried before.
      if (choice === null || typeof choice === 'number') continue;
      choice.id ??= await insertChoice(db, choice.texts);
      values[i] = choice.id;
    }
    await insertDecisions(db, values);
  }
}

export const openDecisionLog = (deps: DecisionLogDeps): DecisionLog => new BufferedLog(deps);
