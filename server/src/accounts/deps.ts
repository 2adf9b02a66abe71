import type { AccountDeps } from '../identity/accounts.ts';
import type { PersonalData } from '../platform/db/pages.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';

/** What each room can export of a user, and how it deletes it. */
export interface AccountData {
  exportOf(userId: number): PersonalData;
  forget(userId: number): Promise<void>;
}

export interface AccountDataDeps {
  accounts: AccountDeps;
  jobs: Jobs;
  log: Log;
  rooms: Record<string, AccountData>;
  /** The most a user may store in total; 0 for no limit. */
  mostBytes(): number;
  /** All responses and conversations of a user, of all keys; durable work. */
  deleteResponses(userId: number): Promise<void>;
  /** Throws for a user that represents an organisation, whose data ends with the organisation. */
  requirePerson(userId: number): Promise<void>;
}
