/** What the user said after the goal; where the two differ, the later word counts. */
export const instructionText = (said: string[]): string =>
  `What the user has said since, in their own words. It binds everything from here on, and goes before what was said earlier:\n\n${said.join('\n\n')}`;

/** For prompts made of parts. */
export const instructionParts = ({ instructions = [] }: { instructions?: string[] }): string[] =>
  instructions.length === 0 ? [] : [instructionText(instructions)];
