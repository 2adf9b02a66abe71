// These packages have no types; this declares the parts that the tests use.
declare module 'simple-oauth2' {
  interface AccessToken {
    token: { access_token: string; refresh_token: string; scope: string; expires_at: Date };
    refresh(params?: Record<string, string>): Promise<AccessToken>;
    revoke(kind: 'access_token' | 'refresh_token'): Promise<unknown>;
    revokeAll(): Promise<void>;
  }
  export class AuthorizationCode {
    constructor(config: Record<string, Record<string, string>>);
    authorizeURL(params: Record<string, string>): string;
    getToken(params: Record<string, string>): Promise<AccessToken>;
  }
}

declare module 'passport-oauth2' {
  type Done = (error: unknown, user?: unknown) => void;
  export class Strategy {
    constructor(
      options: Record<string, unknown>,
      verify: (accessToken: string, refreshToken: string, params: unknown, profile: unknown, done: Done) => void,
    );
    authenticate(request: unknown): void;
    redirect?: (url: string) => void;
    success?: (user: unknown) => void;
    fail?: (info: unknown) => void;
    error?: (error: unknown) => void;
    _oauth2: {
      useAuthorizationHeaderforGET(use: boolean): void;
      get(url: string, token: string, done: (error: unknown, body: string) => void): void;
      getOAuthAccessToken(
        token: string,
        params: Record<string, string>,
        done: (error: unknown, accessToken: string, refreshToken: string) => void,
      ): void;
    };
  }
}
