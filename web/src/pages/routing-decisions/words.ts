/** Texts for the service's short codes. */
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';

const outcomes: Record<string, { label: string; color: string }> = {
  success: { label: t('Answered'), color: 'teal' },
  failure: { label: t('Failed'), color: 'red' },
  neutral: { label: t('Not counted'), color: 'gray' },
  blocked: { label: t('No provider called'), color: 'orange' },
};

export const outcomeOf = (outcome: string): { label: string; color: string } =>
  outcomes[outcome] ?? { label: outcome, color: 'gray' };

const causes: Record<string, string> = {
  connection: t('The connection failed'),
  timeout: t('The provider timed out'),
  server_error: t('The provider had an internal error'),
  malformed: t('The response was invalid'),
  truncated: t('The response was interrupted'),
  rate_limited: t('The provider limited the request rate'),
  refused: t('The provider refused the request'),
  unauthorized: t('The provider refused our key'),
  client_left: t('The caller disconnected'),
};

export const causeOf = (cause: string | null): string | null => (cause === null ? null : (causes[cause] ?? cause));

const droppings: Record<string, string> = {
  blocked: t('Blocked in the user’s preferences'),
  ignored: t('Ignored by the request'),
  not_in_only: t('Not among the providers the request allows'),
  not_in_order: t('Not in the order given by the request'),
  over_max_price: t('Above the price limit'),
  may_keep_data: t('Not known to keep no data, as the request requires'),
  other_quantization: t('Not known to have a quantization the request allows'),
  no_distillation: t('Not known to permit distillation, as the request requires'),
  lacks_parameter: t('Cannot honour every parameter, as the request requires'),
  unfit: t('Cannot serve this request: too long, or a feature is missing'),
};

export const droppedBecause = (reason: string): string => droppings[reason] ?? reason;

const between = '; ';

/**
 * Translates the service's explanation: how the first candidate was picked, which were skipped, and where the request
 * ended.
 */
export const reasonWords = (reason: string): string => reason.split(between).map(serverText).join(serverText(between));

export const selectedBy = (provider: string | null): string =>
  provider ? t('by {provider}', { provider }) : t('no provider');
