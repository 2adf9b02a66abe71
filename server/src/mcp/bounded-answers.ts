import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Per session: as many as one call may ask, but a limit for a server that asks without end. */
const mostAtOnce = 128;

/**
 * Limits the replies that the library sends itself: to pings, and to questions when no client can be asked. One answer
 * of a server can hold twenty thousand such questions, and each reply is a request to the server; questions beyond the
 * limit get no reply.
 */
export function boundAnswers(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  let underWay = 0;
  transport.send = async (message, options) => {
    const isReply = !Array.isArray(message) && !('method' in message);
    if (!isReply) return send(message, options);
    if (underWay >= mostAtOnce) return;
    underWay += 1;
    try {
      await send(message, options);
    } finally {
      underWay -= 1;
    }
  };
}
