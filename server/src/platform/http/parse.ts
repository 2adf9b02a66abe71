import type { ZodType, z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { type Fields, fieldsOf, parse, readBody, refuseNul, refuseRepeated, unreceived, withMembers } from './body.ts';
import { parseForm } from './form.ts';
import { pageQuery } from './paging.ts';
import type { Call, Route } from './route.ts';

/**
 * Routes without query parameters refuse unknown ones: a filter that does not exist would silently return everything.
 * Paging parameters are accepted on short lists too, for clients that page through every list.
 */
const isOurOwn = ({ errors, path }: Route): boolean => errors === 'management' && path.startsWith('/api/');

export const defaultMaxBytes = 1024 * 1024;

/** Parses body, query and params with the route's schemas. Returns a promise only if there is a body. */
export function parseInput(route: Route, call: Call, params: Record<string, string>): Promise<void> | undefined {
  if (route.params) {
    refuseNul(params);
    call.params = route.fitsParams?.(params) ? params : accept(route, route.params, params, 'not_found');
  }
  const text = call.request.url.indexOf('?');
  const query = route.query ?? (text >= 0 && isOurOwn(route) ? pageQuery : undefined);
  if (query) {
    call.query =
      text < 0
        ? unasked(route, query)
        : accept(
            route,
            query,
            fieldsOf(withLists(new URLSearchParams(call.request.url.slice(text + 1))), route.repeatable),
          );
  }
  const { body } = route;
  if (body) return route.bodyAs === 'raw' ? undefined : parseBody(route, body, call);
  call.arrived?.();
  return undefined;
}

/** What a schema makes of nothing is the same each time. */
const madeOfNothing = new WeakMap<ZodType, unknown>();

function unasked(route: Route, query: ZodType): unknown {
  const known = madeOfNothing.get(query);
  if (known) return known;
  const made = Object.freeze(accept(route, query, {}));
  madeOfNothing.set(query, made);
  return made;
}

/** OpenAI's clients write lists as `name[]=a&name[]=b`; here that is one field, `a,b`. */
function withLists(parameters: URLSearchParams): URLSearchParams {
  for (const name of new Set(parameters.keys()))
    if (name.endsWith('[]')) parameters.set(name, parameters.getAll(name).join(','));
  return parameters;
}

export const formType = 'application/x-www-form-urlencoded';
const jsonType = 'application/json';

/** A `POST` whose members are all optional needs no body: none is the same as an empty object. */
export const mayBeLeftOut = ({ method, body, bodyAs }: Route, members: object = {}): boolean =>
  method === 'post' && bodyAs !== 'raw' && body?.safeParse(members).success === true;

function isLeftOut({ headers }: Request): boolean {
  const length = headers.get('content-length') ?? '0';
  return length === '0' && !headers.has('transfer-encoding') && !headers.has('content-type');
}

async function parseBody(route: Route, schema: ZodType, call: Call): Promise<void> {
  if (isLeftOut(call.request) && mayBeLeftOut(route, withMembers(call, {}) as object)) {
    call.arrived?.();
    call.body = accept(route, schema, withMembers(call, {}));
    return;
  }
  const isForm = requireType(route, call);
  let bytes: Uint8Array;
  try {
    bytes = await readBody(call, route.maxBytes ?? defaultMaxBytes);
  } catch (error) {
    throw unreceived(error, call.request);
  }
  call.arrived?.();
  const read = isForm ? formIn(bytes, route) : parse(bytes, route.parseJson);
  const input = read instanceof Promise ? await read : read;
  if (!isForm) refuseOdd(input, bytes, route);
  const given = withMembers(call, input);
  call.body = route.fits?.(given) ? given : accept(route, schema, given);
}

/** Whether it is a form. */
function requireType({ bodyAs, errors }: Route, { request }: Call): boolean {
  const type = mediaTypeOf(request.headers.get('content-type') ?? '');
  const takesForm = bodyAs === 'form';
  const isForm = takesForm && type === formType;
  if (isForm || type === jsonType || type.endsWith('+json')) return isForm;
  const wanted = takesForm
    ? 'Send the body as application/x-www-form-urlencoded or application/json.'
    : 'Send the body as application/json.';
  // RFC 6749 §5.2: what a client of OAuth has left out is an invalid request like any other.
  throw new AppError(type === '' && errors === 'oauth' ? 'invalid_request' : 'unsupported_media_type', wanted);
}

/** Without parameters; there usually are none. */
export const mediaTypeOf = (header: string): string =>
  header === formType || header === jsonType ? header : header.split(';')[0]!.trim().toLowerCase();

const formIn = (bytes: Uint8Array, { repeatable }: Route): Fields =>
  parseForm(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), repeatable);

const decidesAccess = new Set<string>(['oauth', 'management', 'scim']);

/** For small bodies that decide about access. Relayed bodies are large, and the vendor validates them. */
const takesNamesOnce = ({ errors, maxBytes = defaultMaxBytes }: Route): boolean =>
  decidesAccess.has(errors) && maxBytes <= defaultMaxBytes;

function refuseOdd(input: unknown, bytes: Uint8Array, route: Route): void {
  if (takesNamesOnce(route)) refuseRepeated(bytes);
  refuseNul(input);
}

/** Reports the first error with its field; `not_found` for path parameters, since a malformed id names nothing. */
function accept(route: Route, schema: ZodType, input: unknown, code?: 'not_found'): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const rest = isOfClients(route) ? withoutNulls(input, parsed.error.issues) : null;
  if (rest) return accept(route, schema, rest, code);
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const param = [...issue.path, ...unknown].join('.');
  if (code) throw new AppError(code, 'There is no such resource.');
  const missing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined;
  const message =
    unknown.length > 0
      ? `${param}: there is no such parameter.`
      : missing
        ? `${param || 'The body'} is required.`
        : `${param || 'The body'}: ${reasonOf(issue)}`;
  if (route.errors === 'oauth') throw new AppError('invalid_request', message, { param });
  throw new AppError(missing ? 'missing_required_parameter' : 'invalid_value', message, { param });
}

/** What clients of OAuth send; bodies of our own pages are as strict as the schema. */
const isOfClients = ({ method, errors, auth }: Route): boolean =>
  method === 'post' && errors === 'oauth' && auth !== 'session' && auth !== 'admin';

/**
 * Without the members that are refused for being null; null if there are none. A parameter without a value counts as
 * left out (RFC 6749 §3.2), and typed clients write null for every member that they do not set.
 */
function withoutNulls(input: unknown, issues: readonly z.core.$ZodIssue[]): object | null {
  const refused = issues.flatMap(({ path }) => (path.length === 1 && valueAt(input, path) === null ? [path[0]] : []));
  if (refused.length === 0) return null;
  return Object.fromEntries(Object.entries(input as object).filter(([name]) => !refused.includes(name)));
}

/** Zod only says that a key is invalid; the reason is inside. */
const reasonOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}
