import type { KeyPrincipal } from '../identity/principals.ts';
import type { Call } from '../platform/http/route.ts';
import type { Override } from '../routing/override.ts';
import type { Errand } from './deps.ts';

/** Headers that a vendor gives meaning to; nothing else of the client's travels on. */
const handedOn = ['anthropic-beta', 'anthropic-version', 'openai-beta'];

/** Of everyone who sends none of them. */
export const noClientHeaders: Errand['clientHeaders'] = Object.freeze({});

export function errandOf(call: Call<'apiKey'>, endpoint: string, override: Override | null = null): Errand {
  const { user, keyId, unlimited, models }: KeyPrincipal = call.principal;
  return {
    requestId: call.requestId,
    caller: { userId: user.id, group: user.group, keyId, keyUnlimited: unlimited, models },
    endpoint,
    override,
    clientHeaders: clientHeadersOf(call.request.headers),
    // Looked for now and then, in answers that take their time; for the others it would be made for nothing.
    get signal() {
      return call.signal;
    },
  };
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
