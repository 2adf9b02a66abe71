import type { AccountDeps } from '../identity/accounts.ts';
import type { PersonalData } from '../platform/db/pages.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';

/** What each room can tell of a user, and how it forgets one. */
export interface AccountData {
  exportOf(userId: number): PersonalData;
  forget(userId: number): Promise<void>;
}

export interface AccountDataDeps {
  accounts: AccountDeps;
  jobs: Jobs;
  log: Log;
  rooms: Record<string, AccountData>;
  /** What a user may keep in all; 0 for no limit. */
  mostBytes(): number;
  /** All of a user's, with conversations, whichever key they were made with; durable work. */
  deleteResponses(userId: number): Promise<void>;
  /** Throws for a user that stands for an organisation: what is its own ends with that. */
  requirePerson(userId: number): Promise<void>;
}
