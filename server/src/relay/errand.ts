import type { KeyPrincipal } from '../identity/principals.ts';
import type { Call } from '../platform/http/route.ts';
import type { Override } from '../routing/override.ts';
import type { Caller, Errand } from './deps.ts';

/** Headers that a vendor gives meaning to; nothing else of the client's travels on. */
const handedOn = ['anthropic-beta', 'anthropic-version', 'openai-beta'];

/** Of everyone who sends none of them. */
export const noClientHeaders: Errand['clientHeaders'] = Object.freeze({});

export const errandOf = (call: Call<'apiKey'>, endpoint: string, override: Override | null = null): Errand =>
  new CallErrand(call, endpoint, override);

/** A class: an object with a getter of its own would bring a function and its surroundings along for every request. */
class CallErrand implements Errand {
  readonly requestId: string;
  readonly caller: Caller;
  readonly clientHeaders: Errand['clientHeaders'];

  constructor(
    readonly call: Call<'apiKey'>,
    readonly endpoint: string,
    readonly override: Override | null,
  ) {
    const { user, keyId, unlimited, models }: KeyPrincipal = call.principal;
    this.requestId = call.requestId;
    this.caller = { userId: user.id, group: user.group, keyId, keyUnlimited: unlimited, models };
    this.clientHeaders = clientHeadersOf(call.request.headers);
  }

  /** Looked for now and then, in answers that take their time; for the others it would be made for nothing. */
  get signal(): AbortSignal {
    return this.call.signal;
  }
}

function clientHeadersOf(headers: Headers): Errand['clientHeaders'] {
  let found: Record<string, string> | undefined;
  for (const name of handedOn) {
    const value = headers.get(name);
    if (value === null) continue;
    found ??= {};
    found[name] = value;
  }
  return found ?? noClientHeaders;
}
