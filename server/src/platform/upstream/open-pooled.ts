import type { ByteSource } from '../../lib/byte-source.ts';
import { checkedUrl, OutgoingError, type OutgoingPolicy, type OutgoingStream } from '../http/outgoing.ts';
import { answerOf, type UpstreamConnections } from './connections.ts';
import type { AnswerHead } from './head.ts';
import type { LineRequest } from './request-bytes.ts';

export interface PooledRequest extends LineRequest {
  /** For the whole call: DNS, connection, answer and body. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Like `openGuarded`, over kept connections: each goes to an address that was checked when it was dialled. Redirects
 * are not followed.
 */
export async function openPooled(
  connections: UpstreamConnections,
  request: PooledRequest,
  policy: OutgoingPolicy,
): Promise<OutgoingStream> {
  checkedUrl(request.url, policy);
  const { timeoutMs, signal } = request;
  if (signal?.aborted) throw givenUp();
  const exchange = connections.send(request);
  let ended: OutgoingError | null = null;
  const end = (why: OutgoingError): void => {
    ended ??= why;
    exchange.abort();
  };
  const timer = setTimeout(() => end(new OutgoingError('timeout', `No response within ${timeoutMs} ms.`)), timeoutMs);
  const leave = () => end(givenUp());
  signal?.addEventListener('abort', leave, { once: true });
  const over = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  };
  let head: AnswerHead;
  try {
    head = await exchange.head;
  } catch (error) {
    over();
    throw ended ?? faultOf(error);
  }
  const { status, body } = answerOf(exchange, head);
  return { status, headers: Object.fromEntries(head.headers), body: streamOf(body, over, () => ended) };
}

const givenUp = (): OutgoingError => new OutgoingError('aborted', 'The call was cancelled.');

const faultOf = (error: unknown): OutgoingError =>
  error instanceof OutgoingError
    ? error
    : new OutgoingError('network', error instanceof Error ? error.message : String(error));

/** The body as a stream; `over` is called when reading ends, `ended` says why it was aborted. */
export function streamOf(body: ByteSource, over: () => void, ended: () => Error | null): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        let piece: Uint8Array | null;
        try {
          piece = await body.read();
        } catch (error) {
          over();
          throw ended() ?? error;
        }
        if (piece) return controller.enqueue(piece);
        controller.close();
        over();
      },
      cancel: () => {
        over();
        // What was wanted has arrived; the remaining bytes may just end the answer.
        body.leave();
      },
    },
    { highWaterMark: 0 },
  );
}
