import { readErrorParts } from '../../../lib/error-parts.ts';
import { maybeJson } from '../../../lib/maybe-json.ts';
import type { Json, UpstreamError } from '../../wire/conversation.ts';
import { readUpstreamError } from '../kind/errors.ts';
import { objectOf, textOf } from './fields.ts';

/** What AWS calls a fault, with the status and the type that Anthropic's errors have for it. */
const faults: Record<string, [status: number, type: string]> = {
  accessdeniedexception: [403, 'permission_error'],
  expiredtokenexception: [403, 'authentication_error'],
  incompletesignatureexception: [403, 'authentication_error'],
  internalserverexception: [500, 'api_error'],
  invalidsignatureexception: [403, 'authentication_error'],
  missingauthenticationtokenexception: [403, 'authentication_error'],
  modelerrorexception: [424, 'api_error'],
  modelnotreadyexception: [429, 'rate_limit_error'],
  modelstreamerrorexception: [424, 'api_error'],
  modeltimeoutexception: [408, 'timeout_error'],
  resourcenotfoundexception: [404, 'not_found_error'],
  servicequotaexceededexception: [429, 'rate_limit_error'],
  serviceunavailableexception: [503, 'overloaded_error'],
  throttlingexception: [429, 'rate_limit_error'],
  unrecognizedclientexception: [403, 'authentication_error'],
  validationexception: [400, 'invalid_request_error'],
};

/** Said of names that the operator gave: of a model there is none, or that region and account cannot ask it so. */
const notOffered =
  /model identifier is invalid|on-demand throughput isn.t supported|not supported in (this|your) region|isn.t available in|end of its life/i;

/** `ValidationException:http://internal.amazon.com/…`, or `com.amazonaws…#ValidationException`. */
const faultOf = (name: string) => faults[name.split(':')[0]!.split('#').at(-1)!.toLowerCase()];

/** A refusal, whose name is in a header and whose words begin with either letter. */
export function bedrockError(status: number, headers: Headers, bodyText: string): UpstreamError {
  const body = objectOf(maybeJson(bodyText));
  const fault = faultOf(headers.get('x-amzn-errortype') ?? textOf(body.__type));
  // What stands in between speaks for itself.
  if (!fault) return readUpstreamError(status, headers, bodyText);
  const [meant, type] = fault;
  const message = wordsOf(body);
  return meant === 400 && notOffered.test(message ?? '')
    ? readUpstreamError(404, headers, JSON.stringify({ error: { message, code: 'model_not_found' } }))
    : readUpstreamError(meant, headers, JSON.stringify({ error: { message, type } }));
}

/** What a stream ends with instead of an answer, as an event of Messages. */
export function exceptionEvent(name: string, payloadText: string): Json {
  const type = faultOf(name)?.[1] ?? 'api_error';
  return { type: 'error', error: { type, message: wordsOf(objectOf(maybeJson(payloadText))) ?? name } };
}

const wordsOf = (body: Json): string | undefined =>
  readErrorParts(typeof body.Message === 'string' ? { message: body.Message } : body).message;
