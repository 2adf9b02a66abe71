import type { MaybePromise } from '../lib/maybe-promise.ts';

/** Which providers a request may use. */
export interface Admission {
  mayUse(provider: string): boolean;
}

/** Which providers and models a request may use. */
export interface Reach extends Admission {
  mayAsk(model: string): boolean;
}

/** What an organisation allows a key besides money, at all its levels. Null if nothing is limited. */
export interface KeyLimits {
  /**
   * Throws if the request is not allowed; `models` are the names its model may be known by. `counted`: the request was
   * already counted, for another model.
   */
  admit(keyId: number, models: readonly string[], counted?: boolean): MaybePromise<Admission | null>;
  /** For lists of models: counts nothing. */
  reachOf(keyId: number): MaybePromise<Reach | null>;
}
