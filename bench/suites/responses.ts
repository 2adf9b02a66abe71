import { hasWrk, type Measured } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, report } from '../kit/report.ts';
import { cpuBeside, inRounds } from '../kit/rounds.ts';
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
  const contenders = Object.entries(asked).map(
    ([name, { path, body }]) => [name, { url: service.url + path, headers, body, pid: service.pid }] as const,
  );
  try {
    print(await inRounds(Object.fromEntries(contenders), { rounds, warmUpSeconds, connections, seconds }));
  } finally {
    await service.stop();
    await upstream.stop();
  }
}

function print(results: Map<string, Measured[]>): void {
  const { rows, ratio } = cpuBeside(results, chat, 'CPU × chat');
  report(
    'responses',
    rows,
    [unkept, kept].map((name) => goal(`${name}: CPU at most 1.5 × chat`, ratio(name) <= 1.5)),
  );
}
