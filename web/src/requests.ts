import type { Result } from './api.ts';
import { formatNumber } from './format.ts';
import { t } from './language/words.ts';

export type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];

type Counted = 'quota' | 'prompt_tokens' | 'completion_tokens';
type Call = { parent_request_id: string | null } & Record<Counted, number>;

/** One request by a user, or the calls of one turn, run or batch grouped together. */
export interface Grouped<C> {
  key: string;
  /** The id of what made the calls; null for a user's own request. */
  parent: string | null;
  /** Newest first, never empty. */
  calls: C[];
  /** Other pages may have more of these calls, so that counts and sums are only the least there can be. */
  partial: boolean;
}
export type Requests = Grouped<UsageLog>;

/** Whether other pages of the list have newer and older calls than this one. */
export interface OtherPages {
  newer: boolean;
  older: boolean;
}
/** Their calls lie far apart, between others; those of a turn are next to each other. */
const lasting = /^(?:exec-|resp_|batch_|msgbatch_)/;

/** Groups the calls for planning, judging and embedding by request, so that they do not crowd out what users asked. */
export function groupCalls<C extends Call>(
  calls: C[],
  keyOf: (call: C, index: number) => string,
  { newer, older }: OtherPages,
): Grouped<C>[] {
  const groups = new Map<string, Grouped<C>>();
  for (const [index, call] of calls.entries()) {
    const parent = call.parent_request_id;
    const key = parent ?? keyOf(call, index);
    const group = groups.get(key) ?? { key, parent, calls: [], partial: false };
    group.calls.push(call);
    const atEdge = (newer && index === 0) || (older && index === calls.length - 1);
    if (parent !== null && (atEdge || ((newer || older) && lasting.test(parent)))) group.partial = true;
    groups.set(key, group);
  }
  return [...groups.values()];
}

const idOf = ({ id }: UsageLog): string => String(id);
export const groupRequests = (logs: UsageLog[], others: OtherPages): Requests[] => groupCalls(logs, idOf, others);
export const singleRequests = (logs: UsageLog[]): Requests[] =>
  logs.map((log) => ({ key: idOf(log), parent: null, calls: [log], partial: false }));

export const sumOf = <N extends Counted>({ calls }: { calls: Record<N, number>[] }, name: N): number =>
  calls.reduce((sum, call) => sum + call[name], 0);

/** Before a sum that may lack calls of other pages. */
export const leastMark = ({ partial }: Pick<Grouped<unknown>, 'partial'>): string => (partial ? '≥\u00a0' : '');

export const tokensOf = (group: Pick<Grouped<Call>, 'calls' | 'partial'>): string =>
  `${leastMark(group)}${formatNumber(sumOf(group, 'prompt_tokens'))} → ${formatNumber(sumOf(group, 'completion_tokens'))}`;

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

/** Such as "12 calls of one turn". */
export function callsOf({ parent, calls, partial }: Grouped<unknown>): string {
  const counted = { count: calls.length, maker: parentKindOf(parent ?? '') };
  return partial
    ? t('At least {count, plural, one {# call} other {# calls}} of one {maker}', counted)
    : t('{count, plural, one {# call} other {# calls}} of one {maker}', counted);
}

/** Texts for how a request ended; anything but `ok` needs attention. */
const endings: Record<string, string> = {
  ok: t('OK'),
  aborted: t('Client disconnected'),
  interrupted: t('Interrupted'),
  error: t('Failed'),
};

export const endingWords = (status: string): string => endings[status] ?? status;

/** The worst ending in the group. */
export function endingOf({ calls }: Pick<Requests, 'calls'>): { label: string; ok: boolean } {
  const status = calls.find((log) => log.status !== 'ok')?.status ?? 'ok';
  return { label: endingWords(status), ok: status === 'ok' };
}
