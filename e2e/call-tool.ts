/** Calls a tool with a key, as an agent would; returns what the tool, or the gateway in front of it, answered. */
export async function callTool(address: string, key: string, name: string, args: object = {}): Promise<string> {
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return response.text();
}
