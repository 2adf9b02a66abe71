import { mayBeRefusal } from '../checks.ts';

/**
 * Holds back the beginning of a streamed answer while it may still turn out to be a refusal that another model is to
 * make good; once something was let through there is no taking back.
 */
export interface Gate {
  push(text: string): void;
  /** Lets through what is held, or what is to be said in its place. */
  open(instead?: string): void;
  readonly passed: boolean;
}

/** `mode`: `whole` holds everything until opened, `none` holds nothing. */
export function newGate(say: (text: string) => void, mode: 'beginning' | 'whole' | 'none'): Gate {
  let held = '';
  let passed = mode === 'none';
  return {
    push(text) {
      if (passed) return say(text);
      held += text;
      if (mode === 'beginning' && !mayBeRefusal(held)) this.open();
    },
    open(instead) {
      const text = passed ? '' : (instead ?? held);
      passed = true;
      held = '';
      if (text !== '') say(text);
    },
    get passed() {
      return passed;
    },
  };
}
