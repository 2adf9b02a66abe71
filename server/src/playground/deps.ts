import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';

export interface PlaygroundDeps {
  db: Db;
  clock: Clock;
}
