/**
 * Runs mixed load for a while: complete answers, streams, clients that disconnect, upstreams that fail. Memory must be
 * flat after the warm-up, and no file descriptor may leak. `npm run test:soak` runs it for a minute (ten with
 * SVC_LONG=1, or SVC_SOAK_SECONDS). `npm test` runs a few thousand requests, however long they take, because the
 * warm-up depends on their number.
 */
import { readdirSync } from 'node:fs';
import { says } from './relay-replies.ts';
import { type Service, startService, until } from './service.ts';
import { refuse, type Script, startUpstream } from './upstream.ts';

export interface Sample {
  second: number;
  rssMiB: number;
  descriptors: number;
}

export interface Soaked {
  requests: number;
  outcomes: Record<string, number>;
  samples: Sample[];
  /** Before the first request and after the last. */
  descriptors: { before: number; after: number } & Trend;
  rssMiB: Trend;
}

/** Medians of the two halves after the warm-up. */
interface Trend {
  early: number;
  late: number;
}

const clients = 48;
/** This process's HTTP client keeps some connections open for reuse; they are not leaks of the service. */
const keptOpen = clients * 2;
const chat = '/v1/chat/completions';
const long = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');

/** Progress so far. */
interface Done {
  seconds: number;
  requests: number;
}

export async function soak(goesOn: (done: Done) => boolean, onSample?: (sample: Sample) => void): Promise<Soaked> {
  const service = await startService();
  const upstreams = startUpstreams();
  try {
    const models = await addModels(service, upstreams);
    const key = await (await service.user(1_000_000_000)).key();
    const descriptors = () => readdirSync(`/proc/${service.pid()}/fd`).length;
    const before = descriptors();
    const samples: Sample[] = [];
    const outcomes: Record<string, number> = {};
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    let requests = 0;
    const going = () => goesOn({ seconds: elapsed(), requests });
    const client = async (index: number): Promise<void> => {
      for (let i = index; going(); i++) {
        requests += 1;
        const outcome = await callOnce(service, key, models, i).catch((error) => `${(error as Error).name}`);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    const watch = async (): Promise<void> => {
      while (going()) {
        await Bun.sleep(500);
        const sample = { second: elapsed(), rssMiB: (await service.rssBytes()) / 2 ** 20, descriptors: descriptors() };
        samples.push(sample);
        onSample?.(sample);
      }
    };
    await Promise.all([watch(), ...Array.from({ length: clients }, (_, index) => client(index))]);
    for (const upstream of upstreams) upstream.stop();
    const settled = () => descriptors() <= before + keptOpen;
    await until('connections are closed', settled).catch(() => {});
    const counted = { before, after: descriptors(), ...trend(samples.map((sample) => sample.descriptors)) };
    return { requests, outcomes, samples, descriptors: counted, rssMiB: trend(samples.map(({ rssMiB }) => rssMiB)) };
  } finally {
    for (const upstream of upstreams) upstream.stop();
    await service.stop();
  }
}

/** Medians, because garbage collection moves single readings by a third. */
function trend(readings: number[]): Trend {
  const warm = readings.slice(Math.floor(readings.length / 3));
  const half = Math.floor(warm.length / 2);
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return { early: median(warm.slice(0, half)), late: median(warm.slice(half)) };
}

/** Failures are occasional: five in a row would open the circuit, and no more failures would be tested. */
const startUpstreams = () => {
  const answers = says('openai', { text: long, usage: { input: 10, output: 60 } }, { everyMs: 1 });
  const cuts = says('openai', { text: long, usage: null }, { cutAfter: 10 });
  const nowAndThen = (one: Script, other: Script): Script => {
    let count = 0;
    return (asked) => (count++ % 6 === 0 ? one : other)(asked);
  };
  return [
    startUpstream(answers),
    startUpstream(nowAndThen(cuts, answers)),
    startUpstream(nowAndThen(() => refuse(500, { error: { message: 'down' } }), answers)),
  ];
};

async function addModels(service: Service, upstreams: ReturnType<typeof startUpstreams>): Promise<string[]> {
  const priced = { kind: 'openai', promptPrice: 1, completionPrice: 1 } as const;
  const models: string[] = [];
  for (const { url } of upstreams) models.push((await service.serve({ ...priced, url })).modelId);
  return models;
}

/**
 * Of ten calls: five streams, two complete answers, one client that disconnects, one cut stream, one upstream failure.
 */
async function callOnce(service: Service, key: string, models: string[], turn: number): Promise<string> {
  const kind = turn % 10;
  const model = models[kind === 8 ? 1 : kind === 9 ? 2 : 0]!;
  const leave = kind === 7 ? new AbortController() : null;
  const body = {
    model,
    messages: [{ role: 'user', content: `hi ${turn}` }],
    max_tokens: 100,
    stream: kind !== 5 && kind !== 6,
  };
  const answer = await service.post(chat, body, { key, ...(leave && { signal: leave.signal }) });
  if (leave) {
    await answer.body!.getReader().read();
    leave.abort();
    return 'left';
  }
  const text = await answer.text();
  if (!answer.ok) return `${answer.status}`;
  return text.includes('"finish_reason":"error"') ? 'cut' : body.stream ? 'streamed' : 'whole';
}

export function describeSoak({ requests, outcomes, rssMiB, descriptors, samples }: Soaked): string {
  const seconds = samples.at(-1)?.second ?? 1;
  return (
    `soak: ${requests} requests in ${seconds.toFixed(0)} s (${Math.round(requests / seconds)}/s) ${JSON.stringify(outcomes)}; ` +
    `RSS ${rssMiB.early.toFixed(0)} → ${rssMiB.late.toFixed(0)} MiB after warm-up; ` +
    `descriptors ${descriptors.early} → ${descriptors.late}, ${descriptors.before} before and ${descriptors.after} at the end`
  );
}

/** What is wrong; empty if nothing is. */
export function faultsOf({ rssMiB, descriptors, outcomes }: Soaked): string[] {
  const faults: string[] = [];
  // Smaller growth is garbage collector noise; a leak of 4 KiB per request shows within seconds at this load.
  if (rssMiB.late > rssMiB.early * 1.15 + 12) faults.push(`memory grew from ${rssMiB.early} to ${rssMiB.late} MiB`);
  if (descriptors.late > descriptors.early * 1.3 + 16)
    faults.push(`descriptors grew from ${descriptors.early} to ${descriptors.late} under load`);
  if (descriptors.after > descriptors.before + keptOpen)
    faults.push(`${descriptors.after} descriptors at the end, ${descriptors.before} at the beginning`);
  for (const kind of ['streamed', 'whole', 'left', 'cut']) if (!outcomes[kind]) faults.push(`no call ended as ${kind}`);
  for (const outcome of Object.keys(outcomes))
    if (!['streamed', 'whole', 'left', 'cut', '502', '503'].includes(outcome)) faults.push(`unexpected: ${outcome}`);
  return faults;
}

if (import.meta.main) {
  const seconds = Number(process.env.SVC_SOAK_SECONDS ?? (process.env.SVC_LONG ? 600 : 60));
  const soaked = await soak(
    (done) => done.seconds < seconds,
    ({ second, rssMiB, descriptors }) => {
      if (Math.round(second * 2) % 20 === 0)
        console.log(`${second.toFixed(0)} s: RSS ${rssMiB.toFixed(0)} MiB, ${descriptors} descriptors`);
    },
  );
  console.log(describeSoak(soaked));
  const faults = faultsOf(soaked);
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
