import { pendingSignInSeconds } from '../factors/sign-in.ts';

/** Cookie of the intermediate sign-in, sent to its second step only. */
export const pendingSignInCookie = 'svc_half_session';
export const secondStepPath = '/api/user/login/second-factor';

export const pendingSignInCookieOf = ({ webUrl }: { webUrl: string }, token: string): string =>
  `${pendingSignInCookie}=${token}; Max-Age=${pendingSignInSeconds}; Path=${secondStepPath}; HttpOnly; SameSite=Strict${webUrl.startsWith('https:') ? '; Secure' : ''}`;
