import { isObject } from './is-object.ts';

/** What an error body says; `status` if it names one. */
export interface ErrorParts {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
  status?: number;
  /** Anthropic's `error.details`. */
  details?: Record<string, unknown>;
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
  const status = [error.code, error.status]
    .map(numberOf)
    .find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  return {
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param }),
    ...(status !== undefined && { status }),
    ...(body.type === 'error' && isObject(error.details) && { details: error.details }),
  };
}

/** Only for strings and numbers: an object with its own `toString` could throw. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;

/** Google puts the specific code into `details[].reason`. */
function reasonOf(details: unknown): unknown {
  return Array.isArray(details)
    ? details.find((item) => isObject(item) && typeof item.reason === 'string')?.reason
    : undefined;
}
