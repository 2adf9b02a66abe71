import type { User } from './user.ts';

/** `limitKey` is what the caller's calls are counted under. */
export interface SessionPrincipal {
  user: User;
  sessionId: number;
  /** When they proved who they are. */
  signedInAt: number;
  /** Whether they may do what administrators do: by their role, and by their second factor where one is required of them. */
  administers: boolean;
  limitKey: string;
}

export interface KeyPrincipal {
  user: User;
  /** Null for the web app's own calls, which carry a session instead of a key. */
  keyId: number | null;
  /** Models the key may use; empty means all. */
  models: string[];
  /** False when the key has a quota of its own. */
  unlimited: boolean;
  /** Which answers are given again, and for how long; absent for none. */
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
