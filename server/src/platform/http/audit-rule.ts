import type { State } from '../../lib/changes.ts';

interface Looked {
  name?: string;
  state: State;
  /** What it is a part of, where acts are told under that instead, with the name of the part. */
  partOf?: { type: string; id: number };
}

/** A kind of thing that is acted on. */
export interface Subject {
  type: string;
  /** One of them as it is now, or null when there is none; absent where its state says nothing. */
  look?(id: number | string): Promise<Looked | null>;
}

/** How a call that succeeded is told in the audit log. */
export interface AuditRule<C> {
  action: string | ((call: C) => string);
  subject: Subject;
  /** Which one is looked at before and after. Of what is made only the answer tells, which is not there before. */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the shape of its own answer
  id(call: C, answer?: any): number | string | undefined;
  /** Told besides what changed. */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the shape of its own answer
  also?(call: C, answer: any): State;
}
