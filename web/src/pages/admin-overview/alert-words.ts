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
  label: t('See its health'),
  to: '/routing/health',
  ...(provider && { search: { provider } }),
});

function budgetText({ detail }: Alert): string {
  const [level = '', span = ''] = (detail ?? '').split(' ');
  return t(
    '{level, select, organisation {The whole organisation} team {A team} member {A member} key {A key} other {{level}}} may spend so much {span, select, day {a day} week {a week} month {a month} total {in all} other {{span}}}.',
    { level, span },
  );
}

const words: Record<Alert['kind'], (alert: Alert) => AlertWords> = {
  database_damaged: ({ detail }) => ({
    title: t('The database is damaged'),
    text: t('Restore a backup, as the operator guide says. Found: {detail}.', { detail: detail ?? '' }),
    ...{ label: t('See the system'), to: '/admin/system' },
  }),
  credential_unreadable: ({ name }) => ({
    ...channels,
    title: t('{name}: its key cannot be read', { name: name ?? '' }),
    text: t('It was sealed with an encryption key that is gone, so nothing is sent there. Enter it again.'),
  }),
  credential_refused: ({ name, count }) => ({
    ...channels,
    title:
      count === null
        ? t('{name}: its key is refused', { name: name ?? '' })
        : t('{name}: its key is refused ({status})', { name: name ?? '', status: count }),
    text: t('Requests go to other channels, or fail. Enter a key that is valid.'),
  }),
  circuit_open: (alert) => ({
    ...health(alert),
    title: t('{name} is left alone', { name: alert.name ?? '' }),
    text:
      alert.count === 1
        ? t('{model} failed again and again.', { model: alert.detail ?? '' })
        : t('{count} models failed again and again, {model} among them.', {
            count: formatNumber(alert.count ?? 0),
            model: alert.detail ?? '',
          }),
  }),
  channel_failing: (alert) => ({
    ...health(alert),
    title: t('{name} fails often', { name: alert.name ?? '' }),
    text: t('{share} of {count, plural, one {# request} other {# requests}} of the last hour succeeded.', {
      share: percent(alert.share),
      count: alert.count ?? 0,
    }),
  }),
  budget_used: (alert) => ({
    title: t('{organisation}: {share} of a budget is used', {
      organisation: alert.name ?? t('An organisation'),
      share: percent(alert.share),
    }),
    text: budgetText(alert),
    ...{ label: t('See its budgets'), to: `/organisations/${alert.id}` },
  }),
  organisation_left: ({ id, name }) => ({
    title: t('{organisation}: no owner can log in', { organisation: name ?? t('An organisation') }),
    text: t('Its keys and applications go on. Enable one of its owners, or disable its account to stop them.'),
    ...{ label: t('See its account'), to: `/admin/users/${id}` },
  }),
  jobs_failed: ({ name, count, detail }) => ({
    title: t('Background work was given up: {queue}', { queue: name ?? '' }),
    text: detail
      ? t('{count, plural, one {# job} other {# jobs}}. The last said: {error}.', { count: count ?? 0, error: detail })
      : t('{count, plural, one {# job} other {# jobs}}.', { count: count ?? 0 }),
    ...{ label: t('See the system'), to: '/admin/system' },
  }),
  simulation: () => ({
    title: t('The simulation is answering'),
    text: t('No channel that is switched on serves a model yet.'),
    ...{ label: t('Add a channel'), to: '/admin/channels', search: { open: 'known' } },
  }),
};

export const alertWords = (alert: Alert): AlertWords => words[alert.kind](alert);
