import type { Pool, PoolClient } from 'pg'
import {
  createDriverFactory,
  createPool,
  type DatabasePool,
  type DriverFactory,
  type DriverQueryResult,
  type Interceptor,
  SchemaValidationError,
} from 'slonik'

/**
 * Typed queries over a pool of pg's: `db.any(sql.type(row)`select …`)` answers rows that the zod type has checked, in
 * the order of the query. The connections are the pool's, with its limits, timeouts and types; each is given back as soon
 * as nobody waits for one. Throws a SchemaValidationError for a row that is not as its type says.
 */
export const openTypedQueries = (
  pool: Pool,
  options: TypedQueriesOptions = {},
): Promise<DatabasePool> =>
  createPool(POOLS_OWN_ADDRESS, {
    driverFactory: connectionsOf(pool, options.arePrepared === true ? nameOf : nameless),
    interceptors: [checkedRows],
    // All wait in the queue of the pool, which has a limit of time.
    maxPoolSize: Number.MAX_SAFE_INTEGER,
    idleTimeout: GIVEN_BACK_AFTER_MS,
    // The caller decides whether to try again.
    connectionRetryLimit: 0,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    // Queries leave nothing behind in a session.
    resetConnection: async () => undefined,
    // Amid a transaction, other tables are read on another connection, such as the names of users for an export.
    dangerouslyAllowForeignConnections: true,
  })

export interface TypedQueriesOptions {
  /**
   * Each connection plans a query once, not every time that it is asked: for short queries of tables with many
   * partitions, whose planning takes ten times as long as they do. Their texts must be few. Default false.
   */
  readonly arePrepared?: boolean
}

/** Names of prepared queries by their texts. Texts beyond the most are not prepared: a connection keeps what it has planned. */
const NAMES = new Map<string, string>()
const NAMES_MAX = 500

function nameOf(text: string): string | undefined {
  const known = NAMES.get(text)
  if (known !== undefined || NAMES.size === NAMES_MAX) return known
  const name = `typed-${NAMES.size}`
  NAMES.set(text, name)
  return name
}

const nameless = (): undefined => undefined

/** slonik wants an address, which this driver does not look at. */
const POOLS_OWN_ADDRESS = 'postgresql://'
const GIVEN_BACK_AFTER_MS = 1

const connectionsOf = (pool: Pool, name: (text: string) => string | undefined): DriverFactory =>
  createDriverFactory(async () => ({
    async createPoolClient({ clientEventEmitter }) {
      let client: PoolClient | null = null
      let isBroken = false
      const connected = (): PoolClient => {
        if (client === null) throw new Error('the connection is not open')
        return client
      }
      const onError = (error: Error): void => {
        isBroken = true
        clientEventEmitter.emit('error', error)
      }
      return {
        async connect() {
          client = await pool.connect()
          client.on('error', onError)
        },
        async end() {
          connected().off('error', onError)
          connected().release(isBroken)
        },
        async query(text, values) {
          // The server rolls back when the connection is given up; one that fell silent would be waited for again.
          if (isBroken && text === 'ROLLBACK') return noRows()
          try {
            // BEGIN and the like come without values, and take several statements at a time.
            const query =
              values === undefined ? text : { name: name(text), text, values: [...values] }
            const { command, fields, rowCount, rows } = await connected().query(query)
            return {
              command: command as 'SELECT',
              fields: fields.map(({ dataTypeID, name }) => ({ dataTypeId: dataTypeID, name })),
              rowCount,
              rows,
            }
          } catch (error) {
            // It may be inside a transaction, or of no use.
            isBroken = true
            throw error
          }
        },
        stream() {
          throw new Error('Tollgate reads page by page')
        },
      }
    },
  }))

const noRows = (): DriverQueryResult => ({ command: 'SELECT', fields: [], rowCount: 0, rows: [] })

/** slonik leaves it to an interceptor to check rows. */
const checkedRows: Interceptor = {
  name: 'checked-rows',
  transformRow({ resultParser }, query, row) {
    const checked = resultParser?.['~standard'].validate(row) ?? { value: row }
    if (checked instanceof Promise) throw new Error('types of rows check without waiting')
    if (checked.issues !== undefined) {
      throw new SchemaValidationError(query, row, checked.issues)
    }
    return checked.value as typeof row
  },
}
