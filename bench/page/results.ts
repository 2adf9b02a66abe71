import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../kit/report.ts';

export interface Result {
  suite: string;
  at: string;
  machine: string;
  rows: Row[];
  goals: string[];
}

/** In the order of the page; the quality of the orchestration is in docs/orchestration.md. */
const suites = ['relay', 'stream', 'oauth', 'start', 'growth', 'lists', 'scale', 'disk', 'recall'];

export function readResults(): Result[] {
  return suites.flatMap((suite) => {
    const path = join(import.meta.dir, `../results/${suite}.json`);
    return existsSync(path) ? [JSON.parse(readFileSync(path, 'utf8')) as Result] : [];
  });
}
