import type { Origin } from '../../identity/audit/log.ts';
import { originOf } from '../../identity/audit/record-acts.ts';
import { type Call, jsonText } from '../../platform/http/route.ts';
import type { McpCaller } from '../front/caller.ts';
import type { Asker } from '../front/served.ts';
import type { Written } from '../front/straight.ts';
import { sessionHeader } from './front-session.ts';

/** A call over HTTP, for whoever answers it: who asks, and how the answer is put into words. Nothing is listened for before somebody asks. */
export class AskingCall implements Asker, Written {
  readonly caller: McpCaller;
  readonly origin: Origin;
  readonly requestId: string;
  readonly headers: Headers;

  constructor(
    private readonly call: Call<'mcp'>,
    readonly holder: string,
  ) {
    this.caller = call.principal;
    this.origin = originOf(call);
    this.requestId = call.requestId;
    this.headers = call.request.headers;
  }

  get signal(): AbortSignal {
    return this.call.signal;
  }

  whole(text: string, status?: number): Response {
    return jsonText(this.call, text, status);
  }

  events(stream: ReadableStream<Uint8Array>): Response {
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    return finished(this.call, new Response(stream, { headers }), null);
  }
}

/** With the headers that all our answers have. */
export function finished(call: Call, response: Response, session: string | null): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(call.headers)) headers.set(name, value);
  if (session !== null && response.ok) headers.set(sessionHeader, session);
  const streams = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  call.whole = !streams;
  // nginx would otherwise gather events before passing them on.
  if (streams) headers.set('x-accel-buffering', 'no');
  return new Response(response.body, { status: response.status, headers });
}
