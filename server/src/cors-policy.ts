import type { Options } from './identity/options.ts';
import { originsOf } from './identity/origin-list.ts';
import type { CorsPolicy } from './platform/http/cors.ts';

/** The list is parsed once per change. */
export function corsPolicy(options: Options, registered: CorsPolicy['registered']): CorsPolicy {
  let text = '';
  let listed: ReadonlySet<string> = new Set();
  return {
    enabled: () => options.get('CorsEnabled'),
    listed: () => {
      const now = options.get('CorsOrigins');
      if (now !== text) {
        text = now;
        listed = new Set(originsOf(now));
      }
      return listed;
    },
    registered,
  };
}

/** Our own origin, and others as far as the policy allows. */
export const originAllowed =
  (policy: CorsPolicy, own: readonly string[]) =>
  async (origin: string): Promise<boolean> => {
    if (own.includes(origin)) return true;
    if (!policy.enabled()) return false;
    const listed = policy.listed();
    return listed.has('*') || listed.has(origin) || (await policy.registered(origin));
  };
