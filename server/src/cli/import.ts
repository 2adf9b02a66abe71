import { nowhere, rowOf } from '../identity/audit/log.ts';
import { insertAudit } from '../identity/audit/store.ts';
import type { Outcome } from '../intake/import-run.ts';
import type { ImportedData } from '../intake/imported-data.ts';
import { readLitellm } from '../intake/litellm/read-litellm.ts';
import { readNewApi } from '../intake/new-api/read-new-api.ts';
import { runImport } from '../intake/run-import.ts';
import { nowSeconds } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { table } from '../lib/table.ts';
import { visible } from '../platform/http/shown-text.ts';
import { type CommandCall, withPlatform } from './command.ts';

/**
 * Prefix for an environment variable that holds the source: a password in an address would show in the process list.
 */
const variable = 'env:';

const gateways = table<(source: string, env: CommandCall['env']) => Promise<ImportedData>>({
  litellm: readLitellm,
  'new-api': readNewApi,
});

/** A dry run; with --yes it imports. Entities imported before are left unchanged. */
export async function importFrom({ config, args, flags, env, print }: CommandCall): Promise<number> {
  const [gateway, given] = args as [string, string];
  const read = gateways[gateway];
  if (!read) {
    print(`Import from ${gateway} is not supported. Supported: ${Object.keys(gateways).join(' and ')}.`);
    return 2;
  }
  const source = given.startsWith(variable) ? env[given.slice(variable.length)] : given;
  if (!source) {
    print(`${given.slice(variable.length)} is not set.`);
    return 1;
  }
  const intake = await read(source, env);
  const write = flags.has('--yes');
  await withPlatform(config, async ({ database: { db }, clock, sealingKeys }) => {
    const outcome = await runImport({ db, clock, sealer: openSealer({ keys: sealingKeys }) }, intake, { write });
    const counts = tell(outcome, (line) => print(visible(line)));
    if (Object.keys(counts).length === 0) return print('There is nothing to import.');
    if (!write) return print('Nothing was written. Run the same command with --yes to import.');
    const after = { from: gateway, ...counts };
    const entry = { action: 'taken_in', actor: 'svc import', after, origin: nowhere };
    await insertAudit(db, [rowOf(entry, nowSeconds(clock))]);
    print('Everything was imported.');
  });
  return 0;
}

/** Prints how many entities of each kind were imported. */
function tell({ before, notes, ...lists }: Outcome, print: (line: string) => void): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [what, lines] of Object.entries(lists)) {
    if (lines.length === 0) continue;
    counts[what] = lines.length;
    print(`${what} (${lines.length}):`);
    for (const line of lines) print(`  ${line}`);
  }
  if (before > 0) print(`${before} were imported before and are left unchanged.`);
  if (notes.length > 0) print('Notes:');
  for (const note of notes) print(`  ${note}`);
  return counts;
}
