import type { Delta } from './conversation.ts';
import { parses } from './watch.ts';

type Start = Extract<Delta, { type: 'tool_start' }>;
type Args = Extract<Delta, { type: 'tool_args' }>;
export type CallDelta = Start | Args;

/**
 * Puts parallel calls one after another, for formats in which one call is open at a time: a call waits until the
 * arguments of the open one are complete. Each method returns what to write now.
 */
export class CallSequence {
  #open: number | undefined;
  #args = '';
  readonly #waiting = new Map<number, { start: Start; args: string }>();

  start(start: Start): CallDelta[] {
    // An open call without arguments may still receive some.
    if (this.#open === undefined || parses(this.#args)) return this.#begin(start, '');
    this.#waiting.set(start.index, { start, args: '' });
    return [];
  }

  args(delta: Args): CallDelta[] {
    if (delta.index !== this.#open) {
      const call = this.#waiting.get(delta.index);
      if (call !== undefined) call.args += delta.args;
      return [];
    }
    this.#args += delta.args;
    return this.#waiting.size > 0 && parses(this.#args) ? [delta, ...this.#next()] : [delta];
  }

  /** The remaining calls: after them something else follows, or the end. */
  flush(): CallDelta[] {
    const out = [...this.#waiting.values()].flatMap(({ start, args }) => this.#begin(start, args));
    this.#waiting.clear();
    this.#open = undefined;
    return out;
  }

  /** Opens waiting calls up to the first incomplete one. */
  #next(): CallDelta[] {
    const out: CallDelta[] = [];
    for (const [index, { start, args }] of this.#waiting) {
      this.#waiting.delete(index);
      out.push(...this.#begin(start, args));
      if (!parses(args)) break;
    }
    return out;
  }

  #begin(start: Start, args: string): CallDelta[] {
    this.#open = start.index;
    this.#args = args;
    return args === '' ? [start] : [start, { type: 'tool_args', index: start.index, args }];
  }
}
