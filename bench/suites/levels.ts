import { hasWrk, type Measured, run } from '../kit/load.ts';
import { startUpstream } from '../kit/peers.ts';
import { goal, report } from '../kit/report.ts';
import { cpuBeside } from '../kit/rounds.ts';
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
  const { rows, ratio } = cpuBeside(results, alone, 'CPU × alone', 3);
  const met = ratio(within) <= 1.05;
  report('levels', rows, [goal('budgets at three levels cost at most 5 % more CPU a request', met)]);
}
