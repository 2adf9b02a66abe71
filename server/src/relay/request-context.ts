import type { CallsOfWork } from '../billing/types.ts';
import type { KeyPrincipal } from '../identity/principals.ts';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { Override } from '../routing/override.ts';
import type { Caller, ChargeLater, RequestContext } from './deps.ts';

/** Background work that makes a call no client waits for. */
export interface BackgroundCall {
  parentRequestId: string;
  priceFactor: number;
  chargeLater: ChargeLater;
  /** For built-in models, which make calls of their own. */
  calls: CallsOfWork;
}

/** A call authenticated by an API key, on any endpoint. */
export type KeyCall = Call<'apiKey' | 'googleKey' | 'socketKey'> & {
  readonly behind?: BackgroundCall;
  /** Already counted against the limits; this is a repetition. */
  counted?: boolean;
};

/** Headers with a meaning to vendors; no other client header is forwarded. */
const forwardedHeaders = ['anthropic-beta', 'anthropic-version', 'openai-beta'];
/** Headers in which clients name their session: generic, Claude Code, Codex, opencode. */
const sessionHeaders = ['x-session-id', 'x-claude-code-session-id', 'session-id', 'session_id', 'x-session-affinity'];
/**
 * Accepted header values. Servers close the connection on longer or stranger ones, which would look like their fault.
 */
const usualValue = /^[\t\x20-\x7e]{0,2000}$/;

/** Shared by all requests without such headers. */
export const noClientHeaders: RequestContext['clientHeaders'] = Object.freeze({});

export const contextOf = (
  call: KeyCall,
  endpoint: string,
  override: Override | null = null,
  fallbackModels?: readonly string[],
): RequestContext => new CallContext(call, endpoint, override, fallbackModels);

/** A class, because an object literal with a getter would allocate a function and its scope per request. */
class CallContext implements RequestContext {
  readonly direct: boolean;
  readonly parentRequestId: string | undefined;
  readonly priceFactor: number | undefined;
  readonly requestId: string;
  readonly caller: Caller;
  readonly clientHeaders: RequestContext['clientHeaders'];

  constructor(
    readonly call: KeyCall,
    readonly endpoint: string,
    readonly override: Override | null,
    readonly fallbackModels: readonly string[] | undefined,
  ) {
    const { user, keyId, unlimited, models }: KeyPrincipal = call.principal;
    this.direct = call.behind === undefined;
    this.parentRequestId = call.behind?.parentRequestId;
    this.priceFactor = call.behind?.priceFactor;
    this.requestId = call.requestId;
    this.caller = { userId: user.id, group: user.group, keyId, keyUnlimited: unlimited, models };
    this.clientHeaders = clientHeadersOf(call.request.headers);
  }

  /** Lazy: only slow answers look at it. */
  get signal(): AbortSignal {
    return this.call.signal;
  }

  /** Lazy: only needed when there is a choice to make. */
  get session(): string | undefined {
    const { headers } = this.call.request;
    for (const name of sessionHeaders) {
      const value = headers.get(name);
      if (value) return value;
    }
    return undefined;
  }

  get counted(): boolean {
    return this.call.counted === true;
  }

  get chargeLater(): ChargeLater | undefined {
    return this.call.behind?.chargeLater;
  }

  tell(name: string, value: string): void {
    this.call.headers[name] = value;
  }

  waits(): void {
    this.call.arrived?.();
  }
}

function clientHeadersOf(headers: Headers): RequestContext['clientHeaders'] {
  let found: Record<string, string> | undefined;
  for (const name of forwardedHeaders) {
    const value = headers.get(name);
    if (value === null) continue;
    if (!usualValue.test(value))
      throw new AppError('invalid_value', `The header '${name}' is too long or contains unsupported characters.`, {
        param: name,
      });
    found ??= {};
    found[name] = value;
  }
  return found ?? noClientHeaders;
}
