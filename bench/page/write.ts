import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capacity } from './capacity.ts';
import { chart } from './chart.ts';
import { readResults } from './results.ts';
import { section } from './table.ts';

const page = join(import.meta.dir, '../../docs/performance.md');
const scalePage = join(import.meta.dir, '../../docs/scale.md');
const image = join(import.meta.dir, '../../docs/images/performance.svg');
const begin = '<!-- figures: written by npm run bench -->';
const end = '<!-- end of figures -->';

/** The generated part of the performance page. */
export const figures = (): string => [begin, ...readResults().map(section), end].join('\n\n');

/** The generated part of the page about a million users. */
export const scaleFigures = (): string => [begin, ...capacity(readResults()), end].join('\n\n');

const between = (text: string): string => text.slice(text.indexOf(begin), text.indexOf(end) + end.length);
export const figuresOnPage = (): string => between(readFileSync(page, 'utf8'));
export const figuresOnScalePage = (): string => between(readFileSync(scalePage, 'utf8'));

function fill(path: string, made: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(between(text), () => made),
  );
}

/** Writes the figures and the chart of `bench/results` into the docs. */
export function writePage(): void {
  fill(page, figures());
  fill(scalePage, scaleFigures());
  mkdirSync(dirname(image), { recursive: true });
  writeFileSync(image, chart(readResults()));
}
