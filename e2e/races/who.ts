/** Callers of one user, at one process or at several. */
import type { Caller, Service } from '../service.ts';

export type Ids = Record<string, string | number>;

export interface Seen {
  request: string;
  status: number;
  text: string;
}

export interface Who {
  user: Caller;
  key: string;
  ids(request: string, body: unknown, names: Record<string, string>, given?: Ids): Promise<Ids>;
  ask(request: string, body: unknown, ids: Ids, at?: number): Promise<Seen>;
}

const streamMs = 1_000;

export function whoIs(services: Service[], user: Caller, key: string, other: Caller): Who {
  const [first] = services as [Service];
  const ask = async (request: string, body: unknown, ids: Ids, at = 0): Promise<Seen> => {
    const [path, method, by = 'session'] = request.split(' ').toReversed() as [string, string, string?];
    const as = path.startsWith('/scim') ? 'scim' : by;
    const credentials: Record<string, Record<string, string>> = {
      session: { cookie: user.cookie },
      other: { cookie: other.cookie },
      admin: { cookie: first.root.cookie },
      key: { authorization: `Bearer ${key}` },
      scim: { authorization: `Bearer ${ids.scim}` },
      client: { authorization: `${ids.basic}` },
      registration: { authorization: `Bearer ${ids.registration}` },
      nobody: {},
    };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(`${{ user: user.id, ...ids }[name]}`),
    );
    const isPlain = body instanceof FormData || body instanceof URLSearchParams;
    const answer = await fetch((services[at % services.length] ?? first).url + filled, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json, text/event-stream',
        ...credentials[as],
        ...(method !== 'GET' && !isPlain && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(30_000),
      ...(method !== 'GET' && body !== undefined && { body: isPlain ? body : JSON.stringify(body) }),
    });
    return { request, status: answer.status, text: await textOf(answer) };
  };
  const ids = async (request: string, body: unknown, names: Record<string, string>, given: Ids = {}): Promise<Ids> => {
    const { status, text } = await ask(request, body, { ...given, user: user.id });
    if (status >= 400) throw new Error(`${request}: ${status} ${text}`);
    const answer = JSON.parse(text);
    const from = answer.data ?? answer;
    const found = Object.entries(names).map(([name, path]) => {
      // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the endpoint
      const value = path.split('.').reduce<any>((at, part) => at?.[part], from);
      if (value === undefined) throw new Error(`${request}: no ${path} in ${text}`);
      return [name, value];
    });
    return { user: user.id, ...Object.fromEntries(found) };
  };
  return { user, key, ids, ask };
}

async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.includes('event-stream')) return answer.text();
  let text = '';
  const reader = answer.body!.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), streamMs);
  for (let read = await reader.read(); !read.done; read = await reader.read())
    text += Buffer.from(read.value).toString();
  clearTimeout(timer);
  return text;
}
