/**
 * Finds tables that are plain objects. Looked up by a name from outside, such as `constructor`, a plain object gives
 * what all objects have although it has no such row.
 */
const why = 'gives what all objects have for names such as constructor; use table() of server/src/lib/table.ts';

/** With other keys than `string` the compiler refuses names from outside, unless a cast tells it otherwise. */
const ofAnyName = /^(?:export )?const (\w+): (?:(?:Readonly|Partial)<)*Record<string,/;
const cast = /\b(\w+)\[[\w.]+ as keyof typeof \1\]/g;

export function plainTablesIn(path: string, text: string): string[] {
  // A declaration ends before the next line that is not indented; its value begins after the first ` = `.
  const plain = text.split(/\n(?=\S)/).flatMap((part) => {
    const name = ofAnyName.exec(part)?.[1];
    return name !== undefined && /^\{\s*[^\s}]/.test(part.slice(part.indexOf(' = ') + 3)) ? [name] : [];
  });
  return [...plain, ...Array.from(text.matchAll(cast), ([, name]) => name)].map((name) => `${path}: ${name} ${why}`);
}

if (import.meta.main) {
  const faults: string[] = [];
  for await (const path of new Bun.Glob('server/src/**/*.ts').scan())
    if (!/\.(test|fixture)\.ts$/.test(path)) faults.push(...plainTablesIn(path, await Bun.file(path).text()));
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
