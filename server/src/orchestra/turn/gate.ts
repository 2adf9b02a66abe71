import { mayBeRefusal } from '../task/refusals.ts';

/**
 * Holds back the beginning of a streamed answer while it may still turn out to be a refusal, so that another model can
 * answer instead; once text was sent, it cannot be taken back.
 */
export interface Gate {
  /** Returns what `say` returns: a promise, if the client is slow. */
  push(text: string): unknown;
  /** Releases the held text, or sends another text in its place. */
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
