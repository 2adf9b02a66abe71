import { AppError } from '../../lib/errors.ts';
import type { RunningCalls } from '../front/running-calls.ts';

/** Unvalidated: invalid messages are answered with JSON-RPC errors. */
export interface Message {
  method?: unknown;
  id?: unknown;
  params?: unknown;
}

/** Assumed if a client names no revision (revision 2025-06-18, transports). */
const hasSeveral = '2025-03-26';

/** Batches were added in one revision and removed in the next. */
export function refuseSeveral({ headers }: Pick<Request, 'headers'>): void {
  const revision = headers.get('mcp-protocol-version') ?? hasSeveral;
  if (revision === hasSeveral) return;
  const words = `Send each message in its own request: only revision ${hasSeveral} allows several in one.`;
  throw new AppError('invalid_request', words);
}

/** Rate limits count requests, so a batch may hold only one tool call, besides any other messages. */
export function refuseMixed(messages: readonly Message[]): void {
  const calls = messages.filter(({ method }) => method === 'tools/call');
  if (calls.length > 1) throw new AppError('invalid_request', 'Send each tool call in its own request.');
  const ids = messages.filter(({ method }) => method !== undefined).flatMap(({ id }) => (id === undefined ? [] : [id]));
  // Answers are matched by id: with duplicates one of them would be lost, along with the work done for it.
  if (new Set(ids).size < ids.length) throw new AppError('invalid_request', 'Each request needs its own id.');
}

/** Cancels the requests that this client no longer wants an answer to. */
export async function cancelRequests(
  underWay: RunningCalls,
  client: string,
  messages: readonly Message[],
): Promise<void> {
  for (const { method, params } of messages) {
    if (method !== 'notifications/cancelled') continue;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (typeof requestId === 'string' || typeof requestId === 'number') await underWay.cancel(client, requestId);
  }
}
