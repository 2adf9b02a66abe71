/** The command that starts this very program again; a compiled executable carries its own entry point. */
export function ownProgram(): string[] {
  const script = process.argv[1] ?? '';
  return script.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, ...process.execArgv, script];
}
