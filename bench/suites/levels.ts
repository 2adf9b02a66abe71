import { hasWrk, type Measured, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, median, report, round, spread } from '../kit/report.ts';
import { addChannel, chatBody, type Service, startService } from '../kit/service.ts';

const connections = 64;
const rounds = 11;
const seconds = 4;
const warmUpSeconds = 20;
/** More than the benchmark spends: only the cost of counting is measured. */
const amount = 1e12;
const alone = 'a key of a user';
const within = 'a key with three levels of budgets';

/** An organisation whose owner has a key in a team, with budgets for key, team and organisation. */
async function keyInTeam(service: Service): Promise<string> {
  const post = async (path: string, body: unknown) =>
    ((await service.call(`/api/organisations${path}`, 'POST', body)) as { data: { id: number; key: string } }).data;
  const { id } = await post('', { name: 'bench' });
  const team = await post(`/${id}/teams`, { name: 'bench' });
  const self = (await service.call('/api/user/self', 'GET')) as { data: { id: number } };
  await service.call(`/api/organisations/${id}/teams/${team.id}/members/${self.data.id}`, 'PUT');
  const key = await post(`/${id}/keys`, { name: 'bench', team_id: team.id });
  for (const [level, level_id] of Object.entries({ key: key.id, team: team.id, organisation: id }))
    await post(`/${id}/budgets`, { level, level_id, window: 'month', amount });
  return key.key;
}

/** The same requests to the same process with both keys, alternating: the cost of budgets at three levels. */
export async function levels(): Promise<void> {
  if (!hasWrk()) return console.log('levels: wrk is not installed (Debian package wrk); skipped');
  const upstream = await startUpstream();
  const service = await startService();
  try {
    await addChannel(service, upstream.url);
    const keys = { [alone]: service.key, [within]: await keyInTeam(service) };
    const measure = (key: string, forSeconds: number): Promise<Measured> =>
      run({
        url: `${service.url}/v1/chat/completions`,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: chatBody(),
        connections,
        seconds: forSeconds,
        pid: service.pid,
      });
    const results = new Map<string, Measured[]>(Object.keys(keys).map((name) => [name, []]));
    for (const key of Object.values(keys)) await measure(key, warmUpSeconds);
    for (let turn = 0; turn < rounds; turn += 1) {
      const order = Object.entries(keys);
      // Each goes first equally often.
      for (const [name, key] of turn % 2 === 0 ? order : order.toReversed())
        results.get(name)!.push(await measure(key, seconds));
    }
    print(results);
  } finally {
    await service.stop();
    await upstream.stop();
  }
}

function print(results: Map<string, Measured[]>): void {
  const cpu = (name: string) => results.get(name)!.map((m) => m.cpuMicrosPerRequest);
  /** Compared pair by pair, since the machine's speed varies between rounds. */
  const ratio = median(cpu(within).map((micros, i) => micros / cpu(alone)[i]!));
  const rows = [...results].map(([name, measured]) => ({
    what: name,
    figures: {
      'req/s': Math.round(median(measured.map((m) => m.requestsPerSecond))),
      'CPU µs/req': round(median(cpu(name)), 1),
      spread: `±${Math.round(spread(cpu(name)) * 100)} %`,
      'CPU × alone': name === alone ? 1 : round(ratio, 3),
      failures: measured.reduce((sum, m) => sum + m.failures, 0),
    },
  }));
  report('levels', rows, [goal('budgets at three levels cost at most 5 % more CPU a request', ratio <= 1.05)]);
}
