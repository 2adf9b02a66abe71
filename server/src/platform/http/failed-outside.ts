import { isGone } from '../blobs/errors.ts';
import type { Log } from '../log.ts';

/** The answer if an error reaches the server itself: from a body that was to be sent, or from a fault of ours. */
export const failedOutside =
  (log: Log, headers: Record<string, string>) =>
  (error: Error): Response => {
    if (isGone(error)) return new Response(null, { status: 404, headers });
    log.error({ error }, 'a request failed outside its handler');
    return new Response(null, { status: 500, headers });
  };
