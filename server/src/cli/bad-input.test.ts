/** Every command with everything that an operator can get wrong: one clear sentence and an exit code, never a stack. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../lib/free-port.fixture.ts';
import { writeMigrated } from '../platform/db/migrated.fixture.ts';
import { commands } from './commands.ts';
import { runCommand } from './run-command.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-bad-input-'));
const at = (name: string): string => join(place, name);
const umask = process.umask(0o077);
const nobodyThere = `127.0.0.1:${freePort()}`;

beforeAll(async () => {
  for (const folder of ['good', 'damaged', 'cut', 'keyed', 'folder.db', 'loop/inner'])
    mkdirSync(at(folder), { recursive: true });
  await writeMigrated(at('good/svc.db'));
  await writeMigrated(at('keyed/svc.db'));
  writeFileSync(at('keyed/encryption.key'), 'not a key');
  writeFileSync(at('damaged/svc.db'), 'this is not a database at all');
  writeFileSync(at('cut/svc.db'), (await Bun.file(at('good/svc.db')).bytes()).subarray(0, 4096 * 3 + 100));
  const odd = new Database(at('odd.db'));
  odd.run("create table channels (id text); insert into channels values ('abc')");
  odd.close();
  writeFileSync(at('file'), 'a file');
  writeFileSync(at('list.yaml'), '- 1');
  writeFileSync(at('broken.yaml'), 'model_list: [');
  writeFileSync(at('empty'), '');
  symlinkSync(at('nowhere'), at('dangling'));
});
afterAll(() => {
  rmSync(place, { recursive: true, force: true });
  process.umask(umask);
});

type Env = Record<string, string>;
const run = async (name: string, args: string[], env: Env) => {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const code = await runCommand(name, args, env, { print: say, complain: say });
  return { code, said: said.join('\n') };
};

const badFolders = ['', 'file', 'file/below', 'nowhere', 'damaged', 'cut', 'dangling', 'empty'];
const badSources = [...badFolders, 'odd.db', 'folder.db', 'list.yaml', 'broken.yaml', 'good/svc.db'];
const further = [
  `postgres://u:hidden-word@${nobodyThere}/x`,
  `mysql://u:hidden-word@${nobodyThere}/x`,
  `u:hidden-word@tcp(${nobodyThere})/x`,
  'postgres://u:hidden-word@[x',
  'http://u:hidden-word@x.test/',
  'env:NOT_SET',
  'env:',
];
const badNames = ['', 'ab', 'a b', 'toString.', 'x'.repeat(33), 'a\nb', '<name>'];

/** The arguments of each command that have to be refused with the data folder as it should be. */
const wrong: Record<string, string[][]> = {
  migrate: [],
  'create-admin': badNames.filter((name) => name !== 'toString.').map((name) => [name]),
  'remove-factors': badNames.map((name) => [name]),
  'rotate-encryption-key': [],
  backup: ['', 'file', 'file/below', 'dangling', 'good'].map((name) => [name && at(name)]),
  restore: badFolders.filter((name) => name !== 'cut').map((name) => [name && at(name)]),
  'copy-to-postgres': [[]],
  import: [
    ...['litellm', 'new-api'].flatMap((gateway) =>
      [...badSources.map((name) => name && at(name)), ...further].map((source) => [gateway, source]),
    ),
    ...['', 'portkey', 'toString', '__proto__'].map((gateway) => [gateway, at('list.yaml')]),
  ],
  health: [[]],
  'check-database': [],
  compact: [],
  doctor: [],
};

/** What every command is given too many, too few or unknown of. */
const misspelt = (name: string): string[][] => {
  const wanted = commands[name]!.takes.split(' ')
    .filter((word) => word.startsWith('<'))
    .map(() => 'some');
  return [
    [...wanted, 'more'],
    [...wanted, '--unknown'],
    [...wanted, '-x'],
    ...(wanted.length > 0 ? [wanted.slice(1)] : []),
  ];
};

const unreachable = { DATABASE_URL: `postgres://u:hidden-word@${nobodyThere}/x` };
/** Surroundings in which no command that needs them can work. */
const surroundings: [string, Env, string[]][] = [
  ['a data folder that is a file', { DATA_DIR: at('file') }, ['health', 'import']],
  ['a data folder below a file', { DATA_DIR: at('file/below') }, ['health', 'import']],
  ['a damaged database', { DATA_DIR: at('damaged') }, ['health', 'restore', 'import']],
  ['half a database', { DATA_DIR: at('cut') }, ['health', 'restore', 'import', 'backup']],
  ['a broken key file', { DATA_DIR: at('keyed') }, ['health', 'restore', 'import', 'check-database', 'backup']],
  [
    'PostgreSQL that is not there',
    { DATA_DIR: at('good'), ...unreachable },
    ['health', 'import', 'check-database', 'compact'],
  ],
  ['a faulty configuration', { PORT: 'eighty', WORKERS: '0' }, []],
];

