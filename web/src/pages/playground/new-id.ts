/** 128 bits; `crypto.randomUUID` is missing on pages that came over plain http. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
