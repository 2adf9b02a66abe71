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
  noUser,
  open,
  opensAgainInMs,
  recover,
  released,
  stateFor,
  succeeded,
} from './circuit.ts';

/** Permission to call a candidate. Exactly one of the three outcomes counts; later calls are ignored. */
export interface Permit {
  success(): void;
  failure(): void;
  /** For a 429, an invalid request or a disconnected caller: changes no state, and frees the slot of a test request. */
  neutral(): void;
}

export interface Breaker {
  /** The state for this user; without a user, the state of the circuit, even if it is open for one user only. */
  state(key: string, user?: number): CircuitState;
  /** How long until an open circuit admits test requests. */
  opensAgainInMs(key: string): number;
  /** Wall-clock time when the circuit last opened or closed; 0 if it never did. */
  changedAtMs(key: string): number;
  /** Called at dispatch; null if the circuit blocks. */
  tryAcquire(key: string, user?: number): Permit | null;
  /** The recovery check of the aggregation cycle; also evicts circuits that have been unused for long. */
  recoverAll(): void;
  /** Reads what other processes reported for these keys: at start, and after a lost connection. */
  reread(keys: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

interface BreakerDeps {
  clock: Clock;
  /** Without it the process only knows its own circuits. */
  shared?: Shared;
  /** The keys to read again after messages may have been missed. */
  knownKeys?: () => Promise<Iterable<string>>;
  onTransition?: (key: string, state: CircuitState) => void;
}

const channel = 'routing:breaker';
const storedKey = (key: string): string => `routing:breaker:${key}`;
/** A new process learns of transitions within this time; older ones are outdated by recovery. */
const storedMs = 3_600_000;
/** When a closed circuit is evicted. */
const forgetAfterMs = 3_600_000;
/**
 * When any circuit is evicted: those of deleted channels and keys would otherwise stay forever, also of users' own
 * keys.
 */
const forgetAnyAfterMs = 86_400_000;

const reportSchema = z.object({
  key: z.string(),
  state: z.enum(['open', 'closed']),
  /** The circuit's `stampMs`. */
  atMs: z.number(),
  from: z.string(),
  /** The user it is open for; absent if for all. */
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

/** The permit of one request. Its outcome counts once, and only if the circuit has not changed state since. */
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
 * Processes share two transitions, opened and closed; each derives half-open from its clock. Consecutive failures and
 * test requests are counted per process, so that acquiring a permit never waits for Redis: n processes admit up to 3
 * test requests each, and the first decisive outcome applies to all.
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
        // Redis or the database is gone again; the next reconnect rereads.
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

  tryAcquire(key: string, user = noUser): Permit | null {
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
      // The timestamp comes from another process's clock: never accept one from the future.
      if (report) this.#adopt(report, Math.max(0, this.#deps.clock.nowMs() - report.atMs));
      const circuit = this.#circuits.get(key);
      // Changed while Redis was unavailable, so other processes do not know yet.
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

  /** The circuit after applying transitions that only depend on time. */
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
    // Without Redis each process continues with its own circuits; reread() reconciles them afterwards.
    shared.set(storedKey(key), text, storedMs).catch(() => {});
    shared.publish(channel, text).catch(() => {});
  }

  /** `ageMs` is how long ago it happened; 0 for messages just received. */
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

/**
 * The user another process's report opens the circuit for; null for all, also if the two processes blame different
 * users.
 */
function whomFor({ state, blamed }: Circuit, report: Report): number | null {
  const user = report.user ?? null;
  return state === 'closed' || blamed === user ? user : null;
}

export async function openBreaker(deps: BreakerDeps): Promise<Breaker> {
  const breaker = new SharedBreaker(deps);
  await breaker.subscribe();
  return breaker;
}
