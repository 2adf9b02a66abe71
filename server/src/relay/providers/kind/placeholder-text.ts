/** Placeholder user message, for vendors that require one first. */
export const placeholderText = '.';
