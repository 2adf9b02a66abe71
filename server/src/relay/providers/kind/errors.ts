import { isObject, type UpstreamError } from '../../wire/conversation.ts';

/** Headers of a refusal that tell a client when to come back (fidelity 20). */
const forwarded = ['retry-after', 'retry-after-ms', 'x-should-retry'];

/** Refusals that are about our key or account, whatever the status they come with. */
const accountCodes = new Set([
  'invalid_api_key',
  'API_KEY_INVALID',
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'authentication_error',
  'permission_error',
]);
const accountWords =
  /(invalid|incorrect|missing|expired|pass a valid) api[ _-]?key|api[ _-]?key (not valid|not found|expired|is invalid)|credit balance is too low|insufficient (credits|balance|quota)/i;

const contextWords =
  /context[ _-]?(length|window)|maximum context|prompt is too long|input token count|too many (input )?tokens|reduce the length|exceed(s|ed)? the (maximum|max|model's?) (number of |allowed )?(input )?(tokens|context)/i;

/** Keys that vendors repeat in their messages, and ours must never leave. */
const secrets = /\b(?:sk|pk|gsk|xai|key|csk|pplx|fw|hf|AIza)[-_*A-Za-z0-9]{8,}/g;

const maxMessageChars = 1000;

export interface ErrorParts {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
}

/** The error object of any vendor: `{error: {…}}`, `{error: "…"}`, `{message}`, `{detail}`, or the first of a list. */
export function readErrorParts(value: unknown): ErrorParts {
  const body = Array.isArray(value) ? value[0] : value;
  if (!isObject(body)) return {};
  const error = body.error ?? (Array.isArray(body.errors) ? body.errors[0] : undefined) ?? body;
  if (typeof error === 'string') return { message: error };
  if (!isObject(error)) return {};
  const text = (...values: unknown[]): string | undefined =>
    values.find((item): item is string => typeof item === 'string' && item !== '');
  const detail = error.detail ?? body.detail;
  const message =
    text(error.message, detail, body.message) ?? (detail === undefined ? undefined : JSON.stringify(detail));
  const code = text(error.code, reasonOf(error.details));
  const type = text(error.type, error.status);
  const param = text(error.param);
  return {
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param }),
  };
}

/** Google puts the telling code into `details[].reason`. */
function reasonOf(details: unknown): unknown {
  return Array.isArray(details)
    ? details.find((item) => isObject(item) && typeof item.reason === 'string')?.reason
    : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a refusal of the upstream (contract §8 "what counts as a failure"). */
export function readUpstreamError(status: number, headers: Headers, bodyText: string): UpstreamError {
  const parts = readErrorParts(parse(bodyText));
  const kept: Record<string, string> = {};
  for (const name of forwarded) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return classify(status, { ...parts, message: parts.message ?? `the upstream answered ${status}` }, kept);
}

/** An error object inside an answer with status 200: its own code says what it would have been. */
export function readEmbeddedError(value: unknown): UpstreamError {
  const parts = readErrorParts(value);
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  // An upstream that said 200 has failed, unless it says plainly that the request or its own limits are to blame.
  const status = embeddedStatus(error.code ?? error.status, parts);
  return classify(status, { ...parts, message: parts.message ?? 'the upstream reported an error' }, {});
}

const statusByType: Record<string, number> = {
  invalid_request_error: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  authentication_error: 401,
  permission_error: 403,
};

function embeddedStatus(code: unknown, parts: ErrorParts): number {
  const numeric = typeof code === 'string' ? Number(code) : code;
  if (typeof numeric === 'number' && Number.isInteger(numeric) && numeric >= 400 && numeric < 600) return numeric;
  return statusByType[parts.type ?? ''] ?? statusByType[parts.code ?? ''] ?? 502;
}

function classify(
  status: number,
  parts: ErrorParts & { message: string },
  headers: Record<string, string>,
): UpstreamError {
  const message = parts.message.slice(0, maxMessageChars).replace(secrets, '[redacted]');
  const kind = kindOf(status, parts);
  const isContext = kind === 'caller' && (parts.code === 'context_length_exceeded' || contextWords.test(message));
  const code = isContext ? 'context_length_exceeded' : parts.code;
  return {
    kind,
    status,
    message,
    headers,
    ...(code !== undefined && { code }),
    ...(parts.param !== undefined && { param: parts.param }),
  };
}

/** Statuses of the caller's own request. Not 404, 405 or 409: address and model name are ours, not the caller's. */
const callerStatuses = new Set([400, 411, 413, 414, 415, 422, 431, 451]);

function kindOf(status: number, parts: ErrorParts & { message: string }): UpstreamError['kind'] {
  if (status === 429) return 'busy';
  if (status === 401 || status === 402 || status === 403) return isModeration(parts) ? 'caller' : 'auth';
  if (!callerStatuses.has(status)) return 'failure';
  if (accountCodes.has(parts.code ?? '') || accountCodes.has(parts.type ?? '')) return 'auth';
  return accountWords.test(parts.message) ? 'auth' : 'caller';
}

/** Some routers answer 403 for flagged input, which is the caller's doing. */
const isModeration = (parts: ErrorParts): boolean =>
  /moderation|content[ _](policy|filter)|flagged/i.test(`${parts.code ?? ''} ${parts.message ?? ''}`);
