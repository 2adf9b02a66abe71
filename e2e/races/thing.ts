/** What can be made, all that can be done to it, and what ends it. */
import type { Ids, Who } from './who.ts';

type Body = Record<string, unknown> | FormData | URLSearchParams;

/**
 * A request such as `key PUT /v1/x/{x}` (as whom, method, address), its body, and whether it has its effect `once` or
 * `again`: of several at the same moment, one or all may succeed.
 */
export type Act = readonly [request: string, body?: Body | ((ids: Ids) => Body), how?: 'once' | 'again'];

export interface Thing {
  name: string;
  make(who: Who): Promise<Ids>;
  /** Each is valid. Repeatable unless marked. */
  acts: Act[];
  /** Unless marked, only one of several succeeds. */
  ends: Act[];
}

export const chat = { model: 'demo/chat', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
export const callback = 'https://client.example/callback';
/** Nothing listens on port 9. */
export const unreachable = 'http://127.0.0.1:9';

export function form(fields: Record<string, string | File>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}
