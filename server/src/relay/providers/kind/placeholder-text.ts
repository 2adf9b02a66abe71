/** For vendors that require words where there are none. */
export const placeholderText = '.';
