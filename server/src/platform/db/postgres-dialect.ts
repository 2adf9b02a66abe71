import type { ReservedSQL, SQL } from 'bun';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';

/**
 * Single statements go straight to Bun's pool, which pipelines them over prepared statements; only a transaction reserves
 * a connection (reserving one per query more than triples its cost).
 */
export function postgresDialect(sql: SQL): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(sql),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  constructor(readonly sql: SQL) {}

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresConnection(this.sql);
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).begin();
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).end('commit');
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).end('rollback');
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class PostgresConnection implements DatabaseConnection {
  #reserved: ReservedSQL | null = null;
  constructor(readonly sql: SQL) {}

  async begin(): Promise<void> {
    const reserved = await this.sql.reserve();
    try {
      await reserved.unsafe('begin');
    } catch (error) {
      reserved.release();
      throw error;
    }
    this.#reserved = reserved;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const reserved = this.#reserved;
    if (!reserved) return;
    this.#reserved = null;
    try {
      await reserved.unsafe(how);
    } finally {
      reserved.release();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await (this.#reserved ?? this.sql).unsafe(query.sql, query.parameters as unknown[]);
    for (const row of result) integersToNumbers(row);
    return { rows: result as R[], numAffectedRows: BigInt(result.count ?? 0) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/** 64-bit integers arrive as BigInt; all of ours (money, times, ids) stay under 2^53. */
function integersToNumbers(row: Record<string, unknown>): void {
  for (const key in row) if (typeof row[key] === 'bigint') row[key] = Number(row[key]);
}
