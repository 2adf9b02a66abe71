import { formatNumber, formatPercent } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Alert } from './overview-query.ts';

/** The text of an alert, and a link to the page where it can be fixed. */
interface AlertWords {
  title: string;
  text: string;
  label: string;
  to: string;
  search?: Record<string, string>;
}

const percent = (share: number | null): string => formatPercent(Math.round((share ?? 0) * 100));
const channels = { label: t('Go to channels'), to: '/admin/channels' };
const health = ({ provider }: Alert) => ({
  label: t('View health'),
  to: '/routing/health',
  ...(provider && { search: { provider } }),
});

function budgetText({ detail }: Alert): string {
  const [level = '', span = ''] = (detail ?? '').split(' ');
  return t(
    'This is the spending limit of {level, select, organisation {the whole organisation} team {a team} member {a member} key {a key} other {{level}}} {span, select, day {per day} week {per week} month {per month} total {in total} other {{span}}}.',
    { level, span },
  );
}

const words: Record<Alert['kind'], (alert: Alert) => AlertWords> = {
  database_damaged: ({ detail }) => ({
    title: t('The database is damaged'),
    text: t('Restore a backup as described in the operator guide. Found: {detail}.', { detail: detail ?? '' }),
    ...{ label: t('View system'), to: '/admin/system' },
  }),
  credential_unreadable: ({ name }) => ({
    ...channels,
    title: t('{name}: key cannot be read', { name: name ?? '' }),
    text: t(
      'It was encrypted with an encryption key that is no longer available, so no requests are sent there. Enter the key again.',
    ),
  }),
  credential_refused: ({ name, count }) => ({
    ...channels,
    title:
      count === null
        ? t('{name}: key refused', { name: name ?? '' })
        : t('{name}: key refused ({status})', { name: name ?? '', status: count }),
    text: t('Requests go to other channels or fail. Enter a valid key.'),
  }),
  circuit_open: (alert) => ({
    ...health(alert),
    title: t('{name}: circuit open', { name: alert.name ?? '' }),
    text:
      alert.count === 1
        ? t('{model} failed repeatedly.', { model: alert.detail ?? '' })
        : t('{count} models failed repeatedly, including {model}.', {
            count: formatNumber(alert.count ?? 0),
            model: alert.detail ?? '',
          }),
  }),
  channel_failing: (alert) => ({
    ...health(alert),
    title: t('{name} fails often', { name: alert.name ?? '' }),
    text: t('{share} of {count, plural, one {# request} other {# requests}} in the last hour succeeded.', {
      share: percent(alert.share),
      count: alert.count ?? 0,
    }),
  }),
  budget_used: (alert) => ({
    title: t('{organisation}: {share} of a budget used', {
      organisation: alert.name ?? t('An organisation'),
      share: percent(alert.share),
    }),
    text: budgetText(alert),
    ...{ label: t('View budgets'), to: `/organisations/${alert.id}` },
  }),
  organisation_left: ({ id, name }) => ({
    title: t('{organisation}: no owner can log in', { organisation: name ?? t('An organisation') }),
    text: t('Its keys and applications keep working. Enable one of its owners, or disable its account to stop them.'),
    ...{ label: t('View account'), to: `/admin/users/${id}` },
  }),
  jobs_failed: ({ name, count, detail }) => ({
    title: t('Background jobs failed: {queue}', { queue: name ?? '' }),
    text: detail
      ? t('{count, plural, one {# job} other {# jobs}}. Last error: {error}.', { count: count ?? 0, error: detail })
      : t('{count, plural, one {# job} other {# jobs}}.', { count: count ?? 0 }),
    ...{ label: t('View system'), to: '/admin/system' },
  }),
  simulation: () => ({
    title: t('The built-in simulation is answering requests'),
    text: t('No enabled channel serves a model yet.'),
    ...{ label: t('Add a channel'), to: '/admin/channels', search: { open: 'known' } },
  }),
};

export const alertWords = (alert: Alert): AlertWords => words[alert.kind](alert);
