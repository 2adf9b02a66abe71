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
  waiting_for_approval: { label: t('Waits for approval'), color: 'orange' },
  completed: { label: t('Completed'), color: 'teal' },
  failed: { label: t('Failed'), color: 'red' },
  cancelled: { label: t('Cancelled'), color: 'gray' },
};

export const runLook = (status: string): Look => looks[status] ?? { label: status, color: 'gray' };

export const runStatuses = Object.entries(looks).map(([value, { label }]) => ({ value, label }));

/** Whether the run waits for a user's action. */
export const isPaused = (status: string): boolean => status === 'paused' || status.startsWith('waiting_');

const reasons: Record<string, string> = {
  max_iterations: t('all its iterations are used'),
  max_time: t('its time is used up'),
  max_cost: t('it has cost as much as it may'),
  insufficient_quota: t('the balance does not allow more'),
  tool_calls: t('it needs what came of calls of your tools'),
  approval: t('somebody has to allow or refuse a call of a tool'),
  tools_unavailable: t('the tools of connected servers cannot be listed'),
  provider_unavailable: t('no provider answers'),
  stalled: t('three iterations brought it no nearer to the goal'),
  key_revoked: t('the key it was started with was deleted, disabled or has expired'),
  user_disabled: t('the account was disabled'),
  model_not_allowed: t('its key may not use any chat model any more'),
  cancelled: t('it was cancelled'),
};

/** Why a run stopped, as text that fits after “because”. */
export const reasonWords = (reason: string | null): string =>
  reason ? (reasons[reason] ?? reason.replaceAll('_', ' ')) : '';

/** What the user can do to continue the run. */
const advices: Record<string, string> = {
  max_iterations: t('Resume to give it as many again, or set more.'),
  max_time: t('Resume to give it the same time again, or set more.'),
  max_cost: t('Resume with a higher limit.'),
  tools_unavailable: t('Resume when the server of the tool is back.'),
  insufficient_quota: t('Add credits, then resume.'),
  provider_unavailable: t('Resume when the provider is back.'),
  key_revoked: t('Resume here, or with another key.'),
  model_not_allowed: t('Add models to the key, or resume here.'),
  tool_calls: t('Bring the results, and it goes on.'),
  approval: t('Decide, and it goes on.'),
  stalled: t('Resume with a lower wanted confidence, or start over with a clearer goal.'),
};
export const adviceOf = (reason: string | null): string =>
  (reason && advices[reason]) || t('It can go on from a checkpoint.');

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
