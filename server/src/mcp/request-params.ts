import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { hasOnly } from '../lib/has-only.ts';
import { isObject } from '../lib/is-object.ts';
import { tasksExtension } from './task-answers.ts';

type Params = Record<string, unknown>;

interface Told {
  extensions?: string[] | undefined;
  capabilities?: ClientCapabilities | undefined;
}

export const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const logLevelKey = 'io.modelcontextprotocol/logLevel';
/** Metadata that each request of the newest protocol carries about its client. */
export const clientMetaKeys = new Set([logLevelKey, clientCapabilitiesKey]);

/** Our own extensions and those of the client. */
export function extensionsOf({ extensions = [], capabilities }: Told): ClientCapabilities {
  const own = Object.fromEntries(extensions.map((name) => [name, {}]));
  const all = { ...capabilities?.extensions, ...own };
  return Object.keys(all).length > 0 ? { extensions: all } : {};
}

/** Declares in a request that the caller waits for tasks. */
export const taskSupportMeta = ({ extensions = [] }: Told): { _meta: Params } => ({
  _meta: { [clientCapabilitiesKey]: extensionsOf({ extensions: [...extensions, tasksExtension] }) },
});

/** If no client can be asked during the request, the server is told no client capabilities but extensions. */
export function withoutClientCapabilities(told: Told, given: Params): Params {
  if (!told.capabilities) return given;
  return { ...given, _meta: { [clientCapabilitiesKey]: extensionsOf(told), ...(given._meta as Params | undefined) } };
}

/** Removes the parameters that only the newest protocol has. */
export function withoutNewestParams(given: Params): Params {
  // Fast path: most calls have only a name and arguments.
  if (given._meta === undefined && given.inputResponses === undefined && given.requestState === undefined) return given;
  const { inputResponses: _, requestState: __, _meta, ...params } = given;
  if (!isObject(_meta) || hasOnly(_meta, clientMetaKeys)) return params;
  return { ...params, _meta: Object.fromEntries(Object.entries(_meta).filter(([name]) => !clientMetaKeys.has(name))) };
}
