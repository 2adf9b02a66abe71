/** A generator as a stream, with each chunk produced on demand. */
export const streamOf = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // Lets the generator close what it reads from, if the reader gives up.
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
