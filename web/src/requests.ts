import type { Result } from './api.ts';
import { t } from './language/words.ts';

export type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];

/** A request that somebody made; or the calls that a turn, a run or a batch made in its course, as one. */
export interface Requests {
  key: string;
  /** What made the calls; null for a request of somebody's own. */
  parent: string | null;
  /** Newest first, never empty. */
  logs: UsageLog[];
}

/** What plans, judges and embeds for one question stands together: line by line it would drown what people asked. */
export function together(logs: UsageLog[]): Requests[] {
  const rows = new Map<string, Requests>();
  for (const log of logs) {
    const key = log.parent_request_id ?? String(log.id);
    const row = rows.get(key);
    if (row) row.logs.push(log);
    else rows.set(key, { key, parent: log.parent_request_id, logs: [log] });
  }
  return [...rows.values()];
}

export const apart = (logs: UsageLog[]): Requests[] =>
  logs.map((log) => ({ key: String(log.id), parent: null, logs: [log] }));

type Counted = 'quota' | 'prompt_tokens' | 'completion_tokens';
export const sumOf = ({ logs }: Pick<Requests, 'logs'>, name: Counted): number =>
  logs.reduce((sum, log) => sum + log[name], 0);

const makers: [prefix: string, word: string][] = [
  ['req_', t('turn##maker')],
  ['resp_', t('response##maker')],
  ['batch_', t('batch##maker')],
  ['msgbatch_', t('batch##maker')],
  ['exec-', t('run##maker')],
];

/** What made a call, in one word: a turn, a run, a batch, a response. */
export const makerOf = (parent: string): string =>
  makers.find(([prefix]) => parent.startsWith(prefix))?.[1] ?? t('request##maker');

export const countedCalls = (parent: string, count: number): string =>
  t('{count, plural, one {# call} other {# calls}} of one {maker}', { count, maker: makerOf(parent) });

/** "12 calls of one turn". */
export const callsOf = ({ parent, logs }: Requests): string => countedCalls(parent ?? '', logs.length);

/** How a request ended, in words; anything but `ok` deserves a look. */
const endings: Record<string, string> = {
  ok: t('OK'),
  aborted: t('Client left'),
  interrupted: t('Interrupted'),
  error: t('Failed'),
};

export const endingWords = (status: string): string => endings[status] ?? status;

/** The ending of the one that deserves a look most. */
export function endingOf({ logs }: Pick<Requests, 'logs'>): { label: string; ok: boolean } {
  const status = logs.find((log) => log.status !== 'ok')?.status ?? 'ok';
  return { label: endingWords(status), ok: status === 'ok' };
}
