import { each } from '../kit/each.ts';
import { hasWrk, type Measured } from '../kit/load.ts';
import { startBareProxy } from '../kit/peers.ts';
import { type Running, rssBytes } from '../kit/process.ts';
import { goal, report, round } from '../kit/report.ts';
import { cpuBeside, inRounds } from '../kit/rounds.ts';
import { type Service, startService } from '../kit/service.ts';
import { begin, callOf, connect, of2025, ofNewest, startMcpUpstream, throughProxy } from '../kit/tool-calls.ts';

const connections = 32;
const rounds = 7;
const seconds = 3;
const warmUpSeconds = 10;
const many = 1_000;
const bare = 'bare Bun proxy';
const through = 'svc, a 2025 client';
const newest = 'svc, a 2026-07-28 client';

/** Tool calls through the gateway and through a bare proxy, alternating, and then many concurrent sessions. */
export async function mcp(): Promise<void> {
  if (!hasWrk()) return console.log('mcp: wrk is not installed (Debian package wrk); skipped');
  const upstream = await startMcpUpstream();
  const proxy = await startBareProxy(upstream);
  const service = await startService({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  try {
    await connect(service, `${upstream.url}/mcp`);
    const contenders = {
      [bare]: { ...throughProxy(proxy), pid: proxy.pid },
      [through]: { ...(await of2025(service)), pid: service.pid },
      [newest]: { ...ofNewest(service), pid: service.pid },
    };
    const results = await inRounds(contenders, { rounds, warmUpSeconds, connections, seconds });
    print(results, await openMany(service, upstream));
  } finally {
    for (const running of [service, proxy, upstream]) await running.stop();
  }
}

interface Many {
  open: number;
  failures: number;
  kilobytes: number;
}

/** Each client has its own session with the upstream server; all are called once more when all are open. */
async function openMany(service: Service, upstream: Running): Promise<Many> {
  const count = async () => Number(await (await fetch(`${upstream.url}/sessions`)).text());
  const before = { sessions: await count(), bytes: rssBytes(service.pid) };
  const clients: Record<string, string>[] = [];
  const call = async (headers: Record<string, string>): Promise<boolean> => {
    const answer = await fetch(`${service.url}/mcp/bench`, { method: 'POST', headers, body: callOf() });
    return answer.ok && (await answer.text()).includes('Hello to everybody');
  };
  const opened = await each(Array.from({ length: many }), connections, service.pid, async () => {
    const headers = await begin(service);
    clients.push(headers);
    return call(headers);
  });
  const again = await each(clients, connections, service.pid, call);
  return {
    open: (await count()) - before.sessions,
    failures: opened.failures + again.failures,
    kilobytes: (rssBytes(service.pid) - before.bytes) / 1024 / many,
  };
}

function print(results: Map<string, Measured[]>, { open, failures, kilobytes }: Many): void {
  const { rows, ratio } = cpuBeside(results, bare, 'CPU × bare');
  const sessions = { 'open at once': open, 'KB a session': round(kilobytes, 1), failures };
  report(
    'mcp',
    [...rows, { what: 'sessions behind', figures: sessions }],
    [
      ...[through, newest].map((name) => goal(`${name}: CPU at most 1.5 × the bare proxy`, ratio(name) <= 1.5)),
      goal(`${many} sessions open at once, each called again`, open === many && failures === 0),
    ],
  );
}
