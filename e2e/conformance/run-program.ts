/** Programs of others, each within a time of its own: none keeps a run from ending. */

export interface Program {
  command: string[];
  env?: Record<string, string | undefined>;
  mostMs: number;
  /** Given all that it has said so far, whenever there is more. What it throws ends the program, and what it has begun is waited for. */
  heard?: (said: string) => unknown;
}

/** What it said, when it has ended by itself and whoever listened is done. */
export async function runProgram({ command, env = process.env, mostMs, heard = () => {} }: Program): Promise<string> {
  // A group of its own: programs start others, which would go on, and keep what they say open.
  const child = Bun.spawn(command, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  const stopped = Promise.withResolvers<never>();
  const fail = (error: unknown) => stopped.reject(error);
  const tooLong = setTimeout(() => {
    const last = said.trim().slice(-500) || 'nothing';
    fail(new Error(`it did not end within ${Math.round(mostMs / 1_000)} s; the last it said: ${last}`));
  }, mostMs);
  const listening: Promise<unknown>[] = [];
  const hear = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      said += decoder.decode(chunk, { stream: true });
      listening.push(Promise.resolve(said).then(heard).catch(fail));
    }
  };
  try {
    const ended = Promise.all([hear(child.stdout), hear(child.stderr), child.exited]).then(() =>
      Promise.all(listening),
    );
    await Promise.race([ended, stopped.promise]);
    return said;
  } finally {
    clearTimeout(tooLong);
    if (child.exitCode === null) endGroup(child.pid);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Of the page that a program sends its user to; none while it is only half said. */
export const signInPageIn = (said: string): string | undefined =>
  /(https?:\/\/\S+\/oauth2\/authorize\?[^\s"'\\]+)[\s"'\\]/.exec(said)?.[1];
