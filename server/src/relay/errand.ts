import type { KeyPrincipal } from '../identity/principals.ts';
import type { Call } from '../platform/http/route.ts';
import type { Override } from '../routing/override.ts';
import type { Errand } from './deps.ts';

/** Headers that a vendor gives meaning to; nothing else of the client's travels on. */
const handedOn = ['anthropic-beta', 'anthropic-version', 'openai-beta', 'idempotency-key', 'accept-language'];

export function errandOf(call: Call<'apiKey'>, endpoint: string, override: Override | null = null): Errand {
  const { user, keyId, unlimited, models }: KeyPrincipal = call.principal;
  const clientHeaders: Record<string, string> = {};
  for (const name of handedOn) {
    const value = call.request.headers.get(name);
    if (value !== null) clientHeaders[name] = value;
  }
  return {
    requestId: call.requestId,
    caller: { userId: user.id, group: user.group, keyId, keyUnlimited: unlimited, models },
    endpoint,
    override,
    clientHeaders,
    // Looked for now and then, in answers that take their time; for the others it would be made for nothing.
    get signal() {
      return call.signal;
    },
  };
}
