import type { Report } from '../../routing/plan.ts';
import { noSample, reportOf } from '../dispatch.ts';
import type { OpenCall } from '../open-call.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import type { Ending } from './endings.ts';
import type { Greeted } from './upstream.ts';

/**
 * Reports an upstream's outcome to routing as soon as it is known, as sessions may last an hour, and every later
 * failure.
 */
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

  failed(cause: NonNullable<Ending['cause']>): void {
    const isFault = cause === 'truncated' || cause === 'timeout';
    this.#fail({ outcome: isFault ? 'failure' : 'neutral', cause });
  }

  /** A failed response, with the upstream's reason. */
  responseFailed(details: unknown): void {
    this.#fail(reportOf(readEmbeddedError(details)));
  }

  #fail(why: Pick<Report, 'outcome' | 'cause' | 'status'>): void {
    const report = { ...noSample, ...why, latencyMs: this.greeted.firstMs };
    if (this.#told && why.outcome === 'failure') this.greeted.attempt.failedSince?.(report);
    else this.#tell(report);
  }

  #tell(report: Report): void {
    if (this.#told) return;
    this.#told = true;
    this.greeted.attempt.report(report);
    this.call.plan.close();
  }
}
