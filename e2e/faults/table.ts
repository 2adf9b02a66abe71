/** The fault table: the fault, the expected result, and what happened. */
import { appendFileSync } from 'node:fs';

export interface Row {
  fault: string;
  expected: string;
  seen: string;
}

const rows: Row[] = [];

/** Set by `npm run test:faults`, which collects the rows of all files. */
const gathered = process.env.SVC_FAULT_ROWS;

export function saw(fault: string, expected: string, seen: string): void {
  const row = { fault, expected, seen };
  rows.push(row);
  if (gathered) appendFileSync(gathered, `${JSON.stringify(row)}\n`);
}

/** For `afterAll` of a test file; prints nothing if the rows are collected. */
export function printSeen(): void {
  if (!gathered && rows.length > 0) console.log(render(rows));
}

const widths = [34, 44, 60] as const;

export function render(table: Row[]): string {
  const line = (fill: string) => widths.map((width) => fill.repeat(width)).join(' ');
  const cells = ({ fault, expected, seen }: Row) => {
    const columns = [wrap(fault, widths[0]), wrap(expected, widths[1]), wrap(seen, widths[2])];
    const height = Math.max(...columns.map((column) => column.length));
    return Array.from({ length: height }, (_, i) =>
      columns
        .map((column, n) => (column[i] ?? '').padEnd(widths[n]!))
        .join(' ')
        .trimEnd(),
    ).join('\n');
  };
  const head = cells({ fault: 'fault', expected: 'expected', seen: 'seen' });
  return ['', head, line('='), table.map(cells).join(`\n${line('-')}\n`), line('=')].join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!;
    if (last && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
