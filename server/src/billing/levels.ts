import type { MaybePromise } from '../lib/maybe-promise.ts';

/**
 * The levels of budgets, from the narrowest. Holds are taken in this order, so that a refused request has taken little
 * by then.
 */
export const levelNames = ['key', 'member', 'team', 'organisation'] as const;
export type LevelName = (typeof levelNames)[number];

export const spans = ['day', 'week', 'month', 'total'] as const;
export type Span = (typeof spans)[number];

/** A budget with its current window. */
export interface OpenBudget {
  /** `person`: a limit that users set for themselves. */
  level: LevelName | 'person';
  span: Span;
  /** In quota units. */
  amount: number;
  /** A hard budget refuses requests beyond it; others only count. */
  hard: boolean;
  /** The row that holds are taken from. */
  windowId: number;
  /** Unix seconds; 0 if it never ends. */
  endsAt: number;
  timeZone: string;
}

/** Who pays for a request and which budgets it counts against: those of an organisation, or the user's own limits. */
export interface Levels {
  /** The user whose balance pays: the caller, or the organisation's account. */
  readonly payerId: number;
  /** From the narrowest level. */
  readonly budgets: readonly OpenBudget[];
}

/** Looks up budgets; implemented by the module that manages organisations. */
export interface LevelsPort {
  /**
   * Null if the key belongs to no organisation and the user has set no limit. Throws if the request must be refused.
   * Answers from memory while its cache is warm.
   */
  of(keyId: number | null, userId: number): MaybePromise<Levels | null>;
  /**
   * Reports the tokens used with this key (0 for none) and paid by this user, and that budgets may have changed. Must
   * not block the request.
   */
  settled(used: { keyId: number; payerId: number; tokens: number }): void;
}
