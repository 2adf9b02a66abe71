import { AppError } from '../../lib/errors.ts';
import type { UnderWay } from '../front/under-way.ts';

/** As it comes: whether it is one of the protocol's is said in the protocol's own words. */
export interface Message {
  method?: unknown;
  id?: unknown;
  params?: unknown;
}

/** Whoever names no revision is taken to mean this one (revision 2025-06-18, transports). */
const hasSeveral = '2025-03-26';

/** Several messages at once came with one revision and went with the next. */
export function refuseSeveral({ headers }: Pick<Request, 'headers'>): void {
  const revision = headers.get('mcp-protocol-version') ?? hasSeveral;
  if (revision === hasSeveral) return;
  const words = `Send each message in a request of its own: only revision ${hasSeveral} has several in one.`;
  throw new AppError('invalid_request', words);
}

/** Limits count requests: what costs something comes alone, however many other messages are with it. */
export function refuseMixed(messages: readonly Message[]): void {
  const calls = messages.filter(({ method }) => method === 'tools/call');
  if (calls.length > 1) throw new AppError('invalid_request', 'Send each call of a tool in a request of its own.');
  const ids = messages.filter(({ method }) => method !== undefined).flatMap(({ id }) => (id === undefined ? [] : [id]));
  // Answers are told apart by it: one of them would be lost, with what was done for it.
  if (new Set(ids).size < ids.length) throw new AppError('invalid_request', 'Each request needs an id of its own.');
}

/** Requests of this client that it wants no answer to any more. */
export async function takeBack(underWay: UnderWay, client: string, messages: readonly Message[]): Promise<void> {
  for (const { method, params } of messages) {
    if (method !== 'notifications/cancelled') continue;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (typeof requestId === 'string' || typeof requestId === 'number') await underWay.cancel(client, requestId);
  }
}
