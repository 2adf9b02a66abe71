import type { CallsOfWork } from '../billing/types.ts';
import type { KeyPrincipal } from '../identity/principals.ts';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import type { Override } from '../routing/override.ts';
import type { Caller, ChargeLater, RequestContext } from './deps.ts';

/** The work that makes a call, where no client waits for its answer. */
export interface Behind {
  parentRequestId: string;
  priceFactor: number;
  chargeLater: ChargeLater;
  /** For a model of ours, which makes calls of its own. */
  calls: CallsOfWork;
}

/** A call with a key, wherever it came in. */
export type KeyCall = Call<'apiKey' | 'googleKey' | 'socketKey'> & {
  readonly behind?: Behind;
  /** It was let in before, and is asked anew. */
  counted?: boolean;
};

/** Headers that a vendor gives meaning to; nothing else of the client's travels on. */
const forwardedHeaders = ['anthropic-beta', 'anthropic-version', 'openai-beta'];
/** Where clients name their session: any of them, Claude Code, Codex, opencode. */
const sessionHeaders = ['x-session-id', 'x-claude-code-session-id', 'session-id', 'session_id', 'x-session-affinity'];
/** What these headers are made of. Servers hang up on longer or stranger ones, which would look like a fault of theirs. */
const usualValue = /^[\t\x20-\x7e]{0,2000}$/;

/** Of everyone who sends none of them. */
export const noClientHeaders: RequestContext['clientHeaders'] = Object.freeze({});

export const contextOf = (
  call: KeyCall,
  endpoint: string,
  override: Override | null = null,
  fallbackModels?: readonly string[],
): RequestContext => new CallContext(call, endpoint, override, fallbackModels);

/** A class: an object with a getter of its own would bring a function and its surroundings along for every request. */
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

  /** Looked for now and then, in answers that take their time; for the others it would be made for nothing. */
  get signal(): AbortSignal {
    return this.call.signal;
  }

  /** Looked for where there is a choice to make by it. */
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
      throw new AppError('invalid_value', `The header '${name}' is too long or holds unusual characters.`, {
        param: name,
      });
    found ??= {};
    found[name] = value;
  }
  return found ?? noClientHeaders;
}
