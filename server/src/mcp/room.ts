import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import type { Sessions } from './sessions.ts';

/** What the functions of this room share. */
export interface McpRoom {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  allowPrivate: boolean;
  sessions: Sessions;
}
