import { halfLifeSeconds } from '../factors/sign-in.ts';

/** Cookie of the intermediate sign-in, sent to its second step only. */
export const halfCookie = 'svc_half_session';
export const secondStepPath = '/api/user/login/second-factor';

export const halfCookieOf = ({ webUrl }: { webUrl: string }, token: string): string =>
  `${halfCookie}=${token}; Max-Age=${halfLifeSeconds}; Path=${secondStepPath}; HttpOnly; SameSite=Strict${webUrl.startsWith('https:') ? '; Secure' : ''}`;
