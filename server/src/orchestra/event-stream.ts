/** Server-sent events to one reader. */
export interface EventStream {
  stream: ReadableStream<Uint8Array>;
  send(data: unknown): void;
  /** Ends the stream, with a last line of data where one is due. */
  end(last?: string): void;
}

/** Between two signs of life, so that no proxy takes a quiet stream for a dead one (contract §5). */
const pingMs = 15_000;

export function newEventStream(onCancel: () => void): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let open = true;
  const write = (text: string) => {
    if (open) controller.enqueue(encoder.encode(text));
  };
  const ping = setInterval(() => write(': ping\n\n'), pingMs);
  ping.unref();
  const close = () => {
    open = false;
    clearInterval(ping);
  };
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      close();
      onCancel();
    },
  });
  return {
    stream,
    send: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    end(last) {
      if (last !== undefined) write(`data: ${last}\n\n`);
      if (!open) return;
      close();
      controller.close();
    },
  };
}
