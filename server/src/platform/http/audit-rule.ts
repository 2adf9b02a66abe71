import type { State } from '../../lib/changes.ts';

interface Looked {
  name?: string;
  state: State;
  /** The entity it belongs to, if acts are recorded under that one instead, with the part's name. */
  partOf?: { type: string; id: number };
}

/** A kind of entity that acts are recorded about. */
export interface Subject {
  type: string;
  /** The entity's current state, or null if it does not exist; absent if its state is of no interest. */
  look?(id: number | string): Promise<Looked | null>;
}

/** How a successful call is recorded in the audit log. */
export interface AuditRule<C> {
  action: string | ((call: C) => string);
  subject: Subject;
  /**
   * Id of the entity, read before and after. For a new entity only the answer knows the id, and it has no state before.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the shape of its own answer
  id(call: C, answer?: any): number | string | undefined;
  /** Recorded in addition to what changed. */
  // biome-ignore lint/suspicious/noExplicitAny: each route knows the shape of its own answer
  also?(call: C, answer: any): State;
}
