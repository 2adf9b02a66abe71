/** 128 random bits. `crypto.randomUUID` does not exist on pages served over plain HTTP. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
