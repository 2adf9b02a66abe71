/** The service's short codes, in words. */

const outcomes: Record<string, { label: string; color: string }> = {
  success: { label: 'Answered', color: 'teal' },
  failure: { label: 'Failed', color: 'red' },
  neutral: { label: 'Not counted', color: 'gray' },
  blocked: { label: 'Nobody called', color: 'orange' },
};

export const outcomeOf = (outcome: string): { label: string; color: string } =>
  outcomes[outcome] ?? { label: outcome, color: 'gray' };

const causes: Record<string, string> = {
  connection: 'The connection failed',
  timeout: 'No answer in time',
  server_error: 'The provider had an error of its own',
  malformed: 'The answer made no sense',
  truncated: 'The answer broke off',
  rate_limited: 'The provider asked to slow down',
  refused: 'The provider refused the request itself',
  unauthorized: 'The provider refused our key',
  client_left: 'The caller went away',
};

export const causeOf = (cause: string | null): string | null => (cause === null ? null : (causes[cause] ?? cause));

const droppings: Record<string, string> = {
  blocked: 'Blocked in the user’s preferences',
  ignored: 'The request said to ignore it',
  not_in_only: 'Not among the providers the request allows',
  not_in_order: 'Not in the order the request asked for',
  over_max_price: 'Above the price limit',
  unfit: 'Cannot serve this request: too long, or a feature is missing',
};

export const droppedBecause = (reason: string): string => droppings[reason] ?? reason;
