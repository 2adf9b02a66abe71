import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client';
import type { ChurnSet } from '../lib/churn-set.ts';
import type { Waiting } from './asked-back.ts';

export type LogMessage = LoggingMessageNotification['params'];

/** What is passed back while a server works on a request. Its signal is made when it is asked for, which few calls take long enough for. */
export interface Passing extends Waiting {
  progress?: ((progress: Progress) => void) | undefined;
  log?(message: LogMessage): void;
}

/** Those who hear what is said in a session. */
export type Hearing = ChurnSet<Passing>;
