/** The command that starts this program again; a compiled executable contains its own entry point. */
export function ownProgram(): string[] {
  const script = process.argv[1] ?? '';
  return script.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, ...process.execArgv, script];
}
