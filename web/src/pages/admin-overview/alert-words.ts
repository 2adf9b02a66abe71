import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Alert } from './overview-query.ts';

/** What is said of an alert, and the way to where it is mended. */
interface AlertWords {
  title: string;
  text: string;
  label: string;
  to: string;
  search?: Record<string, string>;
}

const percent = (share: number | null): string => `${Math.round((share ?? 0) * 100)} %`;
const channels = { label: t('Go to channels'), to: '/admin/channels' };
const health = ({ provider }: Alert) => ({
  label: t('See its health'),
  to: '/routing/health',
  ...(provider && { search: { provider } }),
});

const spans: Record<string, string> = { day: t('a day'), week: t('a week'), month: t('a month'), total: t('in all') };
const levels: Record<string, string> = {
  organisation: t('The whole organisation'),
  team: t('A team'),
  member: t('A member'),
  key: 'A key',
};

function budgetText({ detail }: Alert): string {
  const [level = '', span = ''] = (detail ?? '').split(' ');
  return t('{value} may spend so much {value2}.', { value: levels[level] ?? level, value2: spans[span] ?? span });
}

const words: Record<Alert['kind'], (alert: Alert) => AlertWords> = {
  database_damaged: ({ detail }) => ({
    title: t('The database is damaged'),
    text: t('Restore a backup, as the operator guide says. Found: {detail}.', { detail }),
    ...{ label: t('See the system'), to: '/admin/system' },
  }),
  credential_unreadable: ({ name }) => ({
    ...channels,
    title: t('{name}: its key cannot be read', { name }),
    text: t('It was sealed with an encryption key that is gone, so nothing is sent there. Enter it again.'),
  }),
  credential_refused: ({ name, count }) => ({
    ...channels,
    title: `${name}: its key is refused${count === null ? '' : ` (${count})`}`,
    text: t('Requests go to other channels, or fail. Enter a key that is valid.'),
  }),
  circuit_open: (alert) => ({
    ...health(alert),
    title: t('{name} is left alone', { name: alert.name }),
    text:
      alert.count === 1
        ? t('{detail} failed again and again.', { detail: alert.detail })
        : t('{number} models failed again and again, {detail} among them.', {
            number: formatNumber(alert.count ?? 0),
            detail: alert.detail,
          }),
  }),
  channel_failing: (alert) => ({
    ...health(alert),
    title: t('{name} fails often', { name: alert.name }),
    text: t('{share} of {number} requests of the last hour succeeded.', {
      share: percent(alert.share),
      number: formatNumber(alert.count ?? 0),
    }),
  }),
  budget_used: (alert) => ({
    title: t('{value}: {share} of a budget is used', {
      value: alert.name ?? 'An organisation',
      share: percent(alert.share),
    }),
    text: budgetText(alert),
    ...{ label: t('See its budgets'), to: `/organisations/${alert.id}` },
  }),
  jobs_failed: ({ name, count, detail }) => ({
    title: t('Background work was given up: {name}', { name }),
    text: `${count === 1 ? '1 job' : t('{number} jobs', { number: formatNumber(count ?? 0) })}.${detail ? t(' The last said: {detail}.', { detail }) : ''}`,
    ...{ label: t('See the system'), to: '/admin/system' },
  }),
  simulation: () => ({
    title: t('The simulation is answering'),
    text: t('No channel that is switched on serves a model yet.'),
    ...{ label: t('Add a channel'), to: '/admin/channels', search: { open: 'known' } },
  }),
};

export const alertWords = (alert: Alert): AlertWords => words[alert.kind](alert);
