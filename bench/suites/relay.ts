import { startBifrost } from '../kit/bifrost.ts';
import { startLiteLLM } from '../kit/litellm.ts';
import { hasWrk, type Measured } from '../kit/load.ts';
import { startBareProxy, startNginx, startPortkey, startUpstream } from '../kit/peers.ts';
import type { Running } from '../kit/process.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { inRounds } from '../kit/rounds.ts';
import { addChannel, chatBody, startService } from '../kit/service.ts';

const connections = 64;
const rounds = 7;
const seconds = 4;
/**
 * The same for every contender: compilers work during the first hundred thousand requests, and a gateway runs for
 * months.
 */
const warmUpSeconds = 20;

interface Gateway {
  running: Running;
  headers: Record<string, string>;
}

/** Chat completions through each gateway in turn, several times, so that a slow moment affects all of them. */
export async function relay(): Promise<void> {
  if (!hasWrk()) return console.log('relay: wrk is not installed (Debian package wrk); skipped');
  const upstream = await startUpstream();
  const service = await startService();
  await addChannel(service, upstream.url);
  const json = { 'content-type': 'application/json' };
  const withKey = (key: string) => ({ ...json, authorization: `Bearer ${key}` });
  const nginx = await startNginx(upstream);
  const liteLLM = await startLiteLLM(upstream);
  const bifrost = await startBifrost(upstream);
  const gateways: Gateway[] = [
    { running: await startBareProxy(upstream), headers: json },
    ...(nginx ? [{ running: nginx, headers: json }] : []),
    { running: service, headers: withKey(service.key) },
    {
      running: await startPortkey(),
      headers: {
        ...json,
        authorization: 'Bearer sk-upstream-credential',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstream.url}/v1`,
      },
    },
    ...[liteLLM, bifrost].flatMap((peer) => (peer ? [{ running: peer, headers: withKey(peer.key) }] : [])),
  ];
  const contenders = gateways.map(({ running: { name, url, pid }, headers }) => {
    return [name, { url: `${url}/v1/chat/completions`, headers, body: chatBody(), pid }] as const;
  });
  try {
    print(await inRounds(Object.fromEntries(contenders), { rounds, warmUpSeconds, connections, seconds }));
  } finally {
    for (const { running } of gateways) await running.stop();
    await upstream.stop();
  }
}

function print(results: Map<string, Measured[]>): void {
  const rate = (m: Measured) => m.requestsPerSecond;
  const cpu = (m: Measured) => m.cpuMicrosPerRequest;
  const p99 = (m: Measured) => m.p99Ms;
  const memory = (m: Measured) => m.rssMiB;
  const of = (name: string, figure: (m: Measured) => number) => median(results.get(name)!.map(figure));
  /** Compared round by round, since the machine's speed varies. */
  const ratio = (name: string, to: string, figure: (m: Measured) => number) =>
    median(results.get(name)!.map((m, i) => figure(m) / figure(results.get(to)![i]!)));
  const bare = 'bare Bun proxy';
  const rows: Row[] = [...results.keys()].map((name) => ({
    what: name,
    figures: {
      'req/s': Math.round(of(name, rate)),
      spread: spread(results.get(name)!.map(rate)),
      '× bare': round(ratio(name, bare, rate), 3),
      'CPU µs/req': round(of(name, cpu), 1),
      'CPU × bare': round(ratio(name, bare, cpu)),
      'p99 ms': round(of(name, p99), 1),
      'p99 × bare': round(ratio(name, bare, p99)),
      'memory MiB': Math.round(of(name, memory)),
      failures: results.get(name)!.reduce((sum, m) => sum + m.failures, 0),
    },
  }));
  report('relay', rows, [
    goal('at least 0.65 × the bare proxy', ratio('svc', bare, rate) >= 0.65),
    goal('at most 1.6 × its CPU per request', ratio('svc', bare, cpu) <= 1.6),
    goal(`p99 at ${connections} connections at most 3 × its`, ratio('svc', bare, p99) <= 3),
    goal('memory under load at most 200 MiB', of('svc', memory) <= 200),
    goal('at least 30 × Portkey', ratio('svc', 'Portkey', rate) >= 30),
  ]);
}
