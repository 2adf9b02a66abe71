import type { ZodType } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { type Fields, fieldsOf, parse, receive, refuseNul, refuseRepeated, withMembers } from './body.ts';
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
    call.params = accept(route, route.params, params, 'not_found');
  }
  const text = call.request.url.indexOf('?');
  const query = route.query ?? (text >= 0 && isOurOwn(route) ? pageQuery : undefined);
  if (query) {
    const given = text < 0 ? null : withLists(new URLSearchParams(call.request.url.slice(text + 1)));
    call.query = accept(route, query, given ? fieldsOf(given, route.repeatable) : {});
  }
  const { body } = route;
  if (body) return route.bodyAs === 'raw' ? undefined : parseBody(route, body, call);
  call.arrived?.();
  return undefined;
}

/** OpenAI's clients write lists as `name[]=a&name[]=b`; here that is one field, `a,b`. */
function withLists(parameters: URLSearchParams): URLSearchParams {
  for (const name of new Set(parameters.keys()))
    if (name.endsWith('[]')) parameters.set(name, parameters.getAll(name).join(','));
  return parameters;
}

const formType = 'application/x-www-form-urlencoded';
const jsonType = 'application/json';

async function parseBody(route: Route, schema: ZodType, call: Call): Promise<void> {
  const type = mediaTypeOf(call.request.headers.get('content-type') ?? '');
  const takesForm = route.bodyAs === 'form';
  const isForm = takesForm && type === formType;
  if (!isForm && type !== jsonType && !type.endsWith('+json')) {
    const wanted = takesForm
      ? 'Send the body as application/x-www-form-urlencoded or application/json.'
      : 'Send the body as application/json.';
    // RFC 6749 §5.2: a missing content type is an invalid request like any other.
    throw new AppError(type === '' && route.errors === 'oauth' ? 'invalid_request' : 'unsupported_media_type', wanted);
  }
  const maxBytes = route.maxBytes ?? defaultMaxBytes;
  const input = isForm ? await formOf(route, call, maxBytes) : await jsonOf(route, call, maxBytes);
  const given = withMembers(call, input);
  call.body = route.fits?.(given) ? given : accept(route, schema, given);
}

/** Without parameters; there usually are none. */
const mediaTypeOf = (header: string): string =>
  header === formType || header === jsonType ? header : header.split(';')[0]!.trim().toLowerCase();

async function formOf({ repeatable }: Route, call: Call, maxBytes: number): Promise<Fields> {
  const bytes = await receive(call, maxBytes);
  return parseForm(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), repeatable);
}

/** For small bodies that decide about access. Relayed bodies are large, and the vendor validates them. */
const takesNamesOnce = ({ errors, maxBytes = defaultMaxBytes }: Route): boolean =>
  ['oauth', 'management', 'scim'].includes(errors) && maxBytes <= defaultMaxBytes;

async function jsonOf(route: Route, call: Call, maxBytes: number): Promise<unknown> {
  const bytes = await receive(call, maxBytes);
  const input = await parse(bytes);
  if (takesNamesOnce(route)) refuseRepeated(bytes);
  refuseNul(input);
  return input;
}

/** Reports the first error with its field; `not_found` for path parameters, since a malformed id names nothing. */
function accept(route: Route, schema: ZodType, input: unknown, code?: 'not_found'): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
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
        : `${param || 'The body'}: ${issue.message}`;
  if (route.errors === 'oauth') throw new AppError('invalid_request', message, { param });
  throw new AppError(missing ? 'missing_required_parameter' : 'invalid_value', message, { param });
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}
