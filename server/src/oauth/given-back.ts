/** Of what is given back as it came: half a surrogate pair, and what stands for bytes that were no UTF-8, are not what was sent. */
export const canBeGivenBack = (text: string): boolean => text.isWellFormed() && !text.includes('\ufffd');
