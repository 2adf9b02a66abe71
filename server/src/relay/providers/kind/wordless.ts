/** Said by a user who said nothing, for vendors that want one to speak first. */
export const wordless = '.';
