/** Why a sign-in failed; the page has the words. */
export type SignInFaultCode =
  | 'denied'
  | 'expired'
  | 'provider_failed'
  | 'email_not_verified'
  | 'domain_not_allowed'
  | 'sign_up_closed'
  | 'account_disabled'
  | 'already_linked'
  | 'not_logged_in';

export class SignInFault extends Error {
  constructor(
    readonly code: SignInFaultCode,
    /** For the log; never contains a token. */
    readonly detail: string = code,
  ) {
    super(detail);
    this.name = 'SignInFault';
  }
}

/**
 * The library's message with the provider's error code, which says what to change (a wrong secret is `invalid_client`),
 * without causes, which contain tokens and claims.
 */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown };
  const answer = cause instanceof Response ? cause.status : status;
  const answered = typeof answer === 'number' ? `status ${answer}` : null;
  const known = [code, answered, saidCode(error)].filter((one) => typeof one === 'string').join(', ');
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return `${error.message}${known && ` (${known})`}${reason}`.slice(0, 500);
}

/** RFC 6749 §5.2: the error code only; the description may repeat what was sent. */
export function saidCode(error: unknown): string | null {
  const { error: code } = error as { error?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : null;
}
