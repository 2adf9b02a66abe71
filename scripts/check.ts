/** `npm run check`: types, lint, import rules, dead code, figures, patterns, words, dependency audit. Every check runs, so one run shows every fault. */
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

export const checks: Check[] = [
  {
    name: 'types',
    // A second checker makes many of the same types again, and a third of the processor time was Go looking for memory to
    // give back: up to what it takes in any case it need not look.
    command: [bin('tsc'), '--noEmit', '--checkers', '1'],
    env: { GOGC: 'off', GOMEMLIMIT: '3GiB' },
  },
  { name: 'lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  {
    name: 'import rules', // Under Bun, because it asks for a newer Node than the machine may have.
    command: [process.execPath, '--bun', bin('depcruise'), '--config', '.dependency-cruiser.mjs', ...rooms],
  },
  {
    name: 'dead code', // Under Bun, because it finds the same in little more than half the processor time.
    command: [process.execPath, '--bun', bin('knip'), '--no-progress', '--no-config-hints'],
    env: { BUN_JSC_useFTLJIT: '0' },
  },
  { name: 'figures', command: [process.execPath, 'scripts/check-figures.ts'] },
  { name: 'patterns', command: [process.execPath, 'scripts/check-patterns.ts'] },
  { name: 'words', command: [process.execPath, 'scripts/check-words.ts'] },
];

if (import.meta.main) {
  // The client's types come from the OpenAPI document and are not committed.
  await step('API types', [process.execPath, 'scripts/api-types.ts']);
  for (const { name, command, env } of checks) await step(name, command, env);
  summarise(await auditDependencies());
}
