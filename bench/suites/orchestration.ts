import { goal, median, percent, type Row, report, round } from '../kit/report.ts';
import { requestsOf } from '../orchestration/requests.ts';
import { alwaysHard, engine, type Outcome, triageAccuracy } from '../orchestration/simulate.ts';
import { eightTasks } from '../orchestration/width.ts';
import { type Mix, worldOf } from '../orchestration/world.ts';

/**
 * The criterion, fixed before the engine was improved: rules and constants are tuned on the development seeds 1-100
 * alone; the held-out seeds are run only to report. With learning, every single held-out seed of the ordinary mix must
 * keep at least 95 % of always-hard quality at no more than 45 % of its cost. Results without learning, over all seeds,
 * and for the heavy mix are printed without a goal.
 */
const count = 1000;
const heldOut = [201, 202, 203, 204, 205, 206, 207, 208, 209, 210];
const seeds: Record<Mix, number[]> = { ordinary: heldOut, heavy: [201, 202] };
const rounds = 3;

/**
 * Simulated models of known skill and price behind the real engine: how much of the strongest model's quality is kept,
 * at which cost.
 */
export async function orchestration(): Promise<void> {
  const rows: Row[] = [];
  const ordinary = await compare('ordinary', rows);
  await compare('heavy', rows);
  const { tasks, turn } = await widths(rows);
  const met = ordinary.filter(({ on }) => on.quality >= 0.95 && on.cost <= 0.45).length;
  report('orchestration', rows, [
    `${count} requests a seed; held-out seeds ${heldOut.join(', ')}`,
    `pooled, learning: ${together(ordinary, 'on')}; without learning: ${together(ordinary, 'off')}`,
    goal(`both goals at once in every seed, learning (${met} of ${ordinary.length})`, met === ordinary.length),
    goal(
      `at least 95 % of always-hard quality in every seed, learning (${range(ordinary, 'quality')})`,
      least(ordinary) >= 0.95,
    ),
    goal(
      `at most 45 % of always-hard cost in every seed, learning (${range(ordinary, 'cost')})`,
      most(ordinary) <= 0.45,
    ),
    goal(
      `each model down 10 % of the time: quality falls by no more than 2 points in every seed (${round(lost(ordinary), 1)} at most)`,
      lost(ordinary) <= 2,
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
  outcomes: Record<'hard' | 'off' | 'on' | 'down', Outcome>;
}

const least = (all: Shares[]): number => Math.min(...all.map(({ on }) => on.quality));
const most = (all: Shares[]): number => Math.max(...all.map(({ on }) => on.cost));

/** The most quality, in points, that outages cost any seed. */
const lost = (all: Shares[]): number =>
  100 * Math.max(...all.map(({ outcomes }) => outcomes.on.quality - outcomes.down.quality));

function range(all: Shares[], of: keyof Share): string {
  const values = all.map(({ on }) => on[of]);
  return `median ${percent(median(values))}, ${percent(Math.min(...values))} to ${percent(Math.max(...values))}`;
}

/** All requests of all seeds combined. */
function together(all: Shares[], way: 'off' | 'on'): string {
  const sum = (of: 'quality' | 'cost', who: 'hard' | 'off' | 'on') =>
    all.reduce((total, { outcomes }) => total + outcomes[who][of], 0);
  const share = (of: 'quality' | 'cost') => percent(sum(of, way) / sum(of, 'hard'));
  return `${share('quality')} of the quality at ${share('cost')} of the cost`;
}

async function compare(mix: Mix, rows: Row[]): Promise<Shares[]> {
  const all: Shares[] = [];
  for (const seed of seeds[mix]) {
    const world = worldOf(seed, mix);
    const requests = requestsOf(world, count);
    const hard = await alwaysHard(world, requests);
    const off = await engine(world, requests, false);
    const on = await engine(world, requests, true);
    const down = await engine(world, requests, true, true);
    const judged = triageAccuracy(requests);
    const name = `${mix}, seed ${seed}`;
    rows.push(row(`${name}: always hard`, hard, hard));
    rows.push(row(`${name}: engine`, off, hard, { 'difficulty judged right': percent(judged.difficulty) }));
    rows.push(row(`${name}: engine, learning`, on, hard));
    rows.push(row(`${name}: engine, learning, each model down 10 % of the time`, down, hard));
    all.push({ off: shareOf(off, hard), on: shareOf(on, hard), outcomes: { hard, off, on, down } });
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
