import type { Row } from '../kit/report.ts';
import type { Result } from './results.ts';

/** One suite as Markdown: machine and date, results, and goals met or missed. */
export function section({ suite, at, machine, rows, goals }: Result): string {
  const lines = [
    `### ${suite}`,
    '',
    `${at.slice(0, 10)}, ${machine}.`,
    '',
    ...tableOf(rows),
    '',
    ...goals.map((goal) => `- ${goal}`),
  ];
  return lines.join('\n');
}

export function tableOf(rows: Row[]): string[] {
  const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const line = (cells: (string | number)[]) => `| ${cells.map(cellOf).join(' | ')} |`;
  return [
    line(['', ...columns]),
    line(['---', ...columns.map(() => '--:')]),
    ...rows.map(({ what, figures }) => line([what, ...columns.map((column) => figures[column] ?? '')])),
  ];
}

const cellOf = (cell: string | number): string =>
  typeof cell === 'number' ? cell.toLocaleString('en') : cell.replaceAll('|', '\\|');
