import { z } from '@hono/zod-openapi';
import type { Clock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import type { Shared } from '../platform/shared/port.ts';
import {
  admit,
  type Circuit,
  type CircuitState,
  close,
  closedCircuit,
  failed,
  open,
  recover,
  released,
  succeeded,
} from './circuit.ts';

export type { CircuitState } from './circuit.ts';

/** Leave to call a candidate. Exactly one of the three counts; later calls are ignored. */
export interface Permit {
  success(): void;
  failure(): void;
  /** 429, the request's own fault, a caller that left: moves nothing, gives a test request's place back. */
  neutral(): void;
}

export interface Breaker {
  state(key: string): CircuitState;
  /** When the circuit last opened or closed; 0 when it never did. */
  changedAtMs(key: string): number;
  /** Taken at dispatch; null when the circuit blocks. */
  tryAcquire(key: string): Permit | null;
  /** The recovery check of the aggregation cycle; also forgets circuits that have been closed and quiet for an hour. */
  recoverAll(): void;
  /** Reads what other processes have reported of these keys; at start, and after a lost connection. */
  reread(keys: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

export interface BreakerDeps {
  clock: Clock;
  /** Without it the process keeps its own circuits. */
  shared?: Shared;
  /** Keys to read again after messages may have been missed. */
  knownKeys?: () => Iterable<string>;
  onTransition?: (key: string, state: CircuitState) => void;
}

const channel = 'routing:breaker';
const storedKey = (key: string): string => `routing:breaker:${key}`;
/** A newcomer learns of transitions this long after them; older ones have been overtaken by recovery. */
const storedMs = 3_600_000;
const forgetAfterMs = 3_600_000;

const reportSchema = z.object({
  key: z.string(),
  state: z.enum(['open', 'closed']),
  atMs: z.number(),
  from: z.string(),
});
type Report = z.infer<typeof reportSchema>;

function parseReport(text: string): Report | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Processes share the two changes that an outcome makes, opened and closed; half-open follows from the clock in each.
 * Failures in a row and test requests are counted per process, so that asking for a permit never waits for Redis:
 * n processes let through up to 3 test requests each, and the first outcome that decides, decides for all.
 */
export async function openBreaker(deps: BreakerDeps): Promise<Breaker> {
  const { clock, shared, onTransition } = deps;
  const circuits = new Map<string, Circuit>();
  const self = randomString(12);

  const circuitOf = (key: string): Circuit => {
    let circuit = circuits.get(key);
    if (!circuit) {
      circuit = closedCircuit();
      circuits.set(key, circuit);
    }
    return circuit;
  };

  const current = (key: string): Circuit | undefined => {
    const circuit = circuits.get(key);
    if (circuit && circuit.state === 'open' && recover(circuit, clock.nowMs())) onTransition?.(key, 'half_open');
    return circuit;
  };

  const tell = (key: string, circuit: Circuit): void => {
    if (!shared || circuit.state === 'half_open') return;
    const report: Report = { key, state: circuit.state, atMs: circuit.changedAtMs, from: self };
    const text = JSON.stringify(report);
    // While Redis is away each process goes on with its own circuits; reread() mends it afterwards.
    shared.set(storedKey(key), text, storedMs).catch(() => {});
    shared.publish(channel, text).catch(() => {});
  };

  const changed = (key: string, circuit: Circuit): void => {
    onTransition?.(key, circuit.state);
    tell(key, circuit);
  };

  const adopt = (report: Report): void => {
    if (report.from === self) return;
    const circuit = circuitOf(report.key);
    if (report.atMs <= circuit.changedAtMs) return;
    if (report.state === 'open') open(circuit, report.atMs);
    else close(circuit, report.atMs);
    onTransition?.(report.key, circuit.state);
    current(report.key);
  };

  const reread = async (keys: Iterable<string>): Promise<void> => {
    if (!shared) return;
    await Promise.all(
      [...new Set(keys)].map(async (key) => {
        const text = await shared.get(storedKey(key));
        const report = text === null ? null : parseReport(text);
        if (report) adopt(report);
        const circuit = circuits.get(key);
        // Opened while Redis was away: the others have not heard of it yet.
        if (circuit && circuit.changedAtMs > (report?.atMs ?? 0)) tell(key, circuit);
      }),
    );
  };

  const unsubscribe = await shared?.subscribe(
    channel,
    (text) => {
      const report = parseReport(text);
      if (report) adopt(report);
    },
    () => {
      reread([...(deps.knownKeys?.() ?? []), ...circuits.keys()]).catch(() => {});
    },
  );

  const permitFor = (key: string, circuit: Circuit): Permit => {
    const { generation } = circuit;
    let used = false;
    const counts = (): boolean => {
      const first = !used;
      used = true;
      return first && circuit.generation === generation;
    };
    return {
      success: () => {
        if (counts() && succeeded(circuit, clock.nowMs())) changed(key, circuit);
      },
      failure: () => {
        if (counts() && failed(circuit, clock.nowMs())) changed(key, circuit);
      },
      neutral: () => {
        if (counts()) released(circuit);
      },
    };
  };

  return {
    state: (key) => current(key)?.state ?? 'closed',
    changedAtMs: (key) => circuits.get(key)?.changedAtMs ?? 0,
    tryAcquire: (key) => {
      const circuit = current(key) ?? circuitOf(key);
      return admit(circuit, clock.nowMs()) ? permitFor(key, circuit) : null;
    },
    recoverAll: () => {
      const now = clock.nowMs();
      for (const [key, circuit] of circuits) {
        current(key);
        const quiet = circuit.state === 'closed' && circuit.failures === 0;
        const lastUsedMs = Math.max(circuit.changedAtMs, circuit.lastAdmittedMs);
        if (quiet && now - lastUsedMs > forgetAfterMs) circuits.delete(key);
      }
    },
    reread,
    close: async () => {
      await unsubscribe?.();
    },
  };
}
