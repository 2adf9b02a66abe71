/** Time for load balancers to notice that readiness is off, and for clients to come back once on kept connections. */
const noticeMs = 5_000;
/** Nothing in progress for this long: clients with kept connections have come back. */
const quietMs = 500;
const lookMs = 25;
/** Time to charge what was produced and to report the shutdown; only clients that do not read take longer. */
const lastWordsMs = 5_000;

/**
 * Stops a server without dropping requests. Bun's `stop` closes idle connections at once, and a request in flight on
 * one of them is lost; so requests are still answered for a while, each answer closing its connection, until it is
 * quiet. Then new connections are refused, and running requests are waited for; finally `cutOff` ends the remaining
 * ones.
 */
export async function drain(server: Bun.Server<unknown>, drainMs: number, cutOff: () => void): Promise<void> {
  const deadline = performance.now() + drainMs;
  const noticeEnds = Math.min(deadline, performance.now() + noticeMs);
  let lastBusy = performance.now();
  while (performance.now() < noticeEnds && performance.now() - lastBusy < quietMs) {
    if (server.pendingRequests > 0) lastBusy = performance.now();
    await Bun.sleep(lookMs);
  }
  const finished = server.stop(false);
  const underWay = (): boolean => server.pendingRequests + server.pendingWebSockets > 0;
  const finishedBy = async (ms: number): Promise<void> => {
    while (underWay() && performance.now() < ms) await Bun.sleep(lookMs);
  };
  await finishedBy(deadline);
  if (underWay()) {
    cutOff();
    await finishedBy(performance.now() + lastWordsMs);
  }
  await Promise.race([finished, Bun.sleep(200)]);
  await server.stop(true);
}

/** The same answer, closing its connection (RFC 9112 §9.6). */
export async function lastOnItsConnection(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set('connection', 'close');
  return response;
}
