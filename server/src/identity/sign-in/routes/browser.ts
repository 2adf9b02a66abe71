import type { Call } from '../../../platform/http/route.ts';
import { readCookie } from '../../sessions.ts';
import { isBrowserSecret } from '../begin.ts';
import type { SignInContext } from '../context.ts';
import { SignInFault, type SignInFaultCode } from '../fault.ts';

const cookieName = 'svc_sign_in';
/** Longer than an attempt and the question after it. */
const cookieSeconds = 3_600;

/** Sent when the provider redirects back, a cross-site navigation: Lax, not Strict. */
export const browserCookie = ({ https }: SignInContext, secret: string): string =>
  `${cookieName}=${secret}; Max-Age=${cookieSeconds}; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;

/** Reused while it lasts, so that two tabs work at once. */
export function browserSecretOf(call: Call): string | null {
  const secret = readCookie(call.request.headers.get('cookie'), cookieName);
  return secret !== null && isBrowserSecret(secret) ? secret : null;
}

/** The session in this browser. */
export const visitorOf = ({ sessions }: SignInContext, call: Call) => sessions.find(call);

/** Redirects are private. */
export function sendTo(call: Call, url: string): Response {
  return new Response(null, { status: 302, headers: { ...call.headers, location: url, 'cache-control': 'no-store' } });
}

/** Where somebody was on the way to, by this sign-in. */
export interface Way {
  /** An account is connected, not signed in with. */
  linking: boolean;
  returnTo: string;
}

/**
 * The page has the words: text from a provider's URL is never shown. Another way to sign in still leads to where they
 * were going, such as an application's request.
 */
export function sendToFault(
  room: SignInContext,
  call: Call,
  code: SignInFaultCode,
  { linking, returnTo }: Way,
): Response {
  const query = new URLSearchParams({ sign_in_error: code, ...(!linking && returnTo !== '/' && { next: returnTo }) });
  return sendTo(call, `${room.webUrl}${linking ? '/account' : '/login'}?${query}`);
}

export function faultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error;
  throw error;
}
