import { mayBeRefusal } from '../task/refusals.ts';

/**
 * Holds back the beginning of a streamed answer while it may still turn out to be a refusal that another model is to
 * make good; once something was let through there is no taking back.
 */
export interface Gate {
  /** Gives what `say` gives: something to wait for, when the client is slow. */
  push(text: string): unknown;
  /** Lets through what is held, or what is to be said in its place. */
  open(instead?: string): unknown;
}

/** `mode`: `whole` holds everything until opened, `none` holds nothing. */
export function newGate(say: (text: string) => unknown, mode: 'beginning' | 'whole' | 'none'): Gate {
  let held = '';
  let passed = mode === 'none';
  const open = (instead = held) => {
    const text = passed ? '' : instead;
    passed = true;
    return text === '' ? undefined : say(text);
  };
  const push = (text: string) => {
    if (passed) return say(text);
    held += text;
    return mode === 'beginning' && !mayBeRefusal(held) ? open() : undefined;
  };
  return { push, open };
}
