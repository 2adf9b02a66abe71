import { type Load, type Measured, run } from './load.ts';
import { median, type Row, round, spread } from './report.ts';

/** The process under load, and what it is asked. */
export type Contender = Pick<Load, 'url' | 'headers' | 'body' | 'pid'>;

interface Pace extends Pick<Load, 'connections' | 'seconds'> {
  rounds: number;
  warmUpSeconds: number;
}

/** Loads each in turn, several times, so that a slow moment affects all of them. */
export async function inRounds(
  contenders: Record<string, Contender>,
  { rounds, warmUpSeconds, connections, seconds }: Pace,
): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>();
  for (let turn = 0; turn <= rounds; turn += 1)
    for (const [name, contender] of Object.entries(contenders)) {
      const load = { ...contender, method: 'POST', connections, seconds: turn === 0 ? warmUpSeconds : seconds };
      const measured = await run(load);
      // The first round is warm-up.
      if (turn > 0) results.set(name, [...(results.get(name) ?? []), measured]);
    }
  return results;
}

/** CPU time per request beside that of the contender `to`: round by round, since the machine's speed varies. */
export function cpuBeside(results: Map<string, Measured[]>, to: string, column: string, digits = 2) {
  const cpu = (name: string) => results.get(name)!.map((m) => m.cpuMicrosPerRequest);
  const ratio = (name: string) => median(cpu(name).map((micros, i) => micros / cpu(to)[i]!));
  const rows: Row[] = [...results].map(([name, measured]) => ({
    what: name,
    figures: {
      'req/s': Math.round(median(measured.map((m) => m.requestsPerSecond))),
      'CPU µs/req': round(median(cpu(name)), 1),
      spread: spread(cpu(name)),
      [column]: round(ratio(name), digits),
      failures: measured.reduce((sum, m) => sum + m.failures, 0),
    },
  }));
  return { rows, ratio };
}
