import type { Server } from 'bun';

type Answer = Response | Promise<Response>;
export type Handler = (
  request: Request,
  server?: Server<unknown>,
  params?: Record<string, string>,
  members?: Record<string, string>,
) => Answer;
/** Another spelling of an address: the path it stands for, and body members that it names. */
export interface Alias {
  path: string;
  members?: Record<string, string>;
}
/** The path that is meant, if that depends on the client. */
export type PathMeant = (path: string, headers: Headers) => string;
/** Most likely first. */
export type AliasesOf = (path: string) => Alias[];
/** `allowed`: the methods served at this path. */
export type Unmatched = (path: string, allowed: string[], request: Request, server?: Server<unknown>) => Answer;

/** Methods that an Allow header may list. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Served {
  handler: Handler;
  when?: (() => boolean) | undefined;
}

interface Pattern extends Served {
  expression: RegExp;
}

/** All routes by method and path: the single entry point, for the server and for tests without one. */
export class Router {
  readonly #exact = new Map<string, Served>();
  /** By method and first segment, in insertion order; patterns that start with a parameter are in every list. */
  readonly #patterns = new Map<string, Pattern[]>();
  readonly #anyStart: Pattern[] = [];

  constructor(
    private readonly unmatched: Unmatched,
    private readonly aliasesOf: AliasesOf = () => [],
    private readonly pathMeant: PathMeant = (path) => path,
  ) {}

  /**
   * `{name}` matches one segment, `{name+}` the rest of the path. Literal paths win, then the first added. While `when`
   * returns false, the route does not exist.
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

  /** Like GET, without the body (RFC 9110 §9.3.2). */
  async #head(request: Request, server?: Server<unknown>): Promise<Response> {
    return new Response(null, await this.#dispatch('GET', request, server));
  }

  #dispatch(method: string, request: Request, server?: Server<unknown>): Answer {
    const path = this.#pathOf(request);
    const handler = this.#find(`${method} ${path}`) ?? this.#findAliased(method, path);
    return handler ? handler(request, server) : this.refuse(request, server);
  }

  /** As if no route had the method. */
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

/** Of the characters in our paths, only the dot is special in a regular expression. A name may hold line breaks. */
function expressionOf(address: string): RegExp {
  const group = (_: string, name: string, rest: string) => `(?<${name}>${rest ? '.+' : '[^/]+'})`;
  return new RegExp(`^${address.replaceAll('.', '\\.').replace(/\{(\w+)(\+?)\}/g, group)}$`, 's');
}

/**
 * Path and query as sent, after `https://` and the host. Without a valid Host header, as in HTTP/1.0, they are the
 * whole URL.
 */
export const targetOf = (url: string): string => (url.startsWith('/') ? url : url.slice(url.indexOf('/', 8)));

/** The decoded path, except for encoded delimiters (RFC 3986 §2.2), which belong to their segment. */
function pathOf(url: string): string {
  const target = targetOf(url);
  if (!/[?#%]/.test(target)) return target;
  return decode(target.split(/[?#]/, 1)[0]!, (path) => decodeURI(path.replaceAll('%25', '%2525')));
}

function decodeAll(groups: Record<string, string>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const name in groups) decoded[name] = decode(groups[name]!, decodeURIComponent);
  return decoded;
}

/** Invalid UTF-8 escapes stay as they were sent. */
function decode(text: string, by: (text: string) => string): string {
  if (!text.includes('%')) return text;
  try {
    return by(text);
  } catch {
    return text;
  }
}
