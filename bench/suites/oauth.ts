import { each } from '../kit/each.ts';
import { hasWrk, run, type Throughput } from '../kit/load.ts';
import { startOidcProvider } from '../kit/peers.ts';
import type { Running } from '../kit/process.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { type Service, startService } from '../kit/service.ts';

const rounds = 9;
/** Compilers need tens of thousands of requests to settle, and an authorization server runs for months. */
const warmUp = 15_000;
const exchanges = 1_500;
/** Time to finish what minting codes leaves behind: pending log writes, garbage. */
const restMs = 500;
const chains = 32;
const width = 32;
const seconds = 2;

/** An authorization server under measurement. */
interface Server {
  running: Running;
  tokenUrl: string;
  introspectUrl: string;
  userinfoUrl: string;
  basic: string;
  redirectUri: string;
  /** How many codes it can store, to mint them in advance and measure only the exchange. */
  keepsCodes: number;
  mint(count: number, openid?: boolean): Promise<string[]>;
  /** The same with OpenID Connect enabled, and a client whose ID tokens are signed with ES256. */
  signing?: Server;
}

type Act = 'exchange' | 'refresh' | 'introspect' | 'userinfo' | 'exchange with an ID token (ES256)';
const acts: Record<Act, (server: Server, count: number) => Promise<Throughput>> = {
  exchange: measureExchange,
  refresh: measureRefresh,
  introspect: measureIntrospect,
  userinfo: measureUserinfo,
  'exchange with an ID token (ES256)': measureSigned,
};
/** The goal: how many times faster we have to be. Signing spends most of its time in the same arithmetic. */
const leastRatio = (act: Act): number => (act === 'exchange with an ID token (ES256)' ? 3 : 5);

/** The same operation on both servers, one right after the other. */
interface Pair {
  mine: Throughput;
  peer: Throughput;
}

export async function oauth(): Promise<void> {
  if (!hasWrk()) return console.log('oauth: wrk is not installed (Debian package wrk); skipped');
  const mine = { ...(await ours(await startService())), signing: await ours(await startService(signingOptions)) };
  const peer = await theirs();
  const results = new Map<Act, Pair[]>();
  for (let turn = 0; turn <= rounds; turn += 1) {
    for (const [act, measure] of Object.entries(acts) as [Act, (typeof acts)[Act]][]) {
      // The first round is warm-up.
      const count = turn === 0 ? warmUp : exchanges;
      const pair = { mine: await measure(mine, count), peer: await measure(peer, count) };
      if (turn > 0) results.set(act, [...(results.get(act) ?? []), pair]);
    }
  }
  for (const { running } of [mine, mine.signing, peer]) await running.stop();
  print(results);
}

async function openidToken(server: Server): Promise<string> {
  const [code] = await server.mint(1, true);
  return (await redeem(server, code!))!.access_token;
}

