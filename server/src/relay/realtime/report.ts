import { noSample } from '../dispatch.ts';
import type { OpenCall } from '../open-call.ts';
import type { Ending } from './endings.ts';
import type { Greeted } from './upstream.ts';

/** Tells routing how an upstream does: once, as soon as that is known, as sessions may go on for an hour. */
export class UpstreamReport {
  #told = false;

  constructor(
    readonly call: OpenCall,
    readonly greeted: Greeted,
  ) {}

  well(): void {
    const { firstMs } = this.greeted;
    this.#tell({
      ...noSample,
      outcome: 'success',
      ttftMs: firstMs,
      latencyMs: firstMs,
      wellFormed: true,
      nonEmpty: true,
    });
  }

  /** A response that failed, where there is no other cause. */
  failed(cause: NonNullable<Ending['cause']> = 'server_error'): void {
    const isFault = cause === 'truncated' || cause === 'timeout' || cause === 'server_error';
    const outcome = isFault ? 'failure' : 'neutral';
    this.#tell({ ...noSample, outcome, latencyMs: this.greeted.firstMs, cause });
  }

  #tell(report: Parameters<Greeted['attempt']['report']>[0]): void {
    if (this.#told) return;
    this.#told = true;
    this.greeted.attempt.report(report);
    this.call.plan.close();
  }
}
