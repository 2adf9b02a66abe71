import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chart } from './chart.ts';
import { readResults } from './results.ts';
import { section } from './table.ts';

const page = join(import.meta.dir, '../../docs/performance.md');
const image = join(import.meta.dir, '../../docs/images/performance.svg');
const begin = '<!-- figures: written by npm run bench -->';
const end = '<!-- end of figures -->';

/** The part of the page that the results make. */
export const figures = (): string => [begin, ...readResults().map(section), end].join('\n\n');

export function figuresOnPage(): string {
  const text = readFileSync(page, 'utf8');
  return text.slice(text.indexOf(begin), text.indexOf(end) + end.length);
}

/** Puts the figures and the chart of `bench/results` into the docs. */
export function writePage(): void {
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(figuresOnPage(), () => figures()),
  );
  mkdirSync(dirname(image), { recursive: true });
  writeFileSync(image, chart(readResults()));
}
