import { goal, median, type Row, report, round } from '../kit/report.ts';
import { requestsOf } from '../orchestration/requests.ts';
import { alwaysHard, engine, type Outcome, triageAccuracy } from '../orchestration/simulate.ts';
import { eightTasks } from '../orchestration/width.ts';
import { type Mix, worldOf } from '../orchestration/world.ts';

const count = 500;
/** Rules and constants of the engine were settled with seeds 1-14; these had not been run then. */
const seeds: Record<Mix, number[]> = { ordinary: [31, 32, 33, 34, 35], heavy: [31] };
const rounds = 3;

/** Simulated models of known skill and price behind the real engine: what is kept of the strongest model's quality, at which cost. */
export async function orchestration(): Promise<void> {
  const rows: Row[] = [];
  const ordinary = await compare('ordinary', rows);
  await compare('heavy', rows);
  const { tasks, turn } = await widths(rows);
  const quality = ordinary.map(({ on }) => on.quality);
  const cost = ordinary.map(({ on }) => on.cost);
  report('orchestration', rows, [
    `${count} requests a seed; figures are the median of the ordinary mix over seeds ${seeds.ordinary.join(', ')}`,
    `both goals at once in ${ordinary.filter(({ on }) => on.quality >= 0.95 && on.cost <= 0.45).length} of ${ordinary.length} seeds`,
    goal(
      `at least 95 % of always-hard quality, learning (${percent(median(quality))}, lowest ${percent(Math.min(...quality))})`,
      median(quality) >= 0.95,
    ),
    goal(
      `at most 45 % of always-hard cost, learning (${percent(median(cost))}, highest ${percent(Math.max(...cost))})`,
      median(cost) <= 0.45,
    ),
    goal(
      `8 tasks at width 4 at least 2.5 times as fast (tasks ${round(tasks)}, whole turn ${round(turn)})`,
      tasks >= 2.5,
    ),
  ]);
}

interface Share {
  quality: number;
  cost: number;
}
interface Shares {
  off: Share;
  on: Share;
}

const percent = (share: number): string => `${round(share * 100, 1)} %`;

async function compare(mix: Mix, rows: Row[]): Promise<Shares[]> {
  const all: Shares[] = [];
  for (const seed of seeds[mix]) {
    const world = worldOf(seed, mix);
    const requests = requestsOf(world, count);
    const hard = await alwaysHard(world, requests);
    const off = await engine(world, requests, false);
    const on = await engine(world, requests, true);
    const judged = triageAccuracy(requests);
    const name = `${mix}, seed ${seed}`;
    rows.push(row(`${name}: always hard`, hard, hard));
    rows.push(row(`${name}: engine`, off, hard, { 'difficulty judged right': percent(judged.difficulty) }));
    rows.push(row(`${name}: engine, learning`, on, hard));
    all.push({ off: shareOf(off, hard), on: shareOf(on, hard) });
  }
  return all;
}

const shareOf = (outcome: Outcome, hard: Outcome): Share => ({
  quality: outcome.quality / hard.quality,
  cost: outcome.cost / hard.cost,
});

const row = (what: string, outcome: Outcome, hard: Outcome, more: Row['figures'] = {}): Row => ({
  what,
  figures: {
    'done right': percent(outcome.quality),
    'of always hard': percent(outcome.quality / hard.quality),
    'cost, USD': round(outcome.cost, 3),
    'cost of always hard': percent(outcome.cost / hard.cost),
    'second half: quality': percent(outcome.later.quality / hard.later.quality),
    'second half: cost': percent(outcome.later.cost / hard.later.cost),
    calls: outcome.calls,
    'planning, share of cost': percent(outcome.planning / outcome.cost),
    ...more,
  },
});

async function widths(rows: Row[]): Promise<{ tasks: number; turn: number }> {
  const tasks: number[] = [];
  const turn: number[] = [];
  for (let i = 1; i <= rounds; i += 1) {
    const one = await eightTasks(false, i);
    const four = await eightTasks(true, i);
    if (one.atOnce !== 1 || four.atOnce !== 4) throw new Error(`ran ${one.atOnce} and ${four.atOnce} tasks at once`);
    tasks.push(one.tasksMs / four.tasksMs);
    turn.push(one.turnMs / four.turnMs);
    const figures = (timed: typeof one) => ({
      'tasks, ms': Math.round(timed.tasksMs),
      'whole turn, ms': Math.round(timed.turnMs),
    });
    rows.push({ what: `8 tasks one after another, ${i}`, figures: figures(one) });
    rows.push({ what: `8 tasks at width 4, ${i}`, figures: figures(four) });
  }
  return { tasks: median(tasks), turn: median(turn) };
}
