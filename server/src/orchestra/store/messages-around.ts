import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { spokenText } from '../messages.ts';
import { fromBlob } from '../search/vectors.ts';
import { processInSlices } from '../work-slices.ts';
import './tables.ts';

/** A message and its neighbours, in chronological order. */
export interface MessageContext {
  centre: number;
  ids: number[];
}

/** For each message, up to `reach` neighbours on either side in its session; superseded messages are skipped. */
export async function messagesAround(db: Db, messageIds: number[], reach: number): Promise<MessageContext[]> {
  const rows = await processInSlices(messageIds, async (slice) => {
    const { rows } = await sql<{ centre: number; id: number }>`
      select m.id as centre, x.id from ms_messages m
      join ms_messages x on x.session_ref = m.session_ref and x.superseded = 0
        and x.id >= coalesce((${at('<', 'desc', reach)}), 0) and x.id <= coalesce((${at('>', 'asc', reach)}), ${sql.lit(Number.MAX_SAFE_INTEGER)})
      where m.id in (${sql.join(slice)})`.execute(db);
    return rows;
  });
  const around = Map.groupBy(rows, ({ centre }) => centre);
  return messageIds.map((centre) => {
    const ids = new Set((around.get(centre) ?? []).map(({ id }) => id)).add(centre);
    return { centre, ids: [...ids].sort((a, b) => a - b) };
  });
}

/** The farthest message within reach on one side; none if the session ends before. */
const at = (side: '<' | '>', order: 'asc' | 'desc', reach: number) => sql`
  select y.id from ms_messages y where y.session_ref = m.session_ref and y.superseded = 0 and y.id ${sql.raw(side)} m.id
  order by y.id ${sql.raw(order)} limit 1 offset ${sql.lit(reach - 1)}`;

export interface SpokenMessage {
  text: string;
  vector: Float32Array | null;
  documentId: number | null;
}

/** Texts of messages by id, indexed or not, with their vectors of that model. */
export async function spokenMessages(db: Db, ids: number[], model: string | null): Promise<Map<number, SpokenMessage>> {
  const rows = await processInSlices(ids, (slice) =>
    db
      .selectFrom('ms_messages as m')
      .leftJoin('ms_documents as d', 'd.message_id', 'm.id')
      .leftJoin('ms_vectors as v', (join) => join.onRef('v.document_id', '=', 'd.id').on('v.model', '=', model ?? ''))
      .select(['m.id', 'm.message', 'd.id as document_id', 'v.vector'])
      .where('m.id', 'in', slice)
      .execute(),
  );
  return new Map(
    rows.map(({ id, message, document_id, vector }) => [
      id,
      { text: spokenText(message), vector: vector && fromBlob(vector), documentId: document_id },
    ]),
  );
}
