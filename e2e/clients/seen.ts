/** The last results of each client, so that one can be run again without the others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seen } from './run-library.ts';

export interface Tried {
  version: string;
  /** The day, as ISO 8601. */
  on: string;
  seen: Seen[];
}

const file = join(import.meta.dir, 'seen.json');

export const readTried = (): Record<string, Tried> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Tried>) : {};

export function writeTried(tried: Record<string, Tried>): void {
  writeFileSync(file, `${JSON.stringify(tried, null, 2)}\n`);
}
