/** One message of a prompt, as readable text. */
export interface Said {
  role: 'system' | 'user' | 'assistant';
  text: string;
}

/** A request's prompt and answer. */
export interface Content {
  requestId: string;
  userId: number;
  prompt: Said[];
  /** Null if there was no answer. */
  answer: string | null;
  /** Whether it was truncated. */
  cut: boolean;
}

/** Stores prompts and answers, if both the operator and the user allow it. */
export interface Contents {
  /** Whether the operator allows it. */
  on(): boolean;
  /** Whether the user allows it; synchronous while the cache is warm. */
  allows(userId: number): boolean | Promise<boolean>;
  /** Written asynchronously, off the request path. */
  note(content: Content): void;
}
