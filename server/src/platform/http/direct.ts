import type { Server } from 'bun';

export type Handler = (request: Request, server: Server<unknown> | undefined) => Response | Promise<Response>;

/** Routes without parameters, found by their address alone: most calls by far, and a router would cost them more than the lookup. */
export class DirectRoutes {
  readonly #byMethod = new Map<string, Map<string, Handler>>();

  set(method: string, path: string, handler: Handler): void {
    const byPath = this.#byMethod.get(method) ?? new Map<string, Handler>();
    this.#byMethod.set(method, byPath.set(path, handler));
  }

  /** The busy ones for the server's own router, which asks nobody for the address; what it does not match comes to `find`. */
  ofServer(around: (handler: Handler) => Handler): Record<string, { POST: Handler }> {
    const posts = this.#byMethod.get('POST') ?? new Map<string, Handler>();
    return Object.fromEntries([...posts].map(([path, handler]) => [path, { POST: around(handler) }]));
  }

  find(request: Request): Handler | undefined {
    return this.#byMethod.get(request.method)?.get(pathOf(request.url));
  }
}

/** The path as it was sent; one that is written with escapes is left to the router. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}
