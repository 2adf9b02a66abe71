import { AppError } from '../../lib/errors.ts';
import { upgradeRequired } from '../../platform/http/http-call.ts';
import { type MemoryBudget, memoryBudgetKey } from '../../platform/http/memory-budget.ts';
import { type Call, defineRoute, type Route } from '../../platform/http/route.ts';
import { relayRoute } from '../routes/json-endpoint.ts';
import { stoppingError } from '../stopping.ts';
import { type Ask, requestSender } from './request-sender.ts';
import { ResponseSocket, type SocketOf } from './socket.ts';

export interface SocketsDeps extends Pick<SocketOf, 'clock' | 'log'> {
  baseUrl: string;
  ask: Ask;
}

export interface OpenSockets {
  readonly here: Set<ResponseSocket>;
  readonly memoryBudget: MemoryBudget;
  /** No more connections are opened. */
  draining: boolean;
}

/** Per user and process. */
const mostOfCaller = 50;

export const responseSocketRoutes = (deps: SocketsDeps, sockets: OpenSockets): Route[] => [
  defineRoute({
    ...relayRoute,
    method: 'get',
    path: '/v1/responses',
    summary: 'Create responses one after another over a WebSocket, in the format of OpenAI’s Responses API',
    answers: { 101: { description: 'A WebSocket connection' } },
    handle: (call) => openSocket(deps, sockets, call),
  }),
];

function openSocket({ clock, log, ask, baseUrl }: SocketsDeps, sockets: OpenSockets, call: Call<'apiKey'>): Response {
  if (call.request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw upgradeRequired();
  if (sockets.draining) throw stoppingError();
  const caller = memoryBudgetKey(call);
  if ([...sockets.here].filter(({ about }) => about.caller === caller).length >= mostOfCaller)
    throw new AppError('capacity_exhausted', `You have ${mostOfCaller} open connections. Close some first.`);
  const socket = new ResponseSocket({
    ...{ clock, log, caller, memoryBudget: sockets.memoryBudget, requestId: call.requestId },
    ask: requestSender(ask, baseUrl, call),
    ended: (over) => sockets.here.delete(over),
  });
  sockets.here.add(socket);
  try {
    return call.upgrade!(socket);
  } catch (error) {
    socket.closed();
    throw error;
  }
}
