import type { Database, SQLQueryBindings } from 'bun:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { prepare, prepared } from './prepared.ts';
import type { Db } from './tables.ts';

/**
 * bun:sqlite is synchronous, so a statement needs no connection of its own. Writes and transactions share the writer.
 * Reads outside a transaction use the reader, which sees only committed data and never waits.
 */
export interface SqliteHandles {
  writer: Database;
  /** The same as `writer` for a database in memory. */
  reader: Database;
  gate: Gate;
}

export function sqliteDialect(handles: SqliteHandles): Dialect {
  return {
    createAdapter: () => new Adapter(handles),
    createDriver: () => new SqliteDriver(handles),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely would lock the single connection it expects; the driver below serialises access itself. */
class Adapter extends SqliteAdapter {
  constructor(readonly handles: SqliteHandles) {
    super();
  }
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The handles below Kysely, for stores with a separate implementation per engine. */
export function sqliteOf(db: Db): SqliteHandles {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof Adapter)) throw new Error('this database is not SQLite');
  return adapter.handles;
}

class SqliteDriver implements Driver {
  constructor(readonly handles: SqliteHandles) {}

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this.handles);
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as SqliteConnection).begin();
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as SqliteConnection).end('commit');
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as SqliteConnection).end('rollback');
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** Admits one transaction at a time to the writer, in order of arrival. */
export class Gate {
  #held = false;
  readonly #waiting: (() => void)[] = [];

  get held(): boolean {
    return this.#held;
  }
  async enter(): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
  async inTurn<T>(work: () => T): Promise<T> {
    await this.enter();
    try {
      return work();
    } finally {
      this.leave();
    }
  }
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#held = false;
  }
}

class SqliteConnection implements DatabaseConnection {
  #inTransaction = false;
  readonly gate: Gate;
  constructor(readonly handles: SqliteHandles) {
    this.gate = handles.gate;
  }

  async begin(): Promise<void> {
    await this.gate.enter();
    try {
      // Immediate: a transaction that reads first and writes later must not fail half-way because it cannot get the
      // lock.
      this.handles.writer.run('begin immediate');
    } catch (error) {
      this.gate.leave();
      throw error;
    }
    this.#inTransaction = true;
  }

  end(how: 'commit' | 'rollback'): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      this.handles.writer.run(how);
    } finally {
      this.gate.leave();
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader } = this.handles;
    if (this.#inTransaction) return run<R>(writer, query);
    if (reader !== writer && isRead(query)) return run<R>(reader, query);
    return this.gate.held ? this.gate.inTurn(() => run<R>(writer, query)) : run<R>(writer, query);
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.handles.reader.query(query.sql).iterate(...bindings(query))) yield { rows: [row as R] };
  }
}

/**
 * Runs `work` as one transaction on the writer, synchronously if the gate is free; `work` must not await. For what
 * every request writes.
 */
export function writeSync<T>(db: Db, work: (writer: Database) => T): T | Promise<T> {
  const { writer, gate } = sqliteOf(db);
  const run = (): T => {
    prepared(writer, 'begin immediate').run();
    try {
      const result = work(writer);
      prepared(writer, 'commit').run();
      return result;
    } catch (error) {
      // A full disk may have rolled back the transaction already.
      if (writer.inTransaction) writer.run('rollback');
      throw error;
    }
  };
  return gate.held ? gate.inTurn(run) : run();
}

/**
 * The first row of a hot statement, synchronously unless a transaction is open on a database in memory. Uses the writer
 * while the gate is free: it sees the same committed data and keeps its page cache, while a reader drops its own at
 * every commit of the writer.
 */
export function readSync<R>(db: Db, sql: string, parameters: SQLQueryBindings[]): R | null | Promise<R | null> {
  const { writer, reader, gate } = sqliteOf(db);
  const first = (handle: Database) => prepared(handle, sql).get(...parameters) as R | null;
  if (!gate.held) return first(writer);
  return reader === writer ? gate.inTurn(() => first(writer)) : first(reader);
}

const bindings = (query: CompiledQuery): SQLQueryBindings[] => query.parameters as SQLQueryBindings[];

function isRead(query: CompiledQuery): boolean {
  if (query.query.kind === 'SelectQueryNode') return true;
  return query.query.kind === 'RawNode' && /^\s*select\b/i.test(query.sql);
}

function run<R>(database: Database, query: CompiledQuery): QueryResult<R> {
  const { statement, hasRows } = prepare(database, query.sql);
  if (hasRows) {
    const rows = statement.all(...bindings(query)) as R[];
    return { rows, numAffectedRows: BigInt(rows.length) };
  }
  const result = statement.run(...bindings(query));
  return { rows: [], numAffectedRows: BigInt(result.changes), insertId: BigInt(result.lastInsertRowid) };
}
