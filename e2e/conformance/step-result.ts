/** What was tried, and how it went. */
export interface StepResult {
  /** Under which heading it stands. */
  group: string;
  what: string;
  /** Empty where it went as it should. */
  fault: string;
  /** Why it cannot pass here; what has no reason is a failure of ours. */
  why?: string | undefined;
}

export const isOurFailure = ({ fault, why }: StepResult): boolean => fault !== '' && why === undefined;

/** One step of a client; what it throws is how it went. */
export async function step(group: string, what: string, work: () => Promise<unknown>): Promise<StepResult> {
  try {
    await work();
    return { group, what, fault: '' };
  } catch (error) {
    return { group, what, fault: error instanceof Error ? error.message : String(error) };
  }
}
