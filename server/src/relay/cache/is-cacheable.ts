import type { KeyPrincipal } from '../../identity/principals.ts';
import { isObject, type Json, type Sourced } from '../wire/conversation.ts';

/** Hashing a longer request costs more than it may save. */
const mostBytes = 1024 * 1024;

/**
 * Whether the answer to a request may be cached. Never with tools: whether a model acts depends on a changing world,
 * and a call that was right once might be made twice. Several choices, and anything but text, are meant to be generated
 * anew.
 */
export function isCacheable(conversation: Sourced, { when }: NonNullable<KeyPrincipal['cache']>): boolean {
  const { params, completion, oldFunctions, source, bytes = 0 } = conversation;
  if (when === 'temperature_0' && params.temperature !== 0) return false;
  if (bytes > mostBytes || oldFunctions || isNotStored(source)) return false;
  if ((params.tools?.length ?? 0) > 0 || (params.rawTools?.length ?? 0) > 0 || params.webSearch) return false;
  if ((params.n ?? 1) > 1 || params.logprobs) return false;
  if (completion && (completion.n > 1 || completion.bestOf > 1 || completion.logprobs)) return false;
  return !asksForMore(source.body);
}

/**
 * With `store: false` nothing but the usage of a response is stored. In chats the option is about the vendor's storage.
 */
export const isNotStored = ({ format, body }: Sourced['source']): boolean =>
  format === 'responses' && body.store === false;

/** Audio and images, vendor-run tools, background work, and fallback models. */
const more = [
  'models',
  'modalities',
  'audio',
  'web_search_options',
  'plugins',
  'mcp_servers',
  'container',
  'background',
];

function asksForMore(body: Json): boolean {
  if (more.some((name) => body[name] != null)) return true;
  const config = body.generationConfig ?? body.generation_config;
  return (
    isObject(config) && ['responseModalities', 'response_modalities', 'speechConfig'].some((name) => name in config)
  );
}
