import type { Now } from './store/port.ts';

/** Where a budget may stand, from the narrowest: in this order holds are taken, so that whoever is refused took little meanwhile. */
export const levelNames = ['key', 'member', 'team', 'organisation'] as const;
export type LevelName = (typeof levelNames)[number];

export const spans = ['day', 'week', 'month', 'total'] as const;
export type Span = (typeof spans)[number];

/** A budget in the window that is open now. */
export interface OpenBudget {
  /** `person`: what somebody has set for themselves. */
  level: LevelName | 'person';
  span: Span;
  /** In quota units. */
  amount: number;
  /** It refuses what goes beyond; else it only counts. */
  hard: boolean;
  /** The row that holds are taken from. */
  windowId: number;
  /** Unix seconds; 0 for one without end. */
  endsAt: number;
  timeZone: string;
}

/** What a request is paid by, of an organisation or of somebody who has set themselves a limit. */
export interface Levels {
  /** Whose balance pays: the user's own, or the organisation's account. */
  readonly payerId: number;
  /** From the narrowest level. */
  readonly budgets: readonly OpenBudget[];
}

/** Told by whoever knows organisations. */
export interface LevelsPort {
  /**
   * Null where neither an organisation has the key nor the user a limit. Throws what must not go on. From memory while it is
   * warm.
   */
  of(keyId: number | null, userId: number): Now<Levels | null>;
  /**
   * So many tokens were used with this key (0 for none) and paid by this user, and perhaps something was charged to the
   * levels. Never in the way.
   */
  settled(used: { keyId: number; payerId: number; tokens: number }): void;
}
