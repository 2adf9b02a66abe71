/** An instruction for models that cannot be forced to call a tool; without a name, any. */
export const callInWords = (name?: unknown): string =>
  `Answer with a call of ${typeof name === 'string' ? `the tool '${name}'` : 'one of the tools'}.`;
