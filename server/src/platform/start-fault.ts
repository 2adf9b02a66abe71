/** Why a start or a command failed, in words an operator can act on. */
export class StartFault extends Error {}
