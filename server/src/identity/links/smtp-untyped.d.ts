/** The package has no types; this is the part that tests use. */
declare module 'smtp-server' {
  export class SMTPServer {
    constructor(options: {
      disabledCommands: string[];
      onData(
        stream: NodeJS.ReadableStream,
        session: { envelope: { rcptTo: { address: string }[] } },
        done: (error?: Error) => void,
      ): void;
    });
    server: { address(): unknown };
    listen(port: number, host: string, ready: () => void): void;
    close(closed: () => void): void;
  }
}
