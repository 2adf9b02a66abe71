/** The MCP server of the benchmarks: one tool that answers immediately, and a session per client. */
let sessions = 0;

const tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};
const introduction = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'bench', version: '1' },
};
const said = { content: [{ type: 'text', text: 'Hello to everybody who reads this!' }] };

interface Asked {
  id?: number | string;
  method: string;
}

const results: Record<string, unknown> = { 'tools/list': { tools: [tool] }, 'tools/call': said, ping: {} };

Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.method === 'GET')
      return new Response(new URL(request.url).pathname === '/sessions' ? `${sessions}` : 'ok');
    if (request.method === 'DELETE') return new Response(null, { status: 204 });
    const { id, method } = (await request.json()) as Asked;
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === 'initialize') {
      sessions += 1;
      const headers = { 'mcp-session-id': crypto.randomUUID() };
      return Response.json({ jsonrpc: '2.0', id, result: introduction }, { headers });
    }
    const result = results[method];
    if (result) return Response.json({ jsonrpc: '2.0', id, result });
    const error = { code: -32_601, message: 'Method not found' };
    return Response.json({ jsonrpc: '2.0', id, error }, { status: method === 'server/discover' ? 400 : 200 });
  },
});
