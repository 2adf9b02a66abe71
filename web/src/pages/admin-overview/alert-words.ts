import { formatNumber } from '../../format.ts';
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
const channels = { label: 'Go to channels', to: '/admin/channels' };
const health = ({ provider }: Alert) => ({
  label: 'See its health',
  to: '/routing/health',
  ...(provider && { search: { provider } }),
});

const spans: Record<string, string> = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' };
const levels: Record<string, string> = {
  organisation: 'The whole organisation',
  team: 'A team',
  member: 'A member',
  key: 'A key',
};

function budgetText({ detail }: Alert): string {
  const [level = '', span = ''] = (detail ?? '').split(' ');
  return `${levels[level] ?? level} may spend so much ${spans[span] ?? span}.`;
}

const words: Record<Alert['kind'], (alert: Alert) => AlertWords> = {
  database_damaged: ({ detail }) => ({
    title: 'The database is damaged',
    text: `Restore a backup, as the operator guide says. Found: ${detail}.`,
    ...{ label: 'See the system', to: '/admin/system' },
  }),
  credential_unreadable: ({ name }) => ({
    ...channels,
    title: `${name}: its key cannot be read`,
    text: 'It was sealed with an encryption key that is gone, so nothing is sent there. Enter it again.',
  }),
  credential_refused: ({ name, count }) => ({
    ...channels,
    title: `${name}: its key is refused${count === null ? '' : ` (${count})`}`,
    text: 'Requests go to other channels, or fail. Enter a key that is valid.',
  }),
  circuit_open: (alert) => ({
    ...health(alert),
    title: `${alert.name} is left alone`,
    text:
      alert.count === 1
        ? `${alert.detail} failed again and again.`
        : `${formatNumber(alert.count ?? 0)} models failed again and again, ${alert.detail} among them.`,
  }),
  channel_failing: (alert) => ({
    ...health(alert),
    title: `${alert.name} fails often`,
    text: `${percent(alert.share)} of ${formatNumber(alert.count ?? 0)} requests of the last hour succeeded.`,
  }),
  budget_used: (alert) => ({
    title: `${alert.name ?? 'An organisation'}: ${percent(alert.share)} of a budget is used`,
    text: budgetText(alert),
    ...{ label: 'See its budgets', to: `/organisations/${alert.id}` },
  }),
  jobs_failed: ({ name, count, detail }) => ({
    title: `Background work was given up: ${name}`,
    text: `${count === 1 ? '1 job' : `${formatNumber(count ?? 0)} jobs`}.${detail ? ` The last said: ${detail}.` : ''}`,
    ...{ label: 'See the system', to: '/admin/system' },
  }),
  simulation: () => ({
    title: 'The simulation is answering',
    text: 'No channel that is switched on serves a model yet.',
    ...{ label: 'Add a channel', to: '/admin/channels', search: { open: 'known' } },
  }),
};

export const alertWords = (alert: Alert): AlertWords => words[alert.kind](alert);
