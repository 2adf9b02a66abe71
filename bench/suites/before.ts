import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasWrk, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { cpuSeconds, type Running } from '../kit/process.ts';
import { goal, median, report, round, spread } from '../kit/report.ts';
import { addChannel, chatBody, type Service, startService, thisCheckout } from '../kit/service.ts';
import { openStreams, until } from '../kit/streams.ts';

const connections = 64;
const rounds = 11;
const seconds = 4;
const warmUpSeconds = 20;
const parallel = 400;
const streamRounds = 6;

/**
 * Compares this checkout with an earlier commit (BENCH_BEFORE, or the previous one) in alternating pairs: on a machine
 * whose speed varies, nothing else can show a difference of a few per cent.
 */
export async function before(): Promise<void> {
  if (!hasWrk()) return console.log('before: wrk is not installed (Debian package wrk); skipped');
  const commit = process.env.BENCH_BEFORE ?? 'HEAD~1';
  const earlier = checkOut(commit);
  try {
    const requests = await compareRequests(earlier.folder);
    const streams = await compareStreams(earlier.folder);
    report(
      'before',
      [
        { what: 'relay, req/s', figures: figuresOf(requests.perSecond) },
        { what: 'relay, CPU a request', figures: figuresOf(requests.cpu) },
        { what: '400 streams, CPU', figures: figuresOf(streams) },
      ],
      [
        `compared with ${earlier.name}`,
        goal('relay at least 0.97 × the requests per second', median(requests.perSecond) >= 0.97),
        goal('400 streams at most 1.03 × the CPU', median(streams) <= 1.03),
      ],
    );
  } finally {
    earlier.remove();
  }
}

const figuresOf = (ratios: number[]) => ({
  'now / before': round(median(ratios), 3),
  spread: spread(ratios),
  pairs: ratios.length,
});

function git(...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['git', ...args], { cwd: import.meta.dir });
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.toString().trim();
}

/** The earlier commit in its own folder, with its own packages. */
function checkOut(commit: string): { folder: string; name: string; remove(): void } {
  const folder = join(mkdtempSync(join(tmpdir(), 'svc-before-')), 'checkout');
  git('worktree', 'add', '--detach', folder, commit);
  const install = ['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'];
  if (Bun.spawnSync(install, { cwd: folder }).exitCode !== 0) throw new Error(`npm ci failed at ${commit}`);
  return {
    folder,
    name: git('log', '-1', '--format=%h %s', commit),
    remove: () => {
      git('worktree', 'remove', '--force', folder);
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

const headersOf = (service: Service) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${service.key}`,
});

async function withBoth<T>(
  folder: string,
  upstream: Running,
  measure: (now: Service, before: Service) => Promise<T>,
): Promise<T> {
  const now = await startService({}, 'now', thisCheckout);
  const earlier = await startService({}, 'before', folder);
  for (const service of [now, earlier]) await addChannel(service, upstream.url);
  try {
    return await measure(now, earlier);
  } finally {
    for (const running of [now, earlier, upstream]) await running.stop();
  }
}

async function compareRequests(folder: string): Promise<{ perSecond: number[]; cpu: number[] }> {
  const load = (service: Service, forSeconds: number) =>
    run({
      url: `${service.url}/v1/chat/completions`,
      method: 'POST',
      headers: headersOf(service),
      body: chatBody(),
      connections,
      seconds: forSeconds,
      pid: service.pid,
    });
  return withBoth(folder, await startUpstream(), async (now, earlier) => {
    for (const service of [now, earlier]) await load(service, warmUpSeconds);
    const perSecond: number[] = [];
    const cpu: number[] = [];
    for (let turn = 0; turn < rounds; turn += 1) {
      const [ours, theirs] = await inTurns(turn, now, earlier, (service) => load(service, seconds));
      perSecond.push(ours.requestsPerSecond / theirs.requestsPerSecond);
      cpu.push(ours.cpuMicrosPerRequest / theirs.cpuMicrosPerRequest);
    }
    return { perSecond, cpu };
  });
}

async function compareStreams(folder: string): Promise<number[]> {
  const measure = async (service: Service): Promise<number> => {
    const from = cpuSeconds(service.pid);
    const streams = await openStreams(service.url, headersOf(service), chatBody(true), parallel);
    await until(() => streams.ended() === parallel, 60_000);
    streams.close();
    return cpuSeconds(service.pid) - from;
  };
  return withBoth(folder, await startUpstream({ EVENT_MS: '50' }), async (now, earlier) => {
    for (let turn = 0; turn < 2; turn += 1) for (const service of [now, earlier]) await measure(service);
    const ratios: number[] = [];
    for (let turn = 0; turn < streamRounds; turn += 1) {
      const [ours, theirs] = await inTurns(turn, now, earlier, measure);
      ratios.push(ours / theirs);
    }
    return ratios;
  });
}

/** Each goes first equally often. */
async function inTurns<T>(
  turn: number,
  now: Service,
  earlier: Service,
  measure: (service: Service) => Promise<T>,
): Promise<[now: T, before: T]> {
  if (turn % 2 === 0) return [await measure(now), await measure(earlier)];
  const first = await measure(earlier);
  return [await measure(now), first];
}
