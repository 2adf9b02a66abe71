import type { User } from './user.ts';

/** `limitKey` is what the caller's requests are counted under. */
export interface SessionPrincipal {
  user: User;
  sessionId: number;
  /** When the user authenticated. */
  signedInAt: number;
  /** Whether the user has administrator rights: by role, and by second factor if required. */
  administers: boolean;
  limitKey: string;
}

export interface KeyPrincipal {
  user: User;
  /** Null for the web app's calls, which use a session. */
  keyId: number | null;
  /** The web app's session; absent for keys. */
  sessionId?: number;
  /** The application that calls for the user with an access token; absent if the user does. */
  applicationId?: number;
  /** Models the key may use; empty means all. */
  models: string[];
  /** False if the key has its own quota. */
  unlimited: boolean;
  /** Caching of answers; absent for none. */
  cache?: { ttlSeconds: number; when: 'any' | 'temperature_0' } | undefined;
  limitKey: string;
}

declare module '../platform/http/route.ts' {
  interface Principals {
    session: SessionPrincipal;
    admin: SessionPrincipal;
    apiKey: KeyPrincipal;
    keyOrSession: KeyPrincipal;
    modelsOrSession: KeyPrincipal;
    googleKey: KeyPrincipal;
    socketKey: KeyPrincipal;
  }
}
