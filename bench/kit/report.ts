import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Row {
  /** What was measured. */
  what: string;
  /** One figure per column, already in its unit. */
  figures: Record<string, string | number>;
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Half of the range between minimum and maximum, as a share of the median. */
export const spread = (values: number[]): string =>
  `±${Math.round(((Math.max(...values) - Math.min(...values)) / 2 / Math.max(1e-12, median(values))) * 100)} %`;

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const percent = (share: number): string => `${round(share * 100, 1)} %`;

export function report(suite: string, rows: Row[], goals: string[]): void {
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`;
  console.log(`\n## ${suite} (${machine})`);
  console.table(Object.fromEntries(rows.map((row) => [row.what, row.figures])));
  for (const goal of goals) console.log(goal);
  const folder = join(import.meta.dir, '../results');
  mkdirSync(folder, { recursive: true });
  const result = { suite, at: new Date().toISOString(), machine, rows, goals };
  writeFileSync(join(folder, `${suite}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** A goal and whether this run met it; only printed, a missed goal fails nothing. */
export const goal = (text: string, met: boolean): string => `${met ? '✓' : '✗'} ${text}`;
