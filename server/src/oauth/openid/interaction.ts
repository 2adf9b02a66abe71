import { nowSeconds } from '../../lib/clock.ts';
import type { OAuthContext } from '../context.ts';
import type { OpenidRequest } from './request.ts';

type Deps = Pick<OAuthContext, 'clock' | 'sealer'>;
interface Who {
  sessionId: number;
  signedInAt: number;
}

export type Interaction = 'login' | 'select_account' | 'consent' | null;

/** The required interaction (OpenID Connect Core §3.1.2.1); only logging in can be checked here. */
export function neededInteraction(deps: Deps, request: OpenidRequest, who: Who): Interaction {
  const { prompts, maxAge, signedInAfter } = request;
  const again = signedInAfter !== undefined && hasSignedInAgain(deps, signedInAfter, who);
  // `max_age=0` equals `prompt=login`.
  if ((prompts.has('login') || maxAge === 0) && !again) return 'login';
  if (maxAge && nowSeconds(deps.clock) - who.signedInAt > maxAge) return 'login';
  if (prompts.has('select_account') && !again) return 'select_account';
  return prompts.has('consent') ? 'consent' : null;
}

const purpose = 'signed-in-after';
/** Nobody takes longer to log in; later, another login might be mistaken for the requested one. */
const longestSeconds = 3600;

/** Carried through the login page: a different session afterwards proves a new login. */
export const sealSignInAgain = ({ clock, sealer }: Deps, { sessionId }: Who): string =>
  sealer.seal(JSON.stringify([purpose, sessionId, nowSeconds(clock)]));

function hasSignedInAgain({ clock, sealer }: Deps, sealed: string, who: Who): boolean {
  const opened = openedOrNull(sealer, sealed);
  if (opened?.[0] !== purpose) return false;
  const [, sessionId, at] = opened;
  return who.sessionId !== sessionId && who.signedInAt >= at && nowSeconds(clock) - at <= longestSeconds;
}

function openedOrNull(sealer: Deps['sealer'], sealed: string): [string, number, number] | null {
  try {
    return JSON.parse(sealer.open(sealed)) as [string, number, number];
  } catch {
    return null;
  }
}
