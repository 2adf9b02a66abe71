import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Choice } from './choose.ts';
import type { Decision } from './decision.ts';
import { explain, type Summary, summarise, summariseAttempt } from './explain.ts';
import { insertDecisions, type NewDecision, sweepDecisions } from './store/decisions.ts';

/** Keeps one row under some 15 kB however many channels serve a model. */
const maxCandidates = 50;

function rowOf(decision: Decision): NewDecision {
  const { choice, attempts } = decision;
  const last = attempts[attempts.length - 1];
  return {
    request_id: decision.requestId,
    user_id: decision.userId,
    model_id: decision.modelId,
    provider: last?.candidate.channel.provider ?? null,
    channel_id: last?.candidate.channel.id ?? null,
    strategy: choice.strategy,
    reason: explain(decision),
    outcome: last?.outcome ?? 'blocked',
    duration_ms: Math.max(0, Math.round(decision.endedAtMs - decision.startedAtMs)),
    candidates: JSON.stringify(summariesOf(choice)),
    attempts: JSON.stringify(attempts.map(summariseAttempt)),
    created_at: Math.floor(decision.startedAtMs / 1000),
  };
}

/** In the order of trying, the dropped ones last. */
function summariesOf({ scored, ordered }: Choice): Summary[] {
  if (scored.length === 1) return [summarise(scored[0]!, ordered.length)];
  const ranks = new Map(ordered.map((candidate, index) => [candidate, index + 1]));
  const summaries = scored.map((one) => summarise(one, ranks.get(one.candidate) ?? ordered.length + 1));
  summaries.sort((a, b) => (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER));
  return summaries.slice(0, maxCandidates);
}

export interface DecisionLog {
  /** Hands over the references; nothing is serialised or written here. */
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

const flushEveryMs = 1000;
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

class BufferedLog implements DecisionLog {
  #waiting: Decision[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;
  #closed = false;
  lost = 0;

  constructor(readonly deps: DecisionLogDeps) {}

  add(decision: Decision): void {
    this.#waiting.push(decision);
    this.#bound();
    // A busy process fills the buffer in less than the pause between flushes, and would lose what is over.
    if (this.#waiting.length >= flushAt) void this.#start();
    else this.#schedule();
  }

  async flush(): Promise<void> {
    await this.#writing;
    await this.#start();
  }

  async sweep(): Promise<void> {
    const before = Math.floor(this.deps.clock.nowMs() / 1000) - this.deps.keepDays() * 86_400;
    while (!this.#closed && (await sweepDecisions(this.deps.db, before, rowsPerSweep)) === rowsPerSweep) {
      await Bun.sleep(5);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.flush();
  }

  #schedule(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#start();
    }, flushEveryMs);
    this.#timer.unref();
  }

  #bound(): void {
    if (this.#waiting.length <= maxWaiting) return;
    const over = this.#waiting.length - maxWaiting + rowsPerInsert;
    this.#waiting.splice(0, over);
    this.lost += over;
  }

  #start(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /** What waits now; what comes meanwhile waits for its own turn, or a busy process would write a handful at a time. */
  async #write(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; ) {
      const part = this.#waiting.splice(0, sizes.find((size) => size <= left)!);
      left -= part.length;
      try {
        await insertDecisions(this.deps.db, part.map(rowOf));
      } catch (error) {
        this.#waiting.unshift(...part);
        this.#bound();
        this.deps.onError?.(error);
        this.#schedule();
        return;
      }
      await Bun.sleep(0);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }
}

export const openDecisionLog = (deps: DecisionLogDeps): DecisionLog => new BufferedLog(deps);
