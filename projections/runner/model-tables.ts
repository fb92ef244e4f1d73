import type pg from 'pg'

/**
 * One copy of a read model's tables inside a transaction. In a statement `{name}` stands for the table of that name;
 * such a statement is prepared once per connection, so its text must be one of a few. A statement without one finds
 * its tables by the search path and is not prepared: for SQL whose text varies.
 */
export interface ModelTables {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

/** The tables of a schema over a connection that several read models may share. */
export const modelTables = (client: pg.PoolClient, schema: string): ModelTables => ({
  async query<Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    const { rows } = await inTurn(client, () =>
      sql.includes('{')
        ? client.query<Row>({ ...prepared(schema, sql), values: [...values] })
        : inSearchPath<Row>(client, schema, sql, values),
    )
    return rows
  },
})

/** The last statement of each connection that does not pipeline. */
const last = new WeakMap<pg.PoolClient, Promise<unknown>>()

/** Statements may be sent together; a connection that does not pipeline is given one after the other, in order. */
function inTurn<Result>(client: pg.PoolClient, send: () => Promise<Result>): Promise<Result> {
  if (client.pipeline) return send()
  const answer = (last.get(client) ?? Promise.resolve()).then(send)
  last.set(
    client,
    answer.catch(() => undefined),
  )
  return answer
}

/** Both are queued in one go, so that nobody else's statement comes between them. */
async function inSearchPath<Row extends object>(
  client: pg.PoolClient,
  schema: string,
  sql: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<Row>> {
  const [, result] = await Promise.all([
    client.query(`set local search_path to ${schema}`),
    client.query<Row>(sql, [...values]),
  ])
  return result
}

/** The SQL with `{name}` as the table of that name in a schema. */
export const inPlaceOf = (sql: string, schema: string): string =>
  sql.replaceAll(/\{(\w+)\}/g, `${schema}.$1`)

interface Statement {
  readonly name: string
  readonly text: string
}

/** By schema and text as written; as many as there are statements in the projectors. */
const statements = new Map<string, Statement>()

function prepared(schema: string, sql: string): Statement {
  const key = `${schema} ${sql}`
  const known = statements.get(key)
  if (known !== undefined) return known
  const statement = {
    name: `projection-${statements.size}`,
    text: inPlaceOf(sql, schema),
  }
  statements.set(key, statement)
  return statement
}
