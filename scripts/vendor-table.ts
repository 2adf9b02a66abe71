/** `bun scripts/vendor-table.ts`: writes the vendors of `server/src/lib/vendors/table.ts` into the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vendors } from '../server/src/lib/vendors/table.ts';
import type { Vendor } from '../server/src/lib/vendors/vendor.ts';
import { presetsOf } from '../server/src/routing/catalog/presets.ts';
import { priceEntries } from '../server/src/routing/catalog/price-entries.ts';

const readme = join(import.meta.dir, '../README.md');
const begin = '<!-- vendors: written by bun scripts/vendor-table.ts -->';
const end = '<!-- end of vendors -->';

/** The section of the README that is generated from the rows. */
export function vendorTable(rows: readonly Vendor[]): string {
  const models = Map.groupBy(priceEntries(rows), ({ provider }) => provider);
  const lines = presetsOf(rows).map(({ id, name, env, keyUrl }) => {
    const types = [...new Set((models.get(id) ?? []).map(({ type }) => type))];
    return `| \`${env}\` | ${keyUrl ? `[${name}](${keyUrl})` : name} | ${types.join(', ')} |`;
  });
  return [begin, '', '| variable | provider | models for |', '|---|---|---|', ...lines, '', end].join('\n');
}

export function vendorsInReadme(): string {
  const text = readFileSync(readme, 'utf8');
  return text.slice(text.indexOf(begin), text.indexOf(end) + end.length);
}

if (import.meta.main) {
  const text = readFileSync(readme, 'utf8');
  writeFileSync(
    readme,
    text.replace(vendorsInReadme(), () => vendorTable(vendors)),
  );
}
