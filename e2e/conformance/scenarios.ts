/** The protocol's own tests, run through the gateway. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Glob } from 'bun';
import { approveConsent } from './approve-consent.ts';
import { type Program, runProgram, signInPageIn } from './run-program.ts';
import type { StepResult } from './step-result.ts';
import { startKeyed, type World } from './world.ts';

export const program = join(import.meta.dir, 'programs/node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Scenarios that do not apply to this gateway or that it does not pass, by the start of their name. */
const reasons: Record<string, string> = {
  'tasks-status-notifications':
    'the scenario has no checks yet (its authors are rewriting it); the gateway sends no task notifications, clients poll their tasks',
  'server-sse-polling':
    'an answer without earlier notifications is sent as JSON, so there are no events to resume from (not required by the revision: pending)',
};

const reasonFor = (scenario: string): string | undefined =>
  Object.entries(reasons).find(([beginning]) => scenario.startsWith(beginning))?.[1];

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** All scenarios of a revision take half a minute on an idle machine; the program itself gives each 30 s. */
const mostMs = 10 * 60_000;

/** Runs the tests and reads the results of each scenario; `heard` gets the output as it arrives. */
export async function run(
  group: string,
  args: string[],
  more: Pick<Program, 'heard' | 'env'> = {},
): Promise<StepResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  const command = [process.execPath, program, ...args, '--output-dir', folder];
  let stopped = '';
  const output = await runProgram({ command, mostMs, ...more }).catch((error: Error) => {
    stopped = error.message;
    return '';
  });
  // Results up to then count, and not finishing is a fault like any other.
  const unfinished: StepResult[] = stopped ? [{ group, what: 'ends', fault: stopped }] : [];
  const seen = [...new Glob('**/checks.json').scanSync(folder)]
    .map((path) => dirname(path))
    .toSorted()
    .map((name): StepResult => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
      const scenario = name.replace(/^(authorization-server|server)-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      const told = (wanted: Check['status'][]): string =>
        checks
          .filter(({ status }) => wanted.includes(status))
          .map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`)
          .join('; ');
      // A client that fails where the test expects success has failed, whatever was checked before.
      const overall = /OVERALL: FAILED/.test(output) ? `the client failed: ${output.trim().slice(-300)}` : '';
      const fault = told(['FAILURE']) || (overall && told(['WARNING'])) || overall;
      if (fault) return { group, what: scenario, fault, why: reasonFor(scenario) };
      if (checks.some(({ status }) => status === 'SUCCESS')) return { group, what: scenario, fault: '' };
      // A scenario without a successful check has not passed.
      const nothing = `it showed nothing: ${told(['SKIPPED', 'WARNING', 'INFO'])}`;
      return { group, what: scenario, fault: nothing, why: reasonFor(scenario) ?? nothing };
    });
  rmSync(folder, { recursive: true });
  if (seen.length === 0 && !stopped) throw new Error(`no scenario was run: ${output}`);
  return [...seen, ...unfinished];
}

/** Servers of each era behind the gateway, each called in its own revision. */
export async function serverScenarios({ service }: World): Promise<StepResult[]> {
  const keyed = startKeyed(service);
  const seen: StepResult[] = [];
  for (const [revision, server, behind] of [
    ['2025-11-25', 'sessions', 'a server with sessions'],
    ['2026-07-28', 'modern', 'a server of 2026-07-28'],
  ] as const) {
    const args = ['server', '--url', `${keyed.url}/mcp/${server}`, '--requirements', revision];
    seen.push(...(await run(`Revision ${revision}, ${behind} behind`, args)));
  }
  keyed.stop();
  return seen;
}

/** Our authorization server, with a client that registers itself and a user who consents in a browser. */
export async function authorizationScenarios({ service, site }: World, port: number): Promise<StepResult[]> {
  const registered = await fetch(`${service.url}/api/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Conformance',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  let agreed: Promise<void> | undefined;
  const heard = (output: string) => {
    const url = signInPageIn(output);
    // Without a browser the test would wait for five minutes.
    if (url && !site) throw new Error('no browser was found, in which somebody could agree');
    if (url && site) agreed ??= approveConsent(site, url);
    return agreed;
  };
  const resource = `${service.url}/mcp/modern`;
  const args = ['--url', service.url, '--client-id', client_id, '--resource', resource, '--port', `${port}`];
  return run('The authorization server', ['authorization', ...args], { heard });
}
