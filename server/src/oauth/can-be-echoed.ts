/** Whether a text can be echoed exactly: lone surrogates and replacement characters were not what was sent. */
export const canBeEchoed = (text: string): boolean => text.isWellFormed() && !text.includes('\ufffd');
