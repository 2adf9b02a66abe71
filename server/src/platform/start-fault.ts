/** What keeps a start or a command from its work, said in words an operator can act on. */
export class StartFault extends Error {}
