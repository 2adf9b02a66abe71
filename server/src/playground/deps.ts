import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Keeping } from '../platform/keeping/keeping.ts';

export interface PlaygroundDeps {
  db: Db;
  clock: Clock;
  keeping: Keeping;
}
