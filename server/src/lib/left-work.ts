/** Why a process leaves work that outlives it in the middle: the reason its signal is aborted with. */
export class LeftWork extends Error {
  constructor(
    message: string,
    /** Somebody else goes on with it; false where it was ended. */
    readonly goesOn = true,
  ) {
    super(message);
  }
}

export const isHandedOver = ({ reason }: AbortSignal): boolean => reason instanceof LeftWork && reason.goesOn;
