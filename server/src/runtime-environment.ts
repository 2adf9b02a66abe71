import { ownProgram } from './platform/own-program.ts';
import needed from './runtime-environment.json' with { type: 'json' };

/**
 * Bun reads some settings from the environment, and only when the process starts:
 * - It runs 256 outgoing requests at once and queues the rest: a gateway with 300 open streams would stall.
 * - Its heap may grow to three times what was in use before it is collected completely. With 1.8 times the service needs
 *   an eighth less memory under load, and no more processor time (ADR 0001).
 * - After collections it returns single pages to the system, and needs them again at once: a twentieth of the processor
 *   time, for no less memory.
 *
 * `npm start` sets them; the single executable and a bare `bun server/src/main.ts` have nobody to do so, hence this: the
 * process replaces itself once (same pid, so signals, supervisors and exit code need no forwarding).
 */
export function enterRuntimeEnvironment(): void {
  // Windows has no execve; there the settings only hold if the environment has them.
  if (Object.keys(needed).every((name) => process.env[name]) || typeof process.execve !== 'function') return;
  const env = Object.fromEntries(Object.entries(process.env).map(([key, value]) => [key, value ?? '']));
  process.execve(process.execPath, [...ownProgram(), ...process.argv.slice(2)], { ...needed, ...env });
}
