/** The circuit breaker of one candidate: a plain value and its transitions. Pure; times are monotonic and passed in. */
export type CircuitState = 'closed' | 'open' | 'half_open';

const failureThreshold = 5;
/**
 * How many of the failures must come from other users to open it for all; fewer may be a coincidence beside one user
 * whose requests fail.
 */
const failuresOfOthers = 2;
const successThreshold = 3;
const recoveryTimeoutMs = 60_000;
const halfOpenMaxRequests = 3;
/** The user id of requests without a user. */
export const noUser = 0;
/**
 * A test request whose outcome is never reported would keep the circuit half-open forever; its slot is freed after
 * this.
 */
const probeLeaseMs = 600_000;

export interface Circuit {
  state: CircuitState;
  /** The users whose requests failed consecutively while the circuit was closed for them: six at most. */
  failures: number[];
  /**
   * Open or half-open for this user only and closed for all others; null for all users. Failures of a single user may
   * be caused by that user's requests and are no reason to reject others.
   */
  blamed: number | null;
  /** Test requests admitted while half-open, and successes among them. */
  probes: number;
  successes: number;
  lastAdmittedMs: number;
  /** When it last opened or closed. */
  changedAtMs: number;
  /**
   * Orders the transitions that processes report to each other; the latest wins. The wall-clock time of the transition,
   * but always greater than that of the previous one, so that reports from a process with a slow clock count too. 0:
   * never changed.
   */
  stampMs: number;
  /** Increases with every transition, so that outcomes of requests sent in an earlier state are ignored. */
  generation: number;
}

export const closedCircuit = (): Circuit => ({
  state: 'closed',
  failures: [],
  blamed: null,
  probes: 0,
  successes: 0,
  lastAdmittedMs: 0,
  changedAtMs: 0,
  stampMs: 0,
  generation: 0,
});

function enter(circuit: Circuit, state: CircuitState): void {
  circuit.state = state;
  circuit.failures = [];
  circuit.probes = 0;
  circuit.successes = 0;
  circuit.generation += 1;
}

/** The state of the circuit for this user. */
export const stateFor = (circuit: Circuit, user: number): CircuitState =>
  circuit.blamed === null || circuit.blamed === user ? circuit.state : 'closed';

export function open(circuit: Circuit, nowMs: number, blamed: number | null = null): void {
  enter(circuit, 'open');
  circuit.blamed = blamed;
  circuit.changedAtMs = nowMs;
}

export function close(circuit: Circuit, nowMs: number): void {
  enter(circuit, 'closed');
  circuit.blamed = null;
  circuit.changedAtMs = nowMs;
}

/** Open → half-open after the recovery timeout. True if it changed. */
export function recover(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state !== 'open' || nowMs - circuit.changedAtMs < recoveryTimeoutMs) return false;
  enter(circuit, 'half_open');
  return true;
}

/** How long until an open circuit admits test requests; 0 for any other. */
export const opensAgainInMs = (circuit: Circuit, nowMs: number): number =>
  circuit.state === 'open' ? Math.max(0, circuit.changedAtMs + recoveryTimeoutMs - nowMs) : 0;

/** Whether a request may be sent now; takes the slot of a test request if half-open. */
export function admit(circuit: Circuit, nowMs: number, user: number): boolean {
  const state = stateFor(circuit, user);
  if (state === 'open') return false;
  if (state === 'half_open') {
    if (circuit.probes >= halfOpenMaxRequests) {
      if (nowMs - circuit.lastAdmittedMs < probeLeaseMs) return false;
      circuit.probes = circuit.successes;
    }
    circuit.probes += 1;
  }
  if (state === circuit.state) circuit.lastAdmittedMs = nowMs;
  return true;
}

/** True if this success closed the circuit. */
export function succeeded(circuit: Circuit, nowMs: number, user: number): boolean {
  const state = stateFor(circuit, user);
  if (state === 'closed' && circuit.failures.length > 0) circuit.failures = [];
  if (state !== 'half_open') return false;
  circuit.successes += 1;
  if (circuit.successes < successThreshold) return false;
  close(circuit, nowMs);
  return true;
}

/** True if this failure opened the circuit, for the user or for all. */
export function failed(circuit: Circuit, nowMs: number, user: number): boolean {
  const state = stateFor(circuit, user);
  if (state === 'open') return false;
  if (state === 'closed') circuit.failures.push(user);
  const whom = state === 'half_open' ? circuit.blamed : whomToBlame(circuit);
  if (whom === undefined) return false;
  open(circuit, nowMs, whom);
  return true;
}

/** Whom consecutive failures open the circuit for: undefined for nobody yet, null for all users. */
function whomToBlame({ failures, blamed }: Circuit): number | null | undefined {
  if (failures.length < failureThreshold) return undefined;
  let most = 0;
  let user = noUser;
  for (const one of failures) {
    const times = failures.filter((other) => other === one).length;
    if (times > most) [most, user] = [times, one];
  }
  if (failures.length - most >= failuresOfOthers) return null;
  if (most < failureThreshold) return undefined;
  // It is already open for one user: a second one means the upstream is at fault.
  return user === noUser || blamed !== null ? null : user;
}

/** Neither success nor failure (429, an invalid request, a disconnected caller): frees the slot of the test request. */
export function released(circuit: Circuit, user: number): void {
  if (stateFor(circuit, user) === 'half_open' && circuit.probes > circuit.successes) circuit.probes -= 1;
}
