/** The last results of each client, so that one can be run again without the others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seen } from './run-library.ts';

export interface ClientResults {
  version: string;
  /** The day, as ISO 8601. */
  on: string;
  seen: Seen[];
}

const file = join(import.meta.dir, 'seen.json');

export const readResults = (): Record<string, ClientResults> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, ClientResults>) : {};

export function writeResults(tried: Record<string, ClientResults>): void {
  writeFileSync(file, `${JSON.stringify(tried, null, 2)}\n`);
}
