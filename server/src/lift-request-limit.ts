import { ownProgram } from './platform/own-program.ts';

/**
 * Bun runs 256 outgoing requests at once and queues the rest, and reads BUN_CONFIG_MAX_HTTP_REQUESTS only when the
 * process starts: a gateway with 300 open streams would stall. `npm start` sets it; the single executable and a bare
 * `bun server/src/main.ts` have nobody to do so, hence this: the process replaces itself once (same pid, so signals,
 * supervisors and exit code need no forwarding).
 */
export function liftRequestLimit(): void {
  const name = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
  // Windows has no execve; there the limit stays unless the environment lifts it.
  if (process.env[name] || typeof process.execve !== 'function') return;
  const env = Object.fromEntries(Object.entries(process.env).map(([key, value]) => [key, value ?? '']));
  process.execve(process.execPath, [...ownProgram(), ...process.argv.slice(2)], { ...env, [name]: '65535' });
}
