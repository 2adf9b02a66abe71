/**
 * `npm run check`: types, lint, import rules, dead code, figures, patterns, tables, words, dependency audit. All
 * checks run even if one fails, so that one run shows every problem.
 */
import { existsSync } from 'node:fs';
import { auditDependencies } from './audit.ts';
import { step, summarise } from './step.ts';

const bin = (name: string): string => `node_modules/.bin/${name}`;
const rooms = ['server', 'web', 'e2e', 'bench', 'scripts'].filter((folder) => existsSync(folder));

interface Check {
  name: string;
  command: string[];
  env?: Record<string, string>;
}

/** A check ends before the last tier of the JIT is worth its compilation, which took a quarter of the import rules. */
const withoutLastTier = { BUN_JSC_useFTLJIT: '0' };

export const checks: Check[] = [
  {
    name: 'types',
    // A second checker would create many of the same types again. Garbage collection took a third of the processor
    // time, so it only runs above the memory limit, which allows for normal usage.
    command: [bin('tsc'), '--noEmit', '--checkers', '1'],
    env: { GOGC: 'off', GOMEMLIMIT: '3GiB' },
  },
  { name: 'lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  {
    name: 'import rules', // Runs under Bun, because it requires a newer Node than the machine may have.
    command: [process.execPath, '--bun', bin('depcruise'), '--config', '.dependency-cruiser.mjs', ...rooms],
    env: withoutLastTier,
  },
  {
    name: 'dead code', // Runs under Bun, which takes little more than half the processor time for the same result.
    command: [process.execPath, '--bun', bin('knip'), '--no-progress', '--no-config-hints'],
    env: withoutLastTier,
  },
  { name: 'figures', command: [process.execPath, 'scripts/check-figures.ts'] },
  { name: 'patterns', command: [process.execPath, 'scripts/check-patterns.ts'] },
  { name: 'tables', command: [process.execPath, 'scripts/check-tables.ts'] },
  { name: 'words', command: [process.execPath, 'scripts/check-words.ts'] },
];

if (import.meta.main) {
  // The client's types are generated from the OpenAPI document and not committed.
  await step('API types', [process.execPath, 'scripts/api-types.ts']);
  for (const { name, command, env } of checks) await step(name, command, env);
  summarise(await auditDependencies());
}
