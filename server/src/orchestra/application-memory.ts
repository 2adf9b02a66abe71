import { AppError } from '../lib/errors.ts';
import { longestSessionId, type SvcMs } from './params.ts';
import type { Caller } from './ports.ts';
import type { Settings } from './settings.ts';

type Calling = Pick<Caller, 'application'>;

/**
 * Begins the stored ids of an application's sessions, so that it can name no other session of the user, who can name and
 * delete all of them.
 */
const prefixOf = ({ application = null }: Calling): string => (application === null ? '' : `app-${application}:`);

export const storedSessionId = (caller: Calling, given: string): string => `${prefixOf(caller)}${given}`;
/** As the caller named it. */
export const namedSessionId = (caller: Calling, stored: string): string =>
  stored.startsWith(prefixOf(caller)) ? stored.slice(prefixOf(caller).length) : stored;
export const mayContinue = (caller: Calling, stored: string): boolean => stored.startsWith(prefixOf(caller));

/** The parameters that reach beyond the session. */
const beyond = ['use_vector_search', 'extract_knowledge'] as const;

/** Users let an application use models; what they said elsewhere and their knowledge are not part of that. */
export function refuseMemory(caller: Calling, asked: SvcMs): void {
  const prefix = prefixOf(caller);
  if (prefix === '') return;
  const named = beyond.find((name) => asked[name] === true);
  if (named !== undefined) {
    const param = `svc_ms.${named}`;
    const message = `${param}: applications cannot use the memory of their users, only the sessions they have begun.`;
    throw new AppError('forbidden', message, { param });
  }
  const most = longestSessionId - prefix.length;
  if ((asked.session_id?.length ?? 0) <= most) return;
  const param = 'svc_ms.session_id';
  throw new AppError('invalid_value', `${param}: may have at most ${most} characters for an application.`, { param });
}

/** Nothing of an application's turn is searched for later; its session is still summarized. */
export const withoutMemory = (caller: Calling, settings: Settings): Settings =>
  prefixOf(caller) === ''
    ? settings
    : { ...settings, remember: false, mayEmbed: false, embedsAfter: false, extractKnowledge: false };
