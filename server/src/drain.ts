/** So long a balancer has to see that readiness is off, and clients to come back once on connections they keep open. */
const noticeMs = 5_000;
/** Nothing under way for this long: whoever was going to come back has done so. */
const quietMs = 500;
const lookMs = 25;
/** To charge what was made and to say why there is no more; only those who do not read take longer. */
const lastWordsMs = 5_000;

/**
 * Ends a server without cutting anybody off. Bun's `stop` closes idle connections at once, and a request that is on its
 * way on one of them is lost; so we go on answering for a while, each answer closing its connection, until it is quiet.
 * Only then new connections are refused, and what still runs is waited for; in the end `cutOff` tells those who wait.
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

/** The same answer, after which the connection is closed (RFC 9112 §9.6). */
export async function lastOnItsConnection(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set('connection', 'close');
  return response;
}
