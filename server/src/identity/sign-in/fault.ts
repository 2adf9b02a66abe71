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

/** The library's message without its causes, which contain tokens and claims. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return `${error.message}${typeof code === 'string' ? ` (${code})` : ''}${reason}`.slice(0, 500);
}
