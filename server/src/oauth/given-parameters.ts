import { z } from 'zod';
import type { AuthorizeRequest } from './authorize-checks.ts';

/** Of parameters that a request must not repeat (RFC 6749 §3.1), but may: whom to tell is known only after the checks. */
export const givenParameter = z.union([z.string(), z.array(z.string())]).optional();

/** Repeated parameters are left out, because which value was meant is unknown, and the first of them is named. */
export function onceEach(given: Record<string, unknown>, mayRepeat: (name: string) => boolean): AuthorizeRequest {
  const repeated = Object.keys(given).filter((name) => Array.isArray(given[name]) && !mayRepeat(name));
  const once = Object.entries(given).filter(([name]) => !repeated.includes(name));
  const [first] = repeated;
  // Last, since a parameter of this name means nothing.
  return { ...Object.fromEntries(once), repeated: first };
}
