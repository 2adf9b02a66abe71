import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { hasOnly } from '../lib/has-only.ts';
import { isObject } from '../lib/is-object.ts';
import { tasksExtension } from './task-answers.ts';

type Params = Record<string, unknown>;

interface Told {
  extensions?: string[] | undefined;
  capabilities?: ClientCapabilities | undefined;
}

export const saidCapabilities = 'io.modelcontextprotocol/clientCapabilities';
export const saidLevel = 'io.modelcontextprotocol/logLevel';
/** Metadata that each request of the newest protocol carries about its client. */
export const saidOfClient = new Set([saidLevel, saidCapabilities]);

/** Our own extensions and those of the client. */
export function extensionsOf({ extensions = [], capabilities }: Told): ClientCapabilities {
  const own = Object.fromEntries(extensions.map((name) => [name, {}]));
  const all = { ...capabilities?.extensions, ...own };
  return Object.keys(all).length > 0 ? { extensions: all } : {};
}

/** Declares in a request that the caller waits for tasks. */
export const waiting = ({ extensions = [] }: Told): { _meta: Params } => ({
  _meta: { [saidCapabilities]: extensionsOf({ extensions: [...extensions, tasksExtension] }) },
});

/** If no client can be asked during the request, the server is told no client capabilities but extensions. */
export function unasked(told: Told, given: Params): Params {
  if (!told.capabilities) return given;
  return { ...given, _meta: { [saidCapabilities]: extensionsOf(told), ...(given._meta as Params | undefined) } };
}

/** Removes the parameters that only the newest protocol has. */
export function asBefore(given: Params): Params {
  // Fast path: most calls have only a name and arguments.
  if (given._meta === undefined && given.inputResponses === undefined && given.requestState === undefined) return given;
  const { inputResponses: _, requestState: __, _meta, ...params } = given;
  if (!isObject(_meta) || hasOnly(_meta, saidOfClient)) return params;
  return { ...params, _meta: Object.fromEntries(Object.entries(_meta).filter(([name]) => !saidOfClient.has(name))) };
}
