/** The user's instructions after the goal; if they contradict the goal or each other, the later one wins. */
export const instructionText = (said: string[]): string =>
  `What the user has said since, in their own words. It binds everything from here on, and goes before what was said earlier:\n\n${said.join('\n\n')}`;

/** The same as a list of prompt parts, empty without instructions. */
export const instructionParts = ({ instructions = [] }: { instructions?: string[] }): string[] =>
  instructions.length === 0 ? [] : [instructionText(instructions)];
