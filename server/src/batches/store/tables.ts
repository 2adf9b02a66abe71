import type { Generated, Selectable } from 'kysely';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    files: {
      ref: Generated<number>;
      id: string;
      user_id: number;
      purpose: string;
      filename: string;
      /** While it comes in, what is kept free for it. */
      bytes: number;
      blob: string;
      /** 0 while it comes in. */
      ready: number;
      created_at: number;
      expires_at: number | null;
    };
    /** Files that come in parts. */
    uploads: {
      id: string;
      user_id: number;
      purpose: string;
      filename: string;
      bytes: number;
      /** Of the file that it becomes. */
      expiry_seconds: number | null;
      status: 'pending' | 'completed' | 'cancelled';
      file_id: string | null;
      /** A hash of the parts that the file was made of, so that whoever asks again is told the same. */
      made_of: string | null;
      created_at: number;
      expires_at: number;
    };
    upload_parts: {
      id: string;
      upload_id: string;
      /** While it comes in, what is kept free for it. */
      bytes: number;
      blob: string;
      /** 0 while it comes in. */
      ready: number;
      created_at: number;
    };
    batches: {
      ref: Generated<number>;
      id: string;
      user_id: number;
      key_id: number | null;
      wire: string;
      endpoint: string;
      input_file_id: string | null;
      input_blob: string;
      /** Where results are no files of the user's. */
      results_blob: string | null;
      output_seconds: number | null;
      status: string;
      model: string | null;
      metadata: string | null;
      errors: string | null;
      total: Generated<number>;
      succeeded: Generated<number>;
      errored: Generated<number>;
      /** What its input and its results take, where these are no files of the user's. */
      bytes: Generated<number>;
      canceled: Generated<number>;
      expired: Generated<number>;
      output_file_id: string | null;
      error_file_id: string | null;
      /** How often the work on it was begun, after a kill too: names its requests apart. */
      attempts: Generated<number>;
      created_at: number;
      expires_at: number;
      in_progress_at: number | null;
      finalizing_at: number | null;
      cancelling_at: number | null;
      ended_at: number | null;
      touched_at: number;
    };
    /** What a batch consists of, while it is worked on. */
    batch_requests: {
      batch_ref: number;
      position: number;
      custom_id: string;
      /** Where its line is in the input. */
      first_byte: number;
      last_byte: number;
      state: string;
      request_id: string | null;
      status_code: number | null;
      outcome: string | null;
    };
  }
}

import type { Tables } from '../../platform/db/tables.ts';

export type FileRow = Selectable<Tables['files']>;
export type UploadRow = Selectable<Tables['uploads']>;
export type PartRow = Selectable<Tables['upload_parts']>;
export type BatchRow = Selectable<Tables['batches']>;
export type RequestRow = Selectable<Tables['batch_requests']>;
export type Wire = 'openai' | 'anthropic';
export type RequestState = 'pending' | 'succeeded' | 'errored' | 'canceled' | 'expired';
