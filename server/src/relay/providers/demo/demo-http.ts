import { type DemoOptions, demoFetch } from './demo-fetch.ts';

/** What callers of an upstream over HTTP already have in hand. */
export interface DemoHttpInit {
  method?: string;
  body?: string | FormData | null;
  signal?: AbortSignal | null;
}

/** The built-in provider behind the face of `fetch`, for code that speaks to upstreams by URL: only its path counts. */
export function demoHttp(url: string | URL, init: DemoHttpInit = {}, options: DemoOptions = {}): Promise<Response> {
  const path = new URL(url).pathname;
  const signal = init.signal ?? new AbortController().signal;
  if (typeof init.body !== 'string') return demoFetch({ path, body: init.body, stream: false, signal }, options);
  try {
    const body: unknown = JSON.parse(init.body);
    const stream = body !== null && typeof body === 'object' && 'stream' in body && body.stream === true;
    return demoFetch({ path, body, stream, signal }, options);
  } catch {
    const error = {
      message: 'The body is not JSON.',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_json',
    };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  }
}
