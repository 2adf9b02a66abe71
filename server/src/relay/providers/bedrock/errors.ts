import { readErrorParts } from '../../../lib/error-parts.ts';
import { maybeJson } from '../../../lib/maybe-json.ts';
import { table } from '../../../lib/table.ts';
import type { Json, UpstreamError } from '../../wire/conversation.ts';
import { readUpstreamError } from '../kind/errors.ts';
import { objectOf, textOf } from './fields.ts';

/** AWS error names, with the status and type of Anthropic's equivalents. */
const faults = table<[status: number, type: string]>({
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
});

/** The operator's model name is unknown, or not available to this region and account. */
const notOffered =
  /model identifier is invalid|on-demand throughput isn.t supported|not supported in (this|your) region|isn.t available in|end of its life/i;

/** `ValidationException:http://internal.amazon.com/…`, or `com.amazonaws…#ValidationException`. */
const faultOf = (name: string) => faults[name.split(':')[0]!.split('#').at(-1)!.toLowerCase()];

/** An error answer, whose name is in a header and whose message member may be capitalised. */
export function bedrockError(status: number, headers: Headers, bodyText: string): UpstreamError {
  const body = objectOf(maybeJson(bodyText));
  const fault = faultOf(headers.get('x-amzn-errortype') ?? textOf(body.__type));
  // Proxies in between have their own errors.
  if (!fault) return readUpstreamError(status, headers, bodyText);
  const [meant, type] = fault;
  const message = wordsOf(body);
  return meant === 400 && notOffered.test(message ?? '')
    ? readUpstreamError(404, headers, JSON.stringify({ error: { message, code: 'model_not_found' } }))
    : readUpstreamError(meant, headers, JSON.stringify({ error: { message, type } }));
}

/** An exception that ends a stream, as a Messages event. */
export function exceptionEvent(name: string, payloadText: string): Json {
  const type = faultOf(name)?.[1] ?? 'api_error';
  return { type: 'error', error: { type, message: wordsOf(objectOf(maybeJson(payloadText))) ?? name } };
}

const wordsOf = (body: Json): string | undefined =>
  readErrorParts(typeof body.Message === 'string' ? { message: body.Message } : body).message;