const sentence = ({ code, said }: { code: number; said: string }, most = 12): void => {
  expect(code).toBeGreaterThan(0);
  expect(said).not.toBe('');
  expect(said).not.toMatch(/^\s+at .*[:(]\d*|\[object|undefined|hidden-word|ZodError|"code":/m);
  expect(said.split('\n').length).toBeLessThanOrEqual(most);
};

test('the tables name every command', () => {
  expect(Object.keys(wrong).toSorted()).toEqual(Object.keys(commands).toSorted());
});

for (const [name, cases] of Object.entries(wrong)) {
  for (const args of cases)
    test(`svc ${name} ${args.map((arg) => JSON.stringify(arg.replace(place, ''))).join(' ')} is refused in words`, async () => {
      const before = existsSync(at('good')) && readdirSync(at('good'));
      sentence(await run(name, args, { DATA_DIR: at('good'), PORT: nobodyThere.split(':')[1]! }));
      expect(readdirSync(at('good')).filter((file) => file === 'restoring')).toEqual([]);
      expect(before).toContain('svc.db');
    });
  for (const args of misspelt(name))
    test(`svc ${name} ${args.join(' ')} shows the usage`, async () => {
      const answer = await run(name, args, { DATA_DIR: at('good') });
      expect(answer.code).toBe(2);
      expect(answer.said).toStartWith(`Usage: svc ${name}`);
    });
}

const anArgument: Record<string, string[]> = {
  'create-admin': ['newcomer'],
  'remove-factors': ['newcomer'],
  backup: [at('made')],
  restore: [at('good')],
  import: ['litellm', at('list.yaml')],
};
for (const [what, env, unconcerned] of surroundings)
  for (const name of Object.keys(commands).filter((one) => !unconcerned.includes(one)))
    test(`svc ${name} with ${what} says so`, async () => {
      sentence(await run(name, anArgument[name] ?? [], { PORT: nobodyThere.split(':')[1]!, ...env }));
      expect(existsSync(at('made'))).toBe(false);
    });

/** These may come before the first start, or are about other things than the database. */
const makesOne = ['migrate', 'create-admin', 'restore', 'import', 'health', 'doctor'];
for (const name of Object.keys(commands).filter((one) => !makesOne.includes(one)))
  test(`svc ${name} without a database makes none`, async () => {
    const answer = await run(name, anArgument[name] ?? [], { DATA_DIR: at('mistyped') });
    sentence(answer);
    if (name !== 'copy-to-postgres')
      expect(answer.said).toBe(`There is no database in ${at('mistyped')}. Check DATA_DIR.`);
    expect(existsSync(at('mistyped'))).toBe(false);
  });
test('svc create-admin says when it makes a database', async () => {
  const create = () => run('create-admin', ['newcomer'], { DATA_DIR: at('new'), ADMIN_PASSWORD: 'a fine password' });
  const made = `There was no database in ${at('new')}: a new one was created.\nnewcomer is made administrator.`;
  expect(await create()).toEqual({ code: 0, said: made });
  expect((await create()).said).toBe('newcomer is now administrator.');
});

test('a backup that fails half way leaves nothing that looks like one', async () => {
  for (const folder of ['half', 'half-made']) {
    if (folder === 'half-made') mkdirSync(at(folder));
    sentence(await run('backup', [at(folder)], { DATA_DIR: at('cut') }));
    expect(existsSync(at(folder)) ? readdirSync(at(folder)) : []).toEqual([]);
  }
});

test('a backup is made while files come and go', async () => {
  const blobs = at('good/blobs');
  for (const part of ['data', 'types', 'incoming']) mkdirSync(join(blobs, part), { recursive: true });
  writeFileSync(join(blobs, 'data/kept'), 'kept');
  const churn =
    'while :; do for n in 1 2 3 4 5 6 7 8; do : > data/$n; : > incoming/$n; done; rm data/? incoming/?; done';
  const child = Bun.spawn(['sh', '-c', churn], { cwd: blobs, stdout: 'ignore', stderr: 'ignore' });
  try {
    for (let i = 0; i < 30; i += 1) {
      expect(await run('backup', [at(`churn-${i}`)], { DATA_DIR: at('good') })).toMatchObject({ code: 0 });
      expect(await Bun.file(at(`churn-${i}/blobs/data/kept`)).text()).toBe('kept');
      expect(readdirSync(at(`churn-${i}/blobs`))).not.toContain('incoming');
    }
  } finally {
    child.kill();
    await child.exited;
    rmSync(blobs, { recursive: true });
  }
});
