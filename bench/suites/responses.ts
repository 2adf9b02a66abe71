import { hasWrk, type Measured, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, median, type Row, report, round, spread } from '../kit/report.ts';
import { addChannel, chatBody, startService } from '../kit/service.ts';

const connections = 32;
const rounds = 9;
const seconds = 3;
const warmUpSeconds = 6;

const responsesBody = (store: boolean): string => {
  const { messages, max_tokens, ...chat } = JSON.parse(chatBody());
  const [system, user] = messages as { content: string }[];
  const said = { instructions: system!.content, input: user!.content };
  return JSON.stringify({ ...chat, ...said, max_output_tokens: max_tokens, store });
};

const chat = 'chat';
const unkept = 'responses, store: false';
const kept = 'responses, kept';
const asked: Record<string, { path: string; body: string }> = {
  [chat]: { path: '/v1/chat/completions', body: chatBody() },
  [unkept]: { path: '/v1/responses', body: responsesBody(false) },
  [kept]: { path: '/v1/responses', body: responsesBody(true) },
};

/** The same question to the same chat upstream in both formats, alternating. */
export async function responses(): Promise<void> {
  if (!hasWrk()) return console.log('responses: wrk is not installed (Debian package wrk); skipped');
  const upstream = await startUpstream();
  const service = await startService();
  await addChannel(service, upstream.url);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${service.key}` };
  const results = new Map<string, Measured[]>();
  try {
    for (let turn = 0; turn <= rounds; turn += 1)
      for (const [name, { path, body }] of Object.entries(asked)) {
        const load = { url: service.url + path, method: 'POST', headers, body, connections, pid: service.pid };
        const measured = await run({ ...load, seconds: turn === 0 ? warmUpSeconds : seconds });
        if (turn > 0) results.set(name, [...(results.get(name) ?? []), measured]);
      }
    print(results);
  } finally {
    await service.stop();
    await upstream.stop();
  }
}

function print(results: Map<string, Measured[]>): void {
  const cpu = (name: string) => results.get(name)!.map((m) => m.cpuMicrosPerRequest);
  /** Compared round by round, since the machine's speed varies. */
  const ratio = (name: string) => median(cpu(name).map((micros, i) => micros / cpu(chat)[i]!));
  const rows: Row[] = [...results].map(([name, measured]) => ({
    what: name,
    figures: {
      'req/s': Math.round(median(measured.map((m) => m.requestsPerSecond))),
      'CPU µs/req': round(median(cpu(name)), 1),
      spread: `±${Math.round(spread(cpu(name)) * 100)} %`,
      'CPU × chat': round(ratio(name)),
      failures: measured.reduce((sum, m) => sum + m.failures, 0),
    },
  }));
  report(
    'responses',
    rows,
    [unkept, kept].map((name) => goal(`${name}: CPU at most 1.5 × chat`, ratio(name) <= 1.5)),
  );
}
