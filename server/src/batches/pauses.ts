import type { Clock } from '../lib/clock.ts';

const firstMs = 1_000;
/** A limit may be lifted before its time, and a client may cancel: nobody should wait much longer for nothing. */
const mostGrownMs = 300_000;
const mostToldMs = 3_600_000;
/** At least this often a waiting batch looks whether it was cancelled, deleted or has expired. */
const lookMs = 5_000;

interface Pause {
  /** Pauses in a row without an answer between them. */
  times: number;
  untilMs: number;
  /** Position of the request asked last: the next turn begins behind it, so that none keeps the others waiting. */
  last: number;
}

/** Batches that wait until models accept requests again. In memory: another process begins with a short pause. */
export class Pauses {
  readonly #waiting = new Map<string, Pause>();

  constructor(readonly clock: Pick<Clock, 'steadyMs'>) {}

  /** How long until the batch should be looked at again; 0 if its requests may be asked. */
  leftMs(id: string): number {
    const pause = this.#waiting.get(id);
    return pause ? Math.min(lookMs, Math.max(0, pause.untilMs - this.clock.steadyMs())) : 0;
  }

  /** Behind which request to go on. */
  lastOf(id: string): number {
    return this.#waiting.get(id)?.last ?? 0;
  }

  /** As long as the model said, or longer with each turn in which nothing was answered. */
  begin(id: string, { toldMs, answered, last }: { toldMs: number; answered: boolean; last: number }): void {
    const before = answered ? 0 : (this.#waiting.get(id)?.times ?? 0);
    const grownMs = Math.min(mostGrownMs, firstMs * 2 ** Math.min(before, 30));
    const ms = Math.max(grownMs, Math.min(mostToldMs, toldMs));
    this.#waiting.set(id, { times: before + 1, untilMs: this.clock.steadyMs() + ms, last });
  }

  /** The batch has ended, or is gone. */
  forget(id: string): void {
    this.#waiting.delete(id);
  }
}
