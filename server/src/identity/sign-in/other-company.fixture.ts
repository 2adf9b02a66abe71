import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another company's provider: oidc-provider, over HTTP, with its own pages to log in on. */
export interface OtherCompany {
  issuer: string;
  /** What it says of each of its people, by their login. */
  people: Record<string, Record<string, unknown>>;
  client: { client_id: string; client_secret: string };
  stop(): void;
}

const client = { client_id: 'svc', client_secret: 'never-shown-again-0123456789abcdef' };

export async function startOtherCompany(redirectUris: string[], features: object = {}): Promise<OtherCompany> {
  const people: OtherCompany['people'] = {};
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // It is loud about being for development only, which here it is.
  const { info, warn } = console;
  console.info = console.warn = () => {};
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [
      { ...client, redirect_uris: redirectUris, response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'picture', 'groups'],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, ...features },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    cookies: { keys: ['of the other company'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people[id] }),
    }),
  });
  server.on('request', provider.callback());
  Object.assign(console, { info, warn });
  return { issuer, people, client, stop: () => server.close() };
}

/** Enough of a browser: cookies by origin, and redirects one at a time. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  constructor(
    readonly own: { origin: string; call(path: string, init: { headers: Record<string, string> }): Promise<Response> },
  ) {}

  cookieOf(url: string): string {
    return [...this.#jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  setCookie(url: string, cookie: string): void {
    const pair = cookie.split(';')[0]!;
    const at = pair.indexOf('=');
    this.#jarOf(url).set(pair.slice(0, at), pair.slice(at + 1));
  }

  /** One request, to the service or over the network. */
  async visit(url: string, form?: Record<string, string>): Promise<Response> {
    const headers = { cookie: this.cookieOf(url) };
    const { origin, pathname, search } = new URL(url);
    const answer =
      origin === this.own.origin
        ? await this.own.call(pathname + search, { headers })
        : await fetch(url, {
            ...{ headers, redirect: 'manual', keepalive: false },
            ...(form && { method: 'POST', body: new URLSearchParams(form) }),
          });
    for (const cookie of answer.headers.getSetCookie()) this.setCookie(url, cookie);
    return answer;
  }

  /** Goes where it is sent until a page of ours, or the callback, and tells which; logs in and agrees on the way. */
  async logInAt(url: string, login: string): Promise<string> {
    let next = url;
    for (let steps = 0; steps < 20; steps += 1) {
      if (new URL(next).origin === this.own.origin) return next;
      const answer = await this.visit(next);
      const location = answer.headers.get('location');
      if (location) {
        next = new URL(location, next).href;
        continue;
      }
      const page = await answer.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (!prompt) throw new Error(`${next} shows ${answer.status} ${page.slice(0, 300)}`);
      const sent = await this.visit(next, { prompt, login, password: 'any' });
      next = new URL(sent.headers.get('location')!, next).href;
    }
    throw new Error('it never ends');
  }

  #jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }
}
