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
/** What each request of the newest protocol says of its client. */
export const saidOfClient = new Set([saidLevel, saidCapabilities]);

/** Our own, and what the client has of them. */
export function extensionsOf({ extensions = [], capabilities }: Told): ClientCapabilities {
  const own = Object.fromEntries(extensions.map((name) => [name, {}]));
  const all = { ...capabilities?.extensions, ...own };
  return Object.keys(all).length > 0 ? { extensions: all } : {};
}

/** As each request says of whoever waits for tasks. */
export const waiting = ({ extensions = [] }: Told): { _meta: Params } => ({
  _meta: { [saidCapabilities]: extensionsOf({ extensions: [...extensions, tasksExtension] }) },
});

/** Where nobody would ask the client, a server hears nothing of what it can be asked. */
export function unasked(told: Told, given: Params): Params {
  if (!told.capabilities) return given;
  return { ...given, _meta: { [saidCapabilities]: extensionsOf(told), ...(given._meta as Params | undefined) } };
}

/** Without what only the newest protocol knows. */
export function asBefore(given: Params): Params {
  // Most calls are a name and arguments.
  if (given._meta === undefined && given.inputResponses === undefined && given.requestState === undefined) return given;
  const { inputResponses: _, requestState: __, _meta, ...params } = given;
  if (!isObject(_meta) || hasOnly(_meta, saidOfClient)) return params;
  return { ...params, _meta: Object.fromEntries(Object.entries(_meta).filter(([name]) => !saidOfClient.has(name))) };
}
