/** A test and its result. */
export interface StepResult {
  /** The heading it is listed under. */
  group: string;
  what: string;
  /** Empty if it passed. */
  fault: string;
  /** Why it cannot pass here; a failure without a reason is our own. */
  why?: string | undefined;
}

export const isOurFailure = ({ fault, why }: StepResult): boolean => fault !== '' && why === undefined;

/** Runs one step of a client; an error is its fault. */
export async function step(group: string, what: string, work: () => Promise<unknown>): Promise<StepResult> {
  try {
    await work();
    return { group, what, fault: '' };
  } catch (error) {
    return { group, what, fault: error instanceof Error ? error.message : String(error) };
  }
}
