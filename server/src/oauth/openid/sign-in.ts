/** What codes and tokens carry for later ID tokens. */
export interface SignIn {
  /** When the user authenticated. */
  auth_time: number;
  /** The application's id of the session. */
  sid: string;
  nonce?: string | undefined;
}

export const readSignIn = (stored: string): SignIn => JSON.parse(stored) as SignIn;

/** The only authentication context: a session of this service. Applications that need a recent login use `max_age`. */
export const sessionContext = 'urn:svc:session';
