/** The circuit breaker of one candidate: a plain value and the moves on it. Nothing here asks for the time; it is steady time. */
export type CircuitState = 'closed' | 'open' | 'half_open';

const failureThreshold = 5;
/** Of the failures that open it for all; fewer may be a stray one beside a user whose own requests fail. */
const failuresOfOthers = 2;
const successThreshold = 3;
const recoveryTimeoutMs = 60_000;
const halfOpenMaxRequests = 3;
/** Who asks on nobody's behalf. */
export const nobody = 0;
/** A test request whose outcome never comes would keep the circuit half-open for good; its place is free again after this. */
const probeLeaseMs = 600_000;

export interface Circuit {
  state: CircuitState;
  /** Whose requests failed in a row while it was closed to them: six at most. */
  failures: number[];
  /**
   * Open or half-open for this user alone, closed for everybody else; null for all. What only ever fails for one user may
   * be the doing of that user's requests, and is no reason to turn the others away.
   */
  blamed: number | null;
  /** Test requests let through and successes among them, while half-open. */
  probes: number;
  successes: number;
  lastAdmittedMs: number;
  /** When it last opened or closed. */
  changedAtMs: number;
  /**
   * Orders the changes that processes tell each other; the last wins. The time of day of the change, but always more than
   * that of the change before it, so that a process whose clock is behind is believed like any other. 0: never changed.
   */
  stampMs: number;
  /** Counts up with every change of state, so that the outcome of a request sent in an earlier state has no say. */
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

/** The circuit as this user sees it. */
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

/** Open → half-open once the recovery timeout has passed. True when it moved. */
export function recover(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state !== 'open' || nowMs - circuit.changedAtMs < recoveryTimeoutMs) return false;
  enter(circuit, 'half_open');
  return true;
}

/** When an open circuit lets test requests through; now for any other. */
export const opensAgainInMs = (circuit: Circuit, nowMs: number): number =>
  circuit.state === 'open' ? Math.max(0, circuit.changedAtMs + recoveryTimeoutMs - nowMs) : 0;

/** Whether a request may go now; takes a test request's place when half-open. */
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

/** True when the circuit closed by it. */
export function succeeded(circuit: Circuit, nowMs: number, user: number): boolean {
  const state = stateFor(circuit, user);
  if (state === 'closed' && circuit.failures.length > 0) circuit.failures = [];
  if (state !== 'half_open') return false;
  circuit.successes += 1;
  if (circuit.successes < successThreshold) return false;
  close(circuit, nowMs);
  return true;
}

/** True when the circuit opened by it, for the user or for all. */
export function failed(circuit: Circuit, nowMs: number, user: number): boolean {
  const state = stateFor(circuit, user);
  if (state === 'open') return false;
  if (state === 'closed') circuit.failures.push(user);
  const whom = state === 'half_open' ? circuit.blamed : whomToBlame(circuit);
  if (whom === undefined) return false;
  open(circuit, nowMs, whom);
  return true;
}

/** Whom the failures in a row open it for: undefined for nobody yet, null for all. */
function whomToBlame({ failures, blamed }: Circuit): number | null | undefined {
  if (failures.length < failureThreshold) return undefined;
  let most = 0;
  let user = nobody;
  for (const one of failures) {
    const times = failures.filter((other) => other === one).length;
    if (times > most) [most, user] = [times, one];
  }
  if (failures.length - most >= failuresOfOthers) return null;
  if (most < failureThreshold) return undefined;
  // A second user for whom nothing works.
  return user === nobody || blamed !== null ? null : user;
}

/** Neither success nor failure (429, the caller's own error, a caller that left): the place is given back. */
export function released(circuit: Circuit, user: number): void {
  if (stateFor(circuit, user) === 'half_open' && circuit.probes > circuit.successes) circuit.probes -= 1;
}
