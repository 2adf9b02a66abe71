import { formatPercent } from '../../format.ts';
import { t } from '../../language/words.ts';

interface Look {
  label: string;
  color: string;
}

const looks: Record<string, Look> = {
  running: { label: t('Running'), color: 'indigo' },
  paused: { label: t('Paused'), color: 'orange' },
  waiting_for_tools: { label: t('Waiting for tools'), color: 'orange' },
  waiting_for_approval: { label: t('Waiting for approval'), color: 'orange' },
  completed: { label: t('Completed'), color: 'teal' },
  failed: { label: t('Failed'), color: 'red' },
  cancelled: { label: t('Cancelled'), color: 'gray' },
};

export const runLook = (status: string): Look => looks[status] ?? { label: status, color: 'gray' };

export const runStatuses = Object.entries(looks).map(([value, { label }]) => ({ value, label }));

/** Whether the run waits for a user's action. */
export const isPaused = (status: string): boolean => status === 'paused' || status.startsWith('waiting_');

const reasons: Record<string, string> = {
  max_iterations: t('it reached its iteration limit'),
  max_time: t('it reached its time limit'),
  max_cost: t('it reached its cost limit'),
  insufficient_quota: t('the balance is too low'),
  tool_calls: t('it needs results from your tools'),
  approval: t('a tool call needs approval'),
  tools_unavailable: t('the tools of connected servers cannot be listed'),
  provider_unavailable: t('no provider is responding'),
  stalled: t('three iterations made no progress towards the goal'),
  key_revoked: t('the key it was started with was deleted, disabled or has expired'),
  user_disabled: t('the account was disabled'),
  model_not_allowed: t('its key can no longer use any chat model'),
  cancelled: t('it was cancelled'),
};

/** Why a run stopped, as text that fits after “because”. */
export const reasonWords = (reason: string | null): string =>
  reason ? (reasons[reason] ?? reason.replaceAll('_', ' ')) : '';

/** What the user can do to continue the run. */
const advices: Record<string, string> = {
  max_iterations: t('Resume to allow the same number again, or set a higher limit.'),
  max_time: t('Resume to allow the same time again, or set a higher limit.'),
  max_cost: t('Resume with a higher limit.'),
  tools_unavailable: t('Resume when the server of the tool is available again.'),
  insufficient_quota: t('Add credits, then resume.'),
  provider_unavailable: t('Resume when the provider is available again.'),
  key_revoked: t('Resume here, or with another key.'),
  model_not_allowed: t('Add models to the key, or resume here.'),
  tool_calls: t('Send the results to continue.'),
  approval: t('Allow or refuse the call to continue.'),
  stalled: t('Resume with a lower target confidence, or start over with a clearer goal.'),
};
export const adviceOf = (reason: string | null): string =>
  (reason && advices[reason]) || t('You can resume from a checkpoint.');

export function durationWords(seconds: number): string {
  if (seconds < 60) return t('{seconds} s', { seconds });
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  // For durations of hours, seconds do not matter.
  const rest = hours > 0 ? 0 : seconds % 60;
  return [
    hours > 0 && t('{hours} h', { hours }),
    minutes > 0 && t('{minutes} min', { minutes }),
    rest > 0 && t('{seconds} s', { seconds: rest }),
  ]
    .filter(Boolean)
    .join(' ');
}

export const percentWords = (share: number): string => formatPercent(Math.round(share * 100));

/** The first line of a goal, shortened at a word boundary to fit a heading. */
export function headline(goal: string, most = 80): string {
  const line = goal.trim().split('\n')[0]!.trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), most / 2)).replace(/[\s,;:.]+$/, '')}…`;
}
