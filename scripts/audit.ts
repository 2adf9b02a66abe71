/** Checks shipped dependencies for known vulnerabilities. An unreachable registry does not fail the check. */
import { count } from './step.ts';

const command = ['npm', 'audit', '--omit=dev', '--audit-level=high', '--json', '--fetch-retries=0'];
/** Offline, npm would wait for minutes. */
const mostMs = 30_000;

interface Report {
  auditReportVersion?: number;
  metadata?: { vulnerabilities?: Record<string, number> };
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>;
}

export type Verdict = { state: 'clean' } | { state: 'skipped' } | { state: 'holes'; lines: string[] };

/** Only a report counts: npm also exits with an error, in JSON too, if it could not reach a registry. */
export function judge(output: string): Verdict {
  let report: Report;
  try {
    report = JSON.parse(output);
  } catch {
    return { state: 'skipped' };
  }
  if (report?.auditReportVersion === undefined) return { state: 'skipped' };
  const grave = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    /^(high|critical)$/.test(severity),
  );
  if (grave.length === 0) return { state: 'clean' };
  return { state: 'holes', lines: grave.map(({ name, severity, range }) => `${name} ${range}: ${severity}`) };
}

/** Runs as one step, and returns notes for the summary. */
export async function auditDependencies(): Promise<string[]> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', timeout: mostMs });
  const verdict = judge(await new Response(child.stdout).text());
  if (verdict.state === 'skipped') {
    console.log('- dependency audit skipped: registry not reachable');
    return ['dependency audit skipped: registry not reachable'];
  }
  const clean = verdict.state === 'clean';
  console.log(`${clean ? '✓' : '✗'} dependency audit`);
  if (!clean) console.log(verdict.lines.join('\n'));
  count(clean ? 1 : 0, clean ? 0 : 1, 'dependency audit');
  return [];
}
