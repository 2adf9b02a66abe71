/** The baseline: a proxy that only forwards the request and its answer. */
const upstream = process.env.UPSTREAM!;

Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response('ok');
    const answer = await fetch(upstream + pathname, {
      method: request.method,
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-upstream-credential' },
      body: await request.arrayBuffer(),
      signal: request.signal,
    });
    return new Response(answer.body, {
      status: answer.status,
      headers: { 'content-type': answer.headers.get('content-type') ?? '' },
    });
  },
});
