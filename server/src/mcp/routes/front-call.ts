import type { Origin } from '../../identity/audit/log.ts';
import { originOf } from '../../identity/audit/record-acts.ts';
import { type Call, jsonText } from '../../platform/http/route.ts';
import type { McpCaller } from '../front/caller.ts';
import type { ResponseWriter } from '../front/direct-answer.ts';
import type { Requester } from '../front/endpoint.ts';
import { sessionHeader } from './front-session.ts';

/**
 * An HTTP call as seen by its handler: the caller, and how to build the response. The abort signal is created lazily.
 */
export class AskingCall implements Requester, ResponseWriter {
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

/** Adds the headers common to all our responses. */
export function finished(call: Call, response: Response, session: string | null): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(call.headers)) headers.set(name, value);
  if (session !== null && response.ok) headers.set(sessionHeader, session);
  const streams = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  call.whole = !streams;
  // Otherwise nginx buffers events.
  if (streams) headers.set('x-accel-buffering', 'no');
  return new Response(response.body, { status: response.status, headers });
}
