import { AppError } from '../lib/errors.ts';
import { requestId } from '../lib/ids.ts';
import type { Exchange } from '../mcp/front/endpoint.ts';
import { parseInput } from '../platform/http/parse.ts';
import type { Call, Route } from '../platform/http/route.ts';
import type { OwnRequest } from './tool-table.ts';

/** Calls one of our own endpoints like a client would, for an authenticated caller; returns its JSON answer. */
export async function askRoute(
  routes: readonly Route[],
  { method, route: path, params = {}, query = {}, body }: OwnRequest,
  { caller, origin, signal }: Exchange,
): Promise<unknown> {
  const route = routes.find((one) => one.method === method && one.path === path);
  if (!route || route.when?.() === false) throw new AppError('not_found', `There is nothing at ${path}.`);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, `${value}`]));
  const text = search.size === 0 ? '' : `?${search}`;
  const request = new Request(`http://own.invalid${path.replace(/[{}]/g, '')}${text}`, {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json', 'user-agent': origin.userAgent },
    ...(body && { body: JSON.stringify(body) }),
  });
  // Each call is billed under its own id, since one request of an agent may make several.
  const call: Call = {
    ...{
      request,
      requestId: requestId(),
      ip: origin.ip,
      // The route's principal type is erased here; all of these routes take an API key's.
      principal: (await caller.asPayer()) as never,
      signal,
      headers: {},
    },
    ...{ body: undefined, query: undefined, params: undefined },
  };
  await parseInput(route, call, params);
  const response = await route.handle(call);
  if (!response.ok) throw new AppError('upstream_refused', await response.text(), { status: response.status });
  return response.json();
}
