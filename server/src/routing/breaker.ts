import { z } from 'zod';
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
  nobody,
  open,
  opensAgainInMs,
  recover,
  released,
  stateFor,
  succeeded,
} from './circuit.ts';

/** Leave to call a candidate. Exactly one of the three counts; later calls are ignored. */
export interface Permit {
  success(): void;
  failure(): void;
  /** 429, the request's own fault, a caller that left: moves nothing, gives a test request's place back. */
  neutral(): void;
}

export interface Breaker {
  /** As this user sees it; without one, as it stands, whomever it is open for. */
  state(key: string, user?: number): CircuitState;
  /** How long until a circuit that is open lets test requests through. */
  opensAgainInMs(key: string): number;
  /** The time of day when the circuit last opened or closed; 0 when it never did. */
  changedAtMs(key: string): number;
  /** Taken at dispatch; null when the circuit blocks. */
  tryAcquire(key: string, user?: number): Permit | null;
  /** The recovery check of the aggregation cycle; also forgets circuits that have been quiet for long. */
  recoverAll(): void;
  /** Reads what other processes have reported of these keys; at start, and after a lost connection. */
  reread(keys: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

interface BreakerDeps {
  clock: Clock;
  /** Without it the process keeps its own circuits. */
  shared?: Shared;
  /** Keys to read again after messages may have been missed. */
  knownKeys?: () => Promise<Iterable<string>>;
  onTransition?: (key: string, state: CircuitState) => void;
}

const channel = 'routing:breaker';
const storedKey = (key: string): string => `routing:breaker:${key}`;
/** A newcomer learns of transitions this long after them; older ones have been overtaken by recovery. */
const storedMs = 3_600_000;
/** Of one that is closed. */
const forgetAfterMs = 3_600_000;
/** Of any: what belongs to a channel or a key that is gone would stay for good, and users come and go with keys of their own. */
const forgetAnyAfterMs = 86_400_000;

const reportSchema = z.object({
  key: z.string(),
  state: z.enum(['open', 'closed']),
  /** The circuit's `stampMs`. */
  atMs: z.number(),
  from: z.string(),
  /** Whom it is open for; absent for all. */
  user: z.number().optional(),
});
type Report = z.infer<typeof reportSchema>;

function parseReport(text: string): Report | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** One request's leave; what it reports counts once, and only if the circuit has not changed state since. */
class CircuitPermit implements Permit {
  readonly #generation: number;
  #used = false;

  constructor(
    readonly key: string,
    readonly circuit: Circuit,
    readonly user: number,
    readonly clock: Clock,
    readonly changed: (key: string, circuit: Circuit) => void,
  ) {
    this.#generation = circuit.generation;
  }

  #counts(): boolean {
    const first = !this.#used;
    this.#used = true;
    return first && this.circuit.generation === this.#generation;
  }

  success(): void {
    if (this.#counts() && succeeded(this.circuit, this.clock.steadyMs(), this.user))
      this.changed(this.key, this.circuit);
  }

  failure(): void {
    if (this.#counts() && failed(this.circuit, this.clock.steadyMs(), this.user)) this.changed(this.key, this.circuit);
  }

  neutral(): void {
    if (this.#counts()) released(this.circuit, this.user);
  }
}

/**
 * Processes share the two changes that an outcome makes, opened and closed; half-open follows from the clock in each.
 * Failures in a row and test requests are counted per process, so that asking for a permit never waits for Redis:
 * n processes let through up to 3 test requests each, and the first outcome that decides, decides for all.
 */
class SharedBreaker implements Breaker {
  readonly #circuits = new Map<string, Circuit>();
  readonly #self = randomString(12);
  readonly #deps: BreakerDeps;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(deps: BreakerDeps) {
    this.#deps = deps;
  }

  async subscribe(): Promise<void> {
    this.#unsubscribe = await this.#deps.shared?.subscribe(
      channel,
      (text) => {
        const report = parseReport(text);
        if (report) this.#adopt(report, 0);
      },
      () => {
        // Redis or the database went away again; the next gap rereads.
        this.#rereadAll().catch(() => {});
      },
    );
  }

  state(key: string, user?: number): CircuitState {
    const circuit = this.#current(key);
    if (!circuit) return 'closed';
    return user === undefined ? circuit.state : stateFor(circuit, user);
  }

  opensAgainInMs(key: string): number {
    const circuit = this.#current(key);
    return circuit ? opensAgainInMs(circuit, this.#deps.clock.steadyMs()) : 0;
  }

  changedAtMs(key: string): number {
    const { clock } = this.#deps;
    const circuit = this.#circuits.get(key);
    return circuit && circuit.stampMs > 0 ? clock.nowMs() - (clock.steadyMs() - circuit.changedAtMs) : 0;
  }

  tryAcquire(key: string, user = nobody): Permit | null {
    const { clock } = this.#deps;
    const circuit = this.#current(key) ?? this.#circuitOf(key);
    if (!admit(circuit, clock.steadyMs(), user)) return null;
    return new CircuitPermit(key, circuit, user, clock, this.#changed);
  }

  readonly #changed = (key: string, circuit: Circuit): void => {
    circuit.stampMs = Math.max(this.#deps.clock.nowMs(), circuit.stampMs + 1);
    this.#deps.onTransition?.(key, circuit.state);
    this.#tell(key, circuit);
  };

  recoverAll(): void {
    const now = this.#deps.clock.steadyMs();
    for (const [key, circuit] of this.#circuits) {
      this.#current(key);
      const quiet = circuit.state === 'closed' && circuit.failures.length === 0;
      const lastUsedMs = Math.max(circuit.changedAtMs, circuit.lastAdmittedMs);
      if (now - lastUsedMs > (quiet ? forgetAfterMs : forgetAnyAfterMs)) this.#circuits.delete(key);
    }
  }

  async reread(keys: Iterable<string>): Promise<void> {
    const { shared } = this.#deps;
    if (!shared) return;
    const readOne = async (key: string): Promise<void> => {
      const text = await shared.get(storedKey(key));
      const report = text === null ? null : parseReport(text);
      // Its time is another's time of day: nothing of the future is believed.
      if (report) this.#adopt(report, Math.max(0, this.#deps.clock.nowMs() - report.atMs));
      const circuit = this.#circuits.get(key);
      // Changed while Redis was away: the others have not heard of it yet.
      if (circuit && circuit.stampMs > (report?.atMs ?? 0)) this.#tell(key, circuit);
    };
    await Promise.all([...new Set(keys)].map(readOne));
  }

  async #rereadAll(): Promise<void> {
    const known = (await this.#deps.knownKeys?.()) ?? [];
    await this.reread([...known, ...this.#circuits.keys()]);
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }

  #circuitOf(key: string): Circuit {
    let circuit = this.#circuits.get(key);
    if (!circuit) {
      circuit = closedCircuit();
      this.#circuits.set(key, circuit);
    }
    return circuit;
  }

  /** The circuit as of now: time alone may have moved it. */
  #current(key: string): Circuit | undefined {
    const circuit = this.#circuits.get(key);
    if (circuit?.state === 'open' && recover(circuit, this.#deps.clock.steadyMs())) {
      this.#deps.onTransition?.(key, 'half_open');
    }
    return circuit;
  }

  #tell(key: string, circuit: Circuit): void {
    const { shared } = this.#deps;
    if (!shared || circuit.state === 'half_open') return;
    const { state, stampMs: atMs, blamed } = circuit;
    const report: Report = { key, state, atMs, from: this.#self, ...(blamed !== null && { user: blamed }) };
    const text = JSON.stringify(report);
    // While Redis is away each process goes on with its own circuits; reread() mends it afterwards.
    shared.set(storedKey(key), text, storedMs).catch(() => {});
    shared.publish(channel, text).catch(() => {});
  }

  /** `ageMs`: how long ago it happened; what is heard, happens now. */
  #adopt(report: Report, ageMs: number): void {
    if (report.from === this.#self) return;
    const circuit = this.#circuitOf(report.key);
    if (report.atMs <= circuit.stampMs) return;
    const changedAtMs = this.#deps.clock.steadyMs() - ageMs;
    if (report.state === 'open') open(circuit, changedAtMs, whomFor(circuit, report));
    else close(circuit, changedAtMs);
    circuit.stampMs = report.atMs;
    this.#deps.onTransition?.(report.key, circuit.state);
    this.#current(report.key);
  }
}

/** Whom it is open for when another process says so: where the two have different users in mind, for all. */
function whomFor({ state, blamed }: Circuit, report: Report): number | null {
  const user = report.user ?? null;
  return state === 'closed' || blamed === user ? user : null;
}

export async function openBreaker(deps: BreakerDeps): Promise<Breaker> {
  const breaker = new SharedBreaker(deps);
  await breaker.subscribe();
  return breaker;
}
