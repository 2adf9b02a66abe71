/** The circuit breaker of one candidate (spec §3.3): a plain value and the moves on it. Nothing here knows the time. */
export type CircuitState = 'closed' | 'open' | 'half_open';

const failureThreshold = 5;
const successThreshold = 3;
const recoveryTimeoutMs = 60_000;
const halfOpenMaxRequests = 3;
/** A test request whose outcome never comes would keep the circuit half-open for good; its place is free again after this. */
const probeLeaseMs = 600_000;

export interface Circuit {
  state: CircuitState;
  /** Failures in a row while closed. */
  failures: number;
  /** Test requests let through and successes among them, while half-open. */
  probes: number;
  successes: number;
  lastAdmittedMs: number;
  /** When it last opened or closed; the younger of two reports from different processes wins. */
  changedAtMs: number;
  /** Counts up with every change of state, so that the outcome of a request sent in an earlier state has no say. */
  generation: number;
}

export const closedCircuit = (): Circuit => ({
  state: 'closed',
  failures: 0,
  probes: 0,
  successes: 0,
  lastAdmittedMs: 0,
  changedAtMs: 0,
  generation: 0,
});

function enter(circuit: Circuit, state: CircuitState): void {
  circuit.state = state;
  circuit.failures = 0;
  circuit.probes = 0;
  circuit.successes = 0;
  circuit.generation += 1;
}

export function open(circuit: Circuit, nowMs: number): void {
  enter(circuit, 'open');
  circuit.changedAtMs = nowMs;
}

export function close(circuit: Circuit, nowMs: number): void {
  enter(circuit, 'closed');
  circuit.changedAtMs = nowMs;
}

/** Open → half-open once the recovery timeout has passed. True when it moved. */
export function recover(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state !== 'open' || nowMs - circuit.changedAtMs < recoveryTimeoutMs) return false;
  enter(circuit, 'half_open');
  return true;
}

/** Whether a request may go now; takes a test request's place when half-open. */
export function admit(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state === 'open') return false;
  if (circuit.state === 'half_open') {
    if (circuit.probes >= halfOpenMaxRequests) {
      if (nowMs - circuit.lastAdmittedMs < probeLeaseMs) return false;
      circuit.probes = circuit.successes;
    }
    circuit.probes += 1;
  }
  circuit.lastAdmittedMs = nowMs;
  return true;
}

/** True when the circuit closed by it. */
export function succeeded(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state === 'closed') {
    circuit.failures = 0;
    return false;
  }
  if (circuit.state !== 'half_open') return false;
  circuit.successes += 1;
  if (circuit.successes < successThreshold) return false;
  close(circuit, nowMs);
  return true;
}

/** True when the circuit opened by it. */
export function failed(circuit: Circuit, nowMs: number): boolean {
  if (circuit.state === 'open') return false;
  circuit.failures += 1;
  if (circuit.state === 'closed' && circuit.failures < failureThreshold) return false;
  open(circuit, nowMs);
  return true;
}

/** Neither success nor failure (429, the caller's own error, a caller that left): the place is given back. */
export function released(circuit: Circuit): void {
  if (circuit.state === 'half_open' && circuit.probes > circuit.successes) circuit.probes -= 1;
}
