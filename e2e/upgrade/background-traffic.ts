/** Users who sign in and view their keys, and applications that refresh their tokens, in a loop. */
import { randomString } from '../../server/src/lib/ids.ts';
import type { Service } from '../service.ts';

export interface BackgroundTraffic {
  /** How often each was done. */
  readonly done: Record<string, number>;
  /** Unexpected responses. */
  readonly failures: string[];
  /** Resolves when the last call has ended. */
  end(): Promise<void>;
}

const callback = 'https://client.example/callback';
const pauseMs = 50;

/** Set up at one service, and run against an address that may have several behind it. */
export async function startBackgroundTraffic(service: Service, url: string): Promise<BackgroundTraffic> {
  const password = 'a fine password';
  const username = `comer_${randomString(8)}`;
  await json(`${service.url}/api/user/register`, { username, password });
  const refresh = await refresher(service, url);
  const acts: Record<string, () => Promise<unknown>> = {
    'sign-ins': () => json(`${url}/api/user/login`, { username, password }),
    'key listings': async () => {
      const { cookie } = service.root;
      return read('keys', await fetch(`${url}/api/tokens`, { headers: { cookie, connection: 'close' } }));
    },
    'token refreshes': refresh,
  };
  const comings: BackgroundTraffic = {
    done: Object.fromEntries(Object.keys(acts).map((name) => [name, 0])),
    failures: [],
    end: async () => {
      going = false;
      await running;
    },
  };
  let going = true;
  const repeat = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    for (; going; await Bun.sleep(pauseMs)) {
      try {
        await act();
        comings.done[name]! += 1;
      } catch (error) {
        comings.failures.push(`${name}: ${error}`);
      }
    }
  };
  const running = Promise.all(Object.entries(acts).map(([name, act]) => repeat(name, act)));
  return comings;
}

/** Each call uses the refresh token returned by the previous one. */
async function refresher(service: Service, url: string): Promise<() => Promise<unknown>> {
  const user = await service.user();
  const client = await user.api<{ client_id: string; client_secret_plain: string }>('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'Client', redirect_uris: [callback], scopes: 'openid' },
  });
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: client.client_id, redirect_uri: callback, approved: true },
  });
  const ask = async (fields: Record<string, string>) => {
    const answer = await fetch(`${url}/api/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret_plain}`)}`,
        connection: 'close',
      },
      body: new URLSearchParams(fields),
    });
    return (await read('token', answer)) as { refresh_token: string };
  };
  const code = new URL(redirect_url).searchParams.get('code')!;
  let last = await ask({ grant_type: 'authorization_code', code, redirect_uri: callback });
  return async () => {
    last = await ask({ grant_type: 'refresh_token', refresh_token: last.refresh_token });
  };
}

async function json(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  return read(url, await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function read(what: string, answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what}: ${answer.status} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
