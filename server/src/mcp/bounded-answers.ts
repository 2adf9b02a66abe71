import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** At once, in one session: as many as one call may ask, and few enough of one that asks without end. */
const mostAtOnce = 128;

/**
 * What is answered without anybody: that somebody is there, or that nobody can be asked. One answer of a server has room for
 * twenty thousand such questions, and each reply is a request to it: those beyond the bound are left unanswered.
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
