import { expect, test } from 'bun:test';
import { commands, readArguments, usage } from './commands.ts';

test.each([
  ['', '', []],
  ['<folder>', 'monday', ['monday']],
  ['<folder> [--force]', 'monday', ['monday']],
  ['<folder> [--force]', '--force monday', ['monday', '--force']],
  ['', '--port 4000', null],
  ['[--new]', '--nwe', null],
  ['[--new]', 'new', null],
  ['<folder>', '', null],
  ['<folder>', 'monday tuesday', null],
  ['<folder> [--force]', 'monday --froce', null],
])('what takes "%s" and is given "%s" reads %p', (takes, given, read) => {
  const taken = readArguments(takes, given.split(' ').filter(Boolean));
  expect(taken && [...taken.args, ...taken.flags]).toEqual(read);
});

test('the usage text has every command with its arguments', () => {
  for (const [name, { takes, help }] of Object.entries(commands))
    expect(usage()).toMatch(new RegExp(`^  ${RegExp.escape(`${name} ${takes}`.trim())} +${RegExp.escape(help)}$`, 'm'));
});
