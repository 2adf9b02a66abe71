import { boundedWait } from '../../../lib/bounded-wait.ts';
import { classifyRefusal, contextWords } from '../../../lib/classify-refusal.ts';
import { type ErrorParts, readErrorParts } from '../../../lib/error-parts.ts';
import { maybeJson } from '../../../lib/maybe-json.ts';
import { failure, type Json, type UpstreamError } from '../../wire/conversation.ts';

/** Headers of an error that tell a client when to retry. */
const forwarded = ['retry-after', 'retry-after-ms', 'x-should-retry'];

/** Keys that vendors repeat in their messages; ours must never leak. */
const secrets =
  /\b(?:sk|pk|gsk|xai|key|csk|pplx|fw|hf|AIza|AKIA|ASIA|ABSK)[-_*A-Za-z0-9]{8,}|\bya29\.[-_.A-Za-z0-9]{8,}/g;

const maxMessageChars = 1000;

/** Parses an upstream's error. */
export function readUpstreamError(status: number, headers: Headers, bodyText: string): UpstreamError {
  const parts = readErrorParts(maybeJson(bodyText));
  const kept: Record<string, string> = {};
  for (const name of forwarded) {
    const value = headers.get(name);
    if (value !== null) kept[name] = boundedWait(name, value);
  }
  return classify(status, parts, `the upstream returned ${status}`, kept);
}

/** An error inside an answer with status 200: a failure, unless it blames the request or a limit. */
export const readEmbeddedError = (value: unknown): UpstreamError =>
  classify(502, readErrorParts(value), 'the upstream reported an error', {});

/** An incomplete answer: another upstream may do better, and this one is not at fault. */
export const undone = (message: string): UpstreamError => ({ ...failure(message), byRequest: true });

const maxDetailChars = 4_000;

/** Details longer than anything documented are dropped. */
function withoutSecrets(details: Json): { details?: Json } {
  const text = JSON.stringify(details);
  return text.length > maxDetailChars ? {} : { details: JSON.parse(text.replace(secrets, '[redacted]')) };
}

function classify(
  status: number,
  parts: ErrorParts,
  otherwise: string,
  headers: Record<string, string>,
): UpstreamError {
  const message = (parts.message ?? otherwise).slice(0, maxMessageChars).replace(secrets, '[redacted]');
  const refusal = classifyRefusal(status, { ...parts, message: parts.message?.slice(0, maxMessageChars) });
  const isContext =
    refusal.kind === 'caller' && (parts.code === 'context_length_exceeded' || contextWords.test(message));
  const code = isContext ? 'context_length_exceeded' : parts.code;
  return {
    ...refusal,
    message,
    headers,
    ...(code !== undefined && { code }),
    ...(parts.param !== undefined && { param: parts.param }),
    ...(parts.details && withoutSecrets(parts.details)),
  };
}
