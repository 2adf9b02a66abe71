import { startBareProxy, startUpstream } from '../kit/peers.ts';
import { cpuSeconds, type Running, rssBytes } from '../kit/process.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { addChannel, chatBody, startService } from '../kit/service.ts';
import { openStreams, until } from '../kit/streams.ts';

const parallel = 400;
const rounds = 4;
const many = 5_000;

interface Contender {
  running: Running;
  headers: Record<string, string>;
}

/** 400 streams of 60 events each through each relay in turn, and then 5,000 open at once. */
export async function stream(): Promise<void> {
  const upstream = await startUpstream({ EVENT_MS: '50' });
  const service = await startService();
  await addChannel(service, upstream.url);
  const json = { 'content-type': 'application/json' };
  const contenders: Contender[] = [
    { running: await startBareProxy(upstream), headers: json },
    { running: service, headers: { ...json, authorization: `Bearer ${service.key}` } },
  ];
  const cpu = new Map<string, number[]>();
  let whole = true;
  for (let turn = 0; turn <= rounds; turn += 1) {
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
  const memory = await measureMemory();
  print(cpu, whole, memory);
}

/** Memory of streams that are open and quiet: one event a second, everything warm before. */
async function measureMemory(): Promise<{ open: number; kilobytes: number }> {
  const upstream = await startUpstream({ EVENT_MS: '1000' });
  const service = await startService();
  await addChannel(service, upstream.url);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${service.key}` };
  const warm = await openStreams(service.url, headers, chatBody(true), 300);
  await until(() => warm.begun() === 300, 20_000);
  warm.close();
  await Bun.sleep(3_000);
  const before = rssBytes(service.pid);
  const streams = await openStreams(service.url, headers, chatBody(true), many);
  await until(() => streams.begun() === many, 60_000);
  await Bun.sleep(3_000);
  const open = streams.begun();
  const kilobytes = (rssBytes(service.pid) - before) / 1024 / open;
  streams.close();
  await service.stop();
  await upstream.stop();
  return { open, kilobytes };
}

function print(cpu: Map<string, number[]>, whole: boolean, memory: { open: number; kilobytes: number }): void {
  const ms = (name: string) => median(cpu.get(name)!);
  const bare = 'bare Bun proxy';
  const rows: Row[] = [...cpu.keys()].map((name) => ({
    what: name,
    figures: {
      'CPU ms for 400 streams': Math.round(ms(name)),
      spread: `±${Math.round(spread(cpu.get(name)!) * 100)} %`,
      '× bare': round(ms(name) / ms(bare)),
      ...(name === 'svc' && { 'open at once': memory.open, 'KB a stream': round(memory.kilobytes, 1) }),
    },
  }));
  report('stream', rows, [
    goal('every stream came to its end', whole),
    goal('CPU at most 1.5 × the bare relay', ms('svc') <= 1.5 * ms(bare)),
    goal('5,000 streams open at once', memory.open === many),
    goal('under 30 KB a stream', memory.kilobytes < 30),
  ]);
}
