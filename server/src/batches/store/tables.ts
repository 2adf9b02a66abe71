import type { Generated, Selectable } from 'kysely';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    files: {
      ref: Generated<number>;
      id: string;
      user_id: number;
      purpose: string;
      filename: string;
      /** While it is uploaded, the reserved size. */
      bytes: number;
      blob: string;
      /** 0 while it is uploaded. */
      ready: number;
      created_at: number;
      expires_at: number | null;
    };
    /** Files uploaded in parts. */
    uploads: {
      id: string;
      user_id: number;
      purpose: string;
      filename: string;
      bytes: number;
      /** Of the resulting file. */
      expiry_seconds: number | null;
      status: 'pending' | 'completed' | 'cancelled';
      file_id: string | null;
      /** A hash of the parts of the file, so that a repeated request gets the same answer. */
      made_of: string | null;
      created_at: number;
      expires_at: number;
    };
    upload_parts: {
      id: string;
      upload_id: string;
      /** While it is uploaded, the reserved size. */
      bytes: number;
      blob: string;
      /** 0 while it is uploaded. */
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
      /** If the results are no file of the user. */
      results_blob: string | null;
      output_seconds: number | null;
      status: string;
      model: string | null;
      metadata: string | null;
      errors: string | null;
      total: Generated<number>;
      succeeded: Generated<number>;
      errored: Generated<number>;
      /** Size of input and results that are no files of the user. */
      bytes: Generated<number>;
      canceled: Generated<number>;
      expired: Generated<number>;
      output_file_id: string | null;
      error_file_id: string | null;
      /** Number of attempts, also after crashes: distinguishes request ids. */
      attempts: Generated<number>;
      created_at: number;
      expires_at: number;
      in_progress_at: number | null;
      finalizing_at: number | null;
      cancelling_at: number | null;
      ended_at: number | null;
      touched_at: number;
    };
    /** The requests of a batch while it is processed. */
    batch_requests: {
      batch_ref: number;
      position: number;
      custom_id: string;
      /** Position of its line in the input. */
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
