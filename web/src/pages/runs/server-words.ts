/** Translates the English texts that the service sends about a run. */
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';

const difficulties: Record<string, string> = { easy: t('easy'), medium: t('medium'), hard: t('hard') };
export const difficultyWords = (difficulty: string): string => difficulties[difficulty] ?? difficulty;

/** Why another model was used: error codes, and defects of an answer. */
const failures: Record<string, string> = {
  circuit_open: t('circuit open'),
  provider_error: t('provider error'),
  no_available_provider: t('no available provider'),
  no_eligible_provider: t('no eligible provider'),
  service_not_initialized: t('service not initialized'),
  capacity_exhausted: t('capacity exhausted'),
  rate_limit_exceeded: t('rate limit exceeded'),
  model_not_found: t('model not found'),
  timeout: t('timeout'),
  context_length_exceeded: t('context length exceeded'),
  request_too_large: t('request too large'),
  unsupported_parameter: t('unsupported parameter'),
  upstream_refused: t('upstream refused'),
  internal_error: t('internal error'),
  unanswered: t('no response'),
  empty: t('empty##answer'),
  refused: t('refused'),
  cut_off: t('cut off'),
  wrong_format: t('wrong format'),
};
export const failureWords = (code: string): string => failures[code] ?? code.replaceAll('_', ' ');

export const joinNames = (names: string[]): string => names.join(t(', '));

function revisionWords(part: string): string {
  const count = Number.parseInt(part, 10);
  if (part.endsWith('added')) return t('{count} added', { count });
  return part.endsWith('dropped') ? t('{count} dropped', { count }) : t('{count} to redo', { count });
}

type Shape = [RegExp, (...parts: string[]) => string];

/** Sentences with values in them. The service sends only the final text, so the values are parsed from it. */
const shapes: Shape[] = [
  [
    /^(\d+) tasks planned$/,
    (count) => t('{count, plural, one {# task planned} other {# tasks planned}}', { count: Number(count) }),
  ],
  [
    /^instead of (\S+): (.+)$/,
    (model, why) => t('instead of {model}: {why}', { model, why: failureWords(why.replaceAll(' ', '_')) }),
  ],
  [
    /^(\d+) % confident after iteration (\d+)$/,
    (percent, iteration) => t('{percent} % confident after iteration {iteration}', { percent, iteration }),
  ],
  [/^(\d+) % confident$/, (percent) => t('{percent} % confident', { percent })],
  [
    /^(\d+) %: (.*)$/s,
    (percent, feedback) => t('{percent} %: {feedback}', { percent, feedback: translateServerText(feedback) }),
  ],
  [
    /^(.*)\((\d+ (?:added|to redo|dropped)(?:, \d+ (?:to redo|dropped))*)\)$/s,
    (description, parts) =>
      t('{description}({parts})', { description, parts: joinNames(parts.split(', ').map(revisionWords)) }),
  ],
  [/^calling (\S+)$/, (model) => t('calling {model}', { model })],
  [
    /^(\d+) characters so far$/,
    (count) => t('{count, plural, one {# character so far} other {# characters so far}}', { count: Number(count) }),
  ],
  [
    /^"(.+?)" failed: (.*)$/s,
    (task, error) => t('"{task}" failed: {error}', { task, error: translateServerText(error) }),
  ],
  [
    /^"(.+?)" could not be redone: (.*)$/s,
    (task, error) => t('"{task}" could not be redone: {error}', { task, error: translateServerText(error) }),
  ],
  [
    /^"(.+?)" scored ([\d.]+): (.*)$/s,
    (task, score, feedback) =>
      t('"{task}" scored {score}: {feedback}', { task, score, feedback: translateServerText(feedback) }),
  ],
  [/^"(.+?)" scored ([\d.]+)$/, (task, score) => t('"{task}" scored {score}', { task, score })],
  [/^Missing: (.*)$/s, (what) => t('Missing: {what}', { what })],
  [/^Still missing: (.*)$/s, (what) => t('Still missing: {what}', { what })],
  [
    /^An earlier attempt failed: (.*)\.$/s,
    (error) => t('An earlier attempt failed: {error}.', { error: translateServerText(error) }),
  ],
];

/** Other text, such as a model's output, is returned unchanged. */
export function translateServerText(text: string): string {
  for (const [shape, words] of shapes) {
    const [, ...parts] = shape.exec(text) ?? [];
    if (parts.length > 0) return words(...parts);
  }
  return serverText(text);
}
