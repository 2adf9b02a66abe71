/** What was said to a model, as somebody reads it. */
export interface Said {
  role: 'system' | 'user' | 'assistant';
  text: string;
}

/** What was asked and answered. */
export interface Content {
  requestId: string;
  userId: number;
  prompt: Said[];
  /** Null where nobody answered. */
  answer: string | null;
  /** There was more than is kept. */
  cut: boolean;
}

/** Keeps what is asked and answered, where the operator and the user let it. */
export interface Contents {
  /** Whether the operator does. */
  on(): boolean;
  /** Whether the user does; from memory while it is warm. */
  allows(userId: number): boolean | Promise<boolean>;
  /** Off the request's path. */
  note(content: Content): void;
}
