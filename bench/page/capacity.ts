import type { Result } from './results.ts';
import { tableOf } from './table.ts';

/** Target utilisation, leaving room for bursts, backups, and the loss of an instance. */
const fill = 0.5;
const dayShareOfBusiestHour = 0.15;

interface Crowd {
  what: string;
  /** Share of a million users. */
  activeShare: number;
  requestsEach: number;
}

const crowds: Crowd[] = [
  { what: '1 in 20 comes a day, 10 requests each', activeShare: 0.05, requestsEach: 10 },
  { what: '1 in 10, 20 requests each', activeShare: 0.1, requestsEach: 20 },
  { what: '1 in 5, 50 requests each', activeShare: 0.2, requestsEach: 50 },
];

/** What a million users need, based on `bench scale` and `bench disk`; sections of a page. */
export function capacity(results: Result[]): string[] {
  const scale = results.find(({ suite }) => suite === 'scale');
  const disk = results.find(({ suite }) => suite === 'disk');
  const two = scale?.rows.find(({ what }) => what.includes('2 processes'))?.figures;
  if (!scale || !two) return ['Not measured yet: `npm run bench -- scale`.'];
  const service = Number(two['CPU µs/req']);
  const all = two['with database'];
  const database = all === undefined ? undefined : Number(all) - service;
  const megabytes = Number(disk?.rows.find(({ what }) => what === 'PostgreSQL')?.figures[entryColumn]);
  return [
    `${scale.at.slice(0, 10)}, ${scale.machine}; load, upstream, service, PostgreSQL and Redis shared these cores.`,
    `A request costs ${service} µs of processor time in the service and ${database === undefined ? 'a time not measured yet' : `${database} µs`} in ` +
      `PostgreSQL and Redis (two processes, 64 connections, 16 users). A million usage entries take ${megabytes || '–'} MB.`,
    tableOf(
      crowds.map((crowd) => ({ what: crowd.what, figures: figuresOf(crowd, service, database, megabytes) })),
    ).join('\n'),
  ];
}

const entryColumn = 'MB for a million usage entries';

function figuresOf({ activeShare, requestsEach }: Crowd, service: number, database: number | undefined, mb: number) {
  const aDay = 1e6 * activeShare * requestsEach;
  const aSecond = (aDay * dayShareOfBusiestHour) / 3600;
  const cores = (micros: number): number => Math.max(1, Math.ceil((aSecond * micros) / 1e6 / fill));
  return {
    'requests a day': aDay,
    'a second, busiest hour': Math.round(aSecond),
    'service cores': cores(service),
    'database cores': database === undefined ? '–' : cores(database),
    'GB of usage a month': mb > 0 ? Math.round((aDay * 30 * mb) / 1e9) : '–',
  };
}
