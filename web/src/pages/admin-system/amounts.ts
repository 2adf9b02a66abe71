import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';

export const megabytes = (bytes: number): string => `${formatNumber(Math.round(bytes / 1_000_000))} MB`;

/** Formats the two largest units: 3 d 4 h, 5 min 2 s. */
export function duration(seconds: number): string {
  const [days, hours, minutes, rest] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const units: [count: number, words: string][] = [
    [days, t('{days} d', { days })],
    [hours, t('{hours} h', { hours })],
    [minutes, t('{minutes} min', { minutes })],
    [rest, t('{seconds} s', { seconds: rest })],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return t('{seconds} s', { seconds: 0 });
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([, words]) => words).join(' ');
}
