import type { TestClient } from '../oauth.fixture.ts';

/** Where a client's document lies in a test, on a port of its own: limits count by host. */
export interface DocumentServer {
  /** The client id. */
  url: string;
  /** As an application that steps of the flow can be taken with. */
  client: TestClient;
  /** How often it was asked for. */
  asked: number;
  stop(): void;
}

type Answer = (url: string, request: Request) => Response | Promise<Response>;

export const redirectUri = 'http://127.0.0.1/callback';

/** A document as a good client would write it. */
export const documentOf = (url: string, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  client_id: url,
  client_name: 'Some client',
  redirect_uris: [redirectUri, 'https://client.example/callback'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  ...fields,
});

export function serveDocument(answer: Answer = (url) => Response.json(documentOf(url))): DocumentServer {
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: (request) => {
      server.asked += 1;
      return answer(server.url, request);
    },
  });
  const url = `http://127.0.0.1:${listener.port}/client.json`;
  const client = { id: 0, clientId: url, secret: '', redirectUri };
  const server: DocumentServer = { url, client, asked: 0, stop: () => void listener.stop(true) };
  return server;
}

/** Servers of documents, which `stop` ends. */
export function documentServers() {
  let stops: (() => void)[] = [];
  return {
    serve: (answer?: Parameters<typeof serveDocument>[0]): DocumentServer => {
      const server = serveDocument(answer);
      stops.push(server.stop);
      return server;
    },
    stop: (): void => {
      for (const stop of stops) stop();
      stops = [];
    },
  };
}
