import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An interface whose members are types of a vendor's library. */
export interface TypesOf {
  file: string;
  name: string;
}

/**
 * What the compiler has against these values, as JSON, by the member of the interface whose type they should have: the
 * innermost reason, and the value.
 */
export async function typeFaults(types: TypesOf, shown: Record<string, string[]>): Promise<string[]> {
  const { file, name } = types;
  const lines = [
    `import type { ${name} } from ${JSON.stringify(file)}; declare const shown: { [W in keyof ${name}]: (value: ${name}[W]) => void };`,
    // Not written in place, where what the type does not know would be refused: members of ours are welcome beside the vendor's.
    ...Object.entries(shown).flatMap(([member, values]) =>
      values.map((value) => `{ const value = ${value} as const; shown[${JSON.stringify(member)}](value); }`),
    ),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-types-'));
  try {
    const source = join(folder, 'shown.ts');
    await Bun.write(source, lines.join('\n'));
    const said = await compile(source);
    return said
      .split(/\n(?! )/)
      .filter((fault) => fault !== '')
      .map((fault) => {
        const [, number] = /shown\.ts\((\d+),/.exec(fault) ?? [];
        return `${fault.split('\n').at(-1)!.trim()} ${number ? lines[Number(number) - 1] : ''}`;
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compile(source: string): Promise<string> {
  const compiler = join(import.meta.dir, '../../../../node_modules/typescript/lib/tsc.js');
  const options = ['--ignoreConfig', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--noEmit'];
  const modules = ['--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
  const child = Bun.spawn([process.execPath, compiler, ...options, ...modules, source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Response(child.stdout).text();
}
