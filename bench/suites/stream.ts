import { startBareProxy, startUpstream } from '../kit/peers.ts';
import { cpuSeconds, type Running, rssBytes } from '../kit/process.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { addChannel, chatBody, startService } from '../kit/service.ts';
import { openStreams, until } from '../kit/streams.ts';

const parallel = 400;
const rounds = 4;
/** Until the JIT compilers have settled: a gateway runs for weeks. */
const warmUps = 2;
const many = 5_000;
const bare = 'bare Bun proxy';
const json = { 'content-type': 'application/json' };

interface Contender {
  running: Running;
  headers: Record<string, string>;
}

interface Memory {
  open: number;
  kilobytes: number;
}

const bareContender = async (upstream: Running): Promise<Contender> => ({
  running: await startBareProxy(upstream),
  headers: json,
});

async function serviceContender(upstream: Running): Promise<Contender> {
  const service = await startService();
  await addChannel(service, upstream.url);
  return { running: service, headers: { ...json, authorization: `Bearer ${service.key}` } };
}

/** 400 streams of 60 events each through each relay in turn, and then 5,000 open at once. */
export async function stream(): Promise<void> {
  const upstream = await startUpstream({ EVENT_MS: '50' });
  const contenders = [await bareContender(upstream), await serviceContender(upstream)];
  const cpu = new Map<string, number[]>();
  let whole = true;
  for (let turn = 1 - warmUps; turn <= rounds; turn += 1) {
    for (const { running, headers } of contenders) {
      const before = cpuSeconds(running.pid);
      const streams = await openStreams(running.url, headers, chatBody(true), parallel);
      await until(() => streams.ended() === parallel, 30_000);
      whole &&= streams.ended() === parallel;
      streams.close();
      if (turn > 0)
        cpu.set(running.name, [...(cpu.get(running.name) ?? []), (cpuSeconds(running.pid) - before) * 1000]);
    }
  }
  for (const { running } of contenders) await running.stop();
  await upstream.stop();
  const memory = new Map<string, Memory>();
  for (const name of [bare, 'svc']) memory.set(name, await measureMemory(name));
  print(cpu, whole, memory);
}

/** Memory of open, quiet streams: one event per second, everything warmed up before. */
async function measureMemory(name: string): Promise<Memory> {
  const upstream = await startUpstream({ EVENT_MS: '1000' });
  const { running, headers } = name === bare ? await bareContender(upstream) : await serviceContender(upstream);
  const warm = await openStreams(running.url, headers, chatBody(true), 300);
  await until(() => warm.begun() === 300, 20_000);
  warm.close();
  await Bun.sleep(3_000);
  const before = rssBytes(running.pid);
  const streams = await openStreams(running.url, headers, chatBody(true), many);
  await until(() => streams.begun() === many, 60_000);
  await Bun.sleep(3_000);
  const open = streams.begun();
  const kilobytes = (rssBytes(running.pid) - before) / 1024 / open;
  streams.close();
  await running.stop();
  await upstream.stop();
  return { open, kilobytes };
}

function print(cpu: Map<string, number[]>, whole: boolean, memory: Map<string, Memory>): void {
  const ms = (name: string) => median(cpu.get(name)!);
  const { open, kilobytes } = memory.get('svc')!;
  const rows: Row[] = [...cpu.keys()].map((name) => ({
    what: name,
    figures: {
      'CPU ms for 400 streams': Math.round(ms(name)),
      spread: spread(cpu.get(name)!),
      '× bare': round(ms(name) / ms(bare)),
      'open at once': memory.get(name)!.open,
      'KB a stream': round(memory.get(name)!.kilobytes, 1),
    },
  }));
  report('stream', rows, [
    goal('every stream came to its end', whole),
    goal('CPU at most 1.5 × the bare relay', ms('svc') <= 1.5 * ms(bare)),
    goal('5,000 streams open at once', open === many),
    goal('under 30 KB a stream', kilobytes < 30),
  ]);
}
