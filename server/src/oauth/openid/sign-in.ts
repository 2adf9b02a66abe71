/** What codes and tokens carry for the ID tokens that follow from them. */
export interface SignIn {
  /** When the user proved who they are. */
  auth_time: number;
  /** By which the application knows the session. */
  sid: string;
  nonce?: string | undefined;
}

export const readSignIn = (stored: string): SignIn => JSON.parse(stored) as SignIn;

/**
 * The one way in that there is to tell of: a session of this service, however it began. Applications that need a fresher
 * proof ask by `max_age`.
 */
export const sessionContext = 'urn:svc:session';
