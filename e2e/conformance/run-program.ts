/** Third-party programs, each with a time limit, so that none blocks a run. */

export interface Program {
  command: string[];
  env?: Record<string, string | undefined>;
  mostMs: number;
  /** Called with all output so far whenever there is more. If it throws, the program is ended; a pending call is awaited. */
  heard?: (said: string) => unknown;
}

/** Resolves to the output when the program has ended and the listener is done. */
export async function runProgram({ command, env = process.env, mostMs, heard = () => {} }: Program): Promise<string> {
  // In its own process group, because programs start others, which would keep running and keep the output open.
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
    // It has ended in the meantime.
  }
}

/** The sign-in page that a program prints; undefined while the line is incomplete. */
export const signInPageIn = (said: string): string | undefined =>
  /(https?:\/\/\S+\/oauth2\/authorize\?[^\s"'\\]+)[\s"'\\]/.exec(said)?.[1];
