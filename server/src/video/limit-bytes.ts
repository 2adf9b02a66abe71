/** The same bytes, aborted above `most`; `exceeded` tells that this was the reason. */
export function limitBytes(
  bytes: Uint8Array | ReadableStream<Uint8Array>,
  most: number,
): { bytes: Uint8Array | ReadableStream<Uint8Array>; exceeded(): boolean } {
  if (bytes instanceof Uint8Array) return { bytes, exceeded: () => false };
  let left = most;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      left -= piece.byteLength;
      if (left < 0) throw new Error(`more than ${most} bytes received`);
      controller.enqueue(piece);
    },
  });
  return { bytes: bytes.pipeThrough(counting), exceeded: () => left < 0 };
}
