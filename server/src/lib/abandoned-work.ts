/** Why a process abandons durable work: the reason of its abort signal. */
export class AbandonedWork extends Error {
  constructor(
    message: string,
    /** Whether another process continues it; false if it was cancelled. */
    readonly goesOn = true,
  ) {
    super(message);
  }
}

export const isHandedOver = ({ reason }: AbortSignal): boolean => reason instanceof AbandonedWork && reason.goesOn;
