// An MCP client that knows an address and nothing else: it registers itself, has the user sign in, and lists the tools.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const { MCP_SERVER = 'http://localhost:3000/mcp/svc', PORT = '4000' } = process.env;
const redirectUrl = `http://127.0.0.1:${PORT}/callback`;

// What a real client keeps on disk, so that its user signs in once.
const kept = { state: randomUUID() };
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'My agent', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  state: () => kept.state,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => Object.assign(kept, { client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => Object.assign(kept, { tokens }),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => Object.assign(kept, { verifier }),
  discoveryState: () => kept.found,
  saveDiscoveryState: (found) => Object.assign(kept, { found }),
  redirectToAuthorization: (address) => console.log(`open ${address}`),
};

const arrival = new Promise((resolve) => {
  const server = createServer((request, response) => {
    const answer = new URL(request.url, redirectUrl).searchParams;
    if (answer.get('state') !== kept.state) return response.writeHead(400).end();
    response.end('You can close this page.');
    server.close();
    resolve(answer);
  }).listen(Number(PORT), '127.0.0.1');
});

const open = async () => {
  const client = new Client({ name: 'my-agent', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_SERVER), { authProvider });
  const refused = await client.connect(transport).catch((error) => error);
  return { client, transport, refused };
};

let { client, transport, refused } = await open();
if (refused instanceof UnauthorizedError) {
  await transport.finishAuth(await arrival);
  ({ client, refused } = await open());
}
if (refused) throw refused;
const { tools } = await client.listTools();
console.log(JSON.stringify({ tools: tools.map(({ name }) => name) }));
await client.close();
