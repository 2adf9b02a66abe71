import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client';
import type { ChurnSet } from '../lib/churn-set.ts';
import type { Waiting } from './server-questions.ts';

export type LogMessage = LoggingMessageNotification['params'];

/**
 * Callbacks for a request in progress. Its signal is created on access, because few calls take long enough to need it.
 */
export interface RequestCallbacks extends Waiting {
  progress?: ((progress: Progress) => void) | undefined;
  log?(message: LogMessage): void;
}

/** The requests that receive a session's notifications. */
export type RequestListeners = ChurnSet<RequestCallbacks>;
