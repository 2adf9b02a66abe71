import type { Server } from 'bun';

type Answer = Response | Promise<Response>;
export type Handler = (
  request: Request,
  server?: Server<unknown>,
  params?: Record<string, string>,
  members?: Record<string, string>,
) => Answer;
/** Another way of writing an address: the path it stands for, and members of the body that it names. */
export interface Alias {
  path: string;
  members?: Record<string, string>;
}
/** The path that is meant, where that depends on who asks. */
export type PathMeant = (path: string, headers: Headers) => string;
/** The likeliest first. */
export type AliasesOf = (path: string) => Alias[];
/** `allowed`: the methods that are served at this path. */
export type Unmatched = (path: string, allowed: string[], request: Request, server?: Server<unknown>) => Answer;

/** Those that an Allow header may name. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Served {
  handler: Handler;
  when?: (() => boolean) | undefined;
}

interface Pattern extends Served {
  expression: RegExp;
}

/** Every route by method and path: the one way in, for a listening server and for tests without one. */
export class Router {
  readonly #exact = new Map<string, Served>();
  /** By method and first segment, each in the order of adding; those that begin with a parameter are in every one. */
  readonly #patterns = new Map<string, Pattern[]>();
  readonly #anyStart: Pattern[] = [];

  constructor(
    private readonly unmatched: Unmatched,
    private readonly aliasesOf: AliasesOf = () => [],
    private readonly pathMeant: PathMeant = (path) => path,
  ) {}

  /**
   * `{name}` takes one segment of the path, `{name+}` the rest of it; paths without either win, then the first added. While
   * `when` says no, it is as if the route had not been added.
   */
  add(method: string, path: string, handler: Handler, when?: () => boolean): void {
    const address = `${method} ${path}`;
    if (!path.includes('{')) {
      this.#exact.set(address, { handler, when });
      return;
    }
    const pattern = { expression: expressionOf(address), handler, when };
    const start = startOf(address);
    if (start.includes('{')) {
      this.#anyStart.push(pattern);
      for (const patterns of this.#patterns.values()) patterns.push(pattern);
    } else {
      const patterns = this.#patterns.get(start);
      if (patterns) patterns.push(pattern);
      else this.#patterns.set(start, [...this.#anyStart, pattern]);
    }
  }

  readonly fetch = (request: Request, server?: Server<unknown>): Answer =>
    request.method === 'HEAD' ? this.#head(request, server) : this.#dispatch(request.method, request, server);

  /** As GET, without the body (RFC 9110 §9.3.2). */
  async #head(request: Request, server?: Server<unknown>): Promise<Response> {
    return new Response(null, await this.#dispatch('GET', request, server));
  }

  #dispatch(method: string, request: Request, server?: Server<unknown>): Answer {
    const path = this.#pathOf(request);
    const handler = this.#find(`${method} ${path}`) ?? this.#findAliased(method, path);
    return handler ? handler(request, server) : this.refuse(request, server);
  }

  /** As where no route has the method. */
  refuse(request: Request, server?: Server<unknown>): Answer {
    const path = this.#pathOf(request);
    const allowed = methods.filter((other) => this.#find(`${other} ${path}`) ?? this.#findAliased(other, path));
    return this.unmatched(path, allowed, request, server);
  }

  readonly #pathOf = ({ url, headers }: Request): string => this.pathMeant(pathOf(url), headers);

  #find(address: string): Handler | undefined {
    const exact = this.#exact.get(address);
    if (exact && exact.when?.() !== false) return exact.handler;
    for (const { expression, handler, when } of this.#patterns.get(startOf(address)) ?? this.#anyStart) {
      const groups = expression.exec(address)?.groups;
      if (groups && when?.() !== false)
        return (request, server, _, members) => handler(request, server, decodeAll(groups), members);
    }
    return undefined;
  }

  #findAliased(method: string, path: string): Handler | undefined {
    for (const { path: meant, members } of this.aliasesOf(path)) {
      const handler = this.#find(`${method} ${meant}`);
      if (handler) return (request, server) => handler(request, server, undefined, members);
    }
    return undefined;
  }
}

/** Method and first segment of `GET /a/b`: `GET /a`. */
function startOf(address: string): string {
  const end = address.indexOf('/', address.indexOf('/') + 1);
  return end < 0 ? address : address.slice(0, end);
}

/** Of what our paths are made of, only a dot means something else in an expression. */
function expressionOf(address: string): RegExp {
  const group = (_: string, name: string, rest: string) => `(?<${name}>${rest ? '.+' : '[^/]+'})`;
  return new RegExp(`^${address.replaceAll('.', '\\.').replace(/\{(\w+)(\+?)\}/g, group)}$`);
}

/** Path and query as sent, behind `https://` and a host. Without a usable Host header, as in HTTP/1.0, they are the whole. */
export const targetOf = (url: string): string => (url.startsWith('/') ? url : url.slice(url.indexOf('/', 8)));

/** The path, unescaped but for what would be a delimiter (RFC 3986 §2.2): that belongs to its segment. */
function pathOf(url: string): string {
  const target = targetOf(url);
  if (!/[?#%]/.test(target)) return target;
  return decode(target.split(/[?#]/, 1)[0]!, (path) => decodeURI(path.replaceAll('%25', '%2525')));
}

const decodeAll = (groups: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value, decodeURIComponent)]));

/** What is no escaped UTF-8 stays as it was sent. */
function decode(text: string, by: (text: string) => string): string {
  try {
    return by(text);
  } catch {
    return text;
  }
}
