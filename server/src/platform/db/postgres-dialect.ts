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
import type { PostgresPool, Transaction } from './postgres-pool.ts';

/**
 * Single statements go straight to Bun's pool, which pipelines prepared statements; only a transaction reserves a
 * connection (reserving one per query more than triples its cost).
 */
export function postgresDialect(pool: PostgresPool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  constructor(readonly pool: PostgresPool) {}

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return new PostgresConnection(this.pool);
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
  #transaction: Transaction | null = null;
  constructor(readonly pool: PostgresPool) {}

  async begin(): Promise<void> {
    this.#transaction = await this.pool.begin();
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    await transaction?.end(how);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await (this.#transaction ?? this.pool).unsafe(query.sql, query.parameters as unknown[]);
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
