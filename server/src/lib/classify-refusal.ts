import type { ErrorParts } from './error-parts.ts';
import { table } from './table.ts';

/**
 * Who is responsible for an upstream's refusal, and the status that is meant, which may differ from the one sent.
 * `caller`: the request; `busy`: a rate limit; `auth`: our credential or account; `failure`: the upstream, or how we
 * call it.
 */
export interface RefusalClass {
  kind: 'caller' | 'busy' | 'auth' | 'failure';
  status: number;
  /** Another upstream may accept the request. */
  byRequest?: true;
}

/** Error codes and types of vendors, whatever status they come with. */
const statusOfName = table<number>({
  authentication_error: 401,
  bad_request: 400,
  bad_request_error: 400,
  badrequesterror: 400,
  billing_error: 402,
  content_filter: 400,
  content_policy_violation: 400,
  context_length_exceeded: 400,
  failed_precondition: 400,
  image_parse_error: 400,
  insufficient_quota: 402,
  invalid_api_key: 401,
  invalid_argument: 400,
  invalid_image: 400,
  invalid_image_url: 400,
  invalid_prompt: 400,
  invalid_request: 400,
  invalid_request_error: 400,
  invalid_value: 400,
  json_validate_failed: 400,
  model_not_found: 404,
  moderation_blocked: 400,
  not_found: 404,
  not_found_error: 404,
  out_of_range: 400,
  permission_denied: 403,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  request_too_large: 413,
  resource_exhausted: 429,
  string_above_max_length: 400,
  tool_use_failed: 400,
  unauthenticated: 401,
  unimplemented: 501,
  unsupported_parameter: 400,
  unsupported_value: 400,
  validation_error: 400,
});

export const contextWords =
  /context[ _-]?(length|window|size|limit)|maximum context|(prompt|input) is too long|input token count|too many (input )?tokens|reduce the length|exceed(s|ed)? the (maximum|max|model's?) (number of |allowed )?(input )?(tokens|context)/i;
const moderationWords = /moderation|content[ _](policy|filter)|flagged/i;
/** Parts of a request that some servers answer with a 5xx if they cannot use them. */
const requestWords = [
  contextWords,
  moderationWords,
  /\b(fetch|download|load|open|decod|process|read|retriev)(e|ing)? (the |this |an? |your |input |remote ){0,4}(image|picture|audio|video|file|media|url|document|https?:)/i,
  /\b(invalid|unsupported|malformed|compile|compiling|parse|parsing|convert|converting)\b.{0,40}\b(schema|grammar|regex|tools?|functions?|response_format)\b/i,
];

/** The status that is meant: a 5xx body may describe the caller's own error. */
function statusMeant(status: number, parts: ErrorParts): number {
  if (status >= 400 && status < 500) return status;
  if (parts.status !== undefined) return parts.status;
  const named = nameStatus(parts.code) ?? nameStatus(parts.type);
  if (named !== undefined) return named;
  return requestWords.some((words) => words.test(parts.message ?? '')) ? 400 : status;
}

const nameStatus = (name: string | undefined): number | undefined => statusOfName[name?.toLowerCase() ?? ''];

const caller = (status: number): RefusalClass => ({ kind: 'caller', status });
/** Another upstream may accept the request, or fetch what this one could not. */
const elsewhere = (status: number): RefusalClass => ({ kind: 'caller', status, byRequest: true });
const auth = (status: number): RefusalClass => ({ kind: 'auth', status });
const failure = (status: number): RefusalClass => ({ kind: 'failure', status });

type Judge = (status: number, parts: ErrorParts) => RefusalClass;

/** About our key or account, unless the body says that the content was refused (as some routers do). */
const ofAccount: Judge = (status, parts) =>
  moderationWords.test(`${parts.code ?? ''} ${parts.message ?? ''}`) ? caller(status) : auth(status);

/** A balance too small for this request may suffice for the next. */
const ofBalance: Judge = (status, parts) =>
  /fewer max_tokens|can only afford/i.test(parts.message ?? '') ? { kind: 'busy', status } : ofAccount(status, parts);

const missingModel = /\bmodels?\b.{0,200}\b(not (be )?found|not exist|n['’]t exist|unknown|unavailable)/i;
const missingThing =
  /\b(file|image|audio|video|voice|response|item|thread|container|vector store|cached content|document|conversation|url|tools?)\b/i;

/** Address and model name are the operator's; anything else that is missing was named by the request. */
const ofAbsence: Judge = (status, { message = '', code }) =>
  code === 'model_not_found' || missingModel.test(message) || !missingThing.test(message)
    ? failure(status)
    : elsewhere(status);

/** Refusals that concern our key or account, although the status says otherwise. */
const accountCodes = new Set([
  'invalid_api_key',
  'API_KEY_INVALID',
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'authentication_error',
  'permission_error',
]);
/** Only at the start of a message: later on they may be quoted from the caller. */
const accountWords =
  /^(your )?((invalid|incorrect|missing|expired) api[ _-]?key|(please )?pass a valid api[ _-]?key|api[ _-]?key (not valid|not found|expired|is invalid)|credit balance is too low|insufficient (credits|balance|quota))/i;

const ofRequest: Judge = (status, parts) => {
  const ours = accountCodes.has(parts.code ?? '') || accountCodes.has(parts.type ?? '');
  return ours || accountWords.test(parts.message ?? '') ? auth(status) : caller(status);
};

const judges: Record<number, Judge> = {
  400: ofRequest,
  401: ofAccount,
  402: ofBalance,
  403: ofAccount,
  404: ofAbsence,
  // Our own responsibility: the method, and the proxy in between.
  405: failure,
  407: failure,
  408: failure,
  410: ofAbsence,
  411: ofRequest,
  413: ofRequest,
  414: ofRequest,
  415: ofRequest,
  416: ofRequest,
  417: ofRequest,
  422: ofRequest,
  // Text Generation Inference, for a model that failed midway.
  424: failure,
  428: ofRequest,
  // Whatever its code: an account without money is answered so too, and may have some again before the caller retries.
  429: (status) => ({ kind: 'busy', status }),
  431: ofRequest,
  451: ofRequest,
  // RFC 9110 §15.6.2: the server does not support what the request needs.
  501: () => elsewhere(400),
};

/** All other 4xx blame the request (RFC 9110 §15.5). */
export function classifyRefusal(status: number, parts: ErrorParts): RefusalClass {
  const meant = statusMeant(status, parts);
  const judge = judges[meant] ?? (meant >= 400 && meant < 500 ? elsewhere : failure);
  return judge(meant, parts);
}