async function measureIntrospect(server: Server): Promise<Throughput> {
  return run({
    connections: width,
    seconds,
    pid: server.running.pid,
    url: server.introspectUrl,
    method: 'POST',
    headers: { authorization: server.basic, 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${await openidToken(server)}`,
  });
}

async function measureUserinfo(server: Server): Promise<Throughput> {
  return run({
    connections: width,
    seconds,
    pid: server.running.pid,
    url: server.userinfoUrl,
    headers: { authorization: `Bearer ${await openidToken(server)}` },
  });
}

/** Also checks that there is an ID token, since not issuing one costs nothing. */
async function measureSigned({ signing }: Server, count: number): Promise<Throughput> {
  const [code] = await signing!.mint(1, true);
  const tokens = await redeem(signing!, code!);
  const header = atob(tokens?.id_token?.split('.')[0] ?? '');
  if (!header.includes('ES256')) throw new Error(`no ID token signed with ES256: ${JSON.stringify(tokens)}`);
  return measureExchange(signing!, count, true);
}

async function measureExchange(server: Server, count: number, openid = false): Promise<Throughput> {
  const parts: Throughput[] = [];
  for (let done = 0; done < count; done += server.keepsCodes) {
    const codes = await server.mint(server.keepsCodes, openid);
    await Bun.sleep(restMs);
    parts.push(await each(codes, width, server.running.pid, async (code) => (await redeem(server, code)) !== null));
  }
  return {
    requestsPerSecond: median(parts.map((part) => part.requestsPerSecond)),
    cpuMicrosPerRequest: parts.reduce((sum, part) => sum + part.cpuMicrosPerRequest, 0) / parts.length,
    failures: parts.reduce((sum, part) => sum + part.failures, 0),
  };
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token?: string;
}

const redeem = (server: Server, code: string): Promise<Tokens | null> =>
  token(server, { grant_type: 'authorization_code', code, redirect_uri: server.redirectUri });

/** Each chain refreshes with the token of its last refresh, as clients do. */
async function measureRefresh(server: Server, count: number): Promise<Throughput> {
  const heads: string[] = [];
  for (const code of await server.mint(chains)) heads.push((await redeem(server, code))!.refresh_token);
  const links = Array.from({ length: 2 * count }, (_, i) => i % chains);
  const turns = new Map<number, Promise<boolean>>();
  return each(links, chains, server.running.pid, (chain) => {
    const next = (turns.get(chain) ?? Promise.resolve(true)).then(async () => {
      const tokens = await token(server, { grant_type: 'refresh_token', refresh_token: heads[chain]! });
      if (tokens) heads[chain] = tokens.refresh_token;
      return tokens !== null;
    });
    turns.set(chain, next);
    return next;
  });
}

async function token(server: Server, fields: Record<string, string>): Promise<Tokens | null> {
  const response = await fetch(server.tokenUrl, {
    method: 'POST',
    headers: { authorization: server.basic, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  const body = await response.text();
  return response.ok ? (JSON.parse(body) as Tokens) : null;
}

const basic = (id: string, secret: string): string =>
  `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;

const signingOptions = { OPENID_CONNECT: '1' };

async function ours(service: Service): Promise<Server> {
  const redirectUri = 'https://client.example/callback';
  const { data } = (await service.call('/api/oauth2/applications', 'POST', {
    name: 'bench',
    redirect_uris: [redirectUri],
    scopes: 'openid profile',
    app_type: 'confidential',
    // Unknown, and left out, while OpenID Connect is disabled.
    id_token_signed_response_alg: 'ES256',
  })) as { data: { client_id: string; client_secret_plain: string } };
  const authorize = { client_id: data.client_id, redirect_uri: redirectUri, scope: 'openid', approved: true };
  return {
    running: service,
    tokenUrl: `${service.url}/api/oauth2/token`,
    introspectUrl: `${service.url}/api/oauth2/introspect`,
    userinfoUrl: `${service.url}/api/oauth2/userinfo`,
    basic: basic(data.client_id, data.client_secret_plain),
    redirectUri,
    keepsCodes: 1_500,
    mint: async (count) => {
      const codes: string[] = [];
      const lane = async () => {
        while (codes.length < count) {
          const answer = await service.call('/api/oauth2/authorize', 'POST', authorize);
          codes.push(
            new URL((answer as { data: { redirect_url: string } }).data.redirect_url).searchParams.get('code')!,
          );
        }
      };
      await Promise.all(Array.from({ length: Math.min(16, count) }, lane));
      return codes.slice(0, count);
    },
  };
}

async function theirs(): Promise<Server> {
  const running = await startOidcProvider();
  return { ...peerClient(running, 'bench'), signing: peerClient(running, 'bench-es256') };
}

function peerClient(running: Running, client: string): Server {
  return {
    running,
    tokenUrl: `${running.url}/token`,
    introspectUrl: `${running.url}/token/introspection`,
    userinfoUrl: `${running.url}/me`,
    basic: basic(client, 'a secret that is long enough for a benchmark'),
    redirectUri: 'https://client.example/callback',
    // The memory adapter only keeps the last thousand objects, and a code and its tokens are several.
    keepsCodes: 150,
    mint: async (count, openid = false) => {
      const scope = openid ? 'openid offline_access' : 'api offline_access';
      const response = await fetch(
        `${running.url}/mint?n=${count}&client=${client}&scope=${encodeURIComponent(scope)}`,
      );
      return (await response.json()) as string[];
    },
  };
}

/** The ratio is computed per pair, so that a slow moment of the machine affects both sides. */
function print(results: Map<Act, Pair[]>): void {
  const goals: string[] = [];
  const rows: Row[] = [...results].map(([act, pairs]) => {
    const of = (figure: (pair: Pair) => number) => median(pairs.map(figure));
    const ratio = of(({ mine, peer }) => peer.cpuMicrosPerRequest / mine.cpuMicrosPerRequest);
    const least = leastRatio(act);
    goals.push(goal(`${act}: at least ${least} × oidc-provider by CPU per request`, ratio >= least));
    return {
      what: act,
      figures: {
        'svc req/s': Math.round(of(({ mine }) => mine.requestsPerSecond)),
        'oidc-provider req/s': Math.round(of(({ peer }) => peer.requestsPerSecond)),
        'req/s ratio': round(
          of(({ mine, peer }) => mine.requestsPerSecond / peer.requestsPerSecond),
          1,
        ),
        spread: spread(pairs.map(({ mine }) => mine.requestsPerSecond)),
        'svc CPU µs': round(
          of(({ mine }) => mine.cpuMicrosPerRequest),
          0,
        ),
        'oidc-provider CPU µs': round(
          of(({ peer }) => peer.cpuMicrosPerRequest),
          0,
        ),
        'CPU ratio': round(ratio, 1),
        failures: pairs.reduce((sum, { mine, peer }) => sum + mine.failures + peer.failures, 0),
      },
    };
  });
  report('oauth', rows, goals);
}
