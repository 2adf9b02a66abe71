import type { Result } from './api.ts';
import { t } from './language/words.ts';

export type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];

/** One request by a user, or all calls of one turn, run or batch grouped together. */
export interface Requests {
  key: string;
  /** The id of what made the calls; null for a user's own request. */
  parent: string | null;
  /** Newest first, never empty. */
  logs: UsageLog[];
}

/** Groups the calls for planning, judging and embedding by request, so that they do not crowd out what users asked. */
export function groupRequests(logs: UsageLog[]): Requests[] {
  const rows = new Map<string, Requests>();
  for (const log of logs) {
    const key = log.parent_request_id ?? String(log.id);
    const row = rows.get(key);
    if (row) row.logs.push(log);
    else rows.set(key, { key, parent: log.parent_request_id, logs: [log] });
  }
  return [...rows.values()];
}

export const singleRequests = (logs: UsageLog[]): Requests[] =>
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

/** What made a call: a turn, a run, a batch, a response. */
export const parentKindOf = (parent: string): string =>
  makers.find(([prefix]) => parent.startsWith(prefix))?.[1] ?? t('request##maker');

export const countedCalls = (parent: string, count: number): string =>
  t('{count, plural, one {# call} other {# calls}} of one {maker}', { count, maker: parentKindOf(parent) });

/** Such as "12 calls of one turn". */
export const callsOf = ({ parent, logs }: Requests): string => countedCalls(parent ?? '', logs.length);

/** Texts for how a request ended; anything but `ok` needs attention. */
const endings: Record<string, string> = {
  ok: t('OK'),
  aborted: t('Client disconnected'),
  interrupted: t('Interrupted'),
  error: t('Failed'),
};

export const endingWords = (status: string): string => endings[status] ?? status;

/** The worst ending in the group. */
export function endingOf({ logs }: Pick<Requests, 'logs'>): { label: string; ok: boolean } {
  const status = logs.find((log) => log.status !== 'ok')?.status ?? 'ok';
  return { label: endingWords(status), ok: status === 'ok' };
}
