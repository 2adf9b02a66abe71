/** Why a start or a command failed, in words an operator can act on. */
export class StartFault extends Error {}

/** Begins the reason of a failed step with what the step was for: `mkdir '/x'` alone does not say. */
export async function explained<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StartFault) throw error;
    throw new StartFault(`${what}: ${error instanceof Error ? error.message : error}`);
  }
}
