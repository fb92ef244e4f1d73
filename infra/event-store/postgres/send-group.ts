import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ChainedAppend } from '../chain.ts'
import { byteaArray, integerArray, smallintArray, textArray, uuidArray } from './binary-array.ts'
import { appendFailure, unreachable } from './failures.ts'
import type { AppendOutcome } from './group-commit.ts'

/**
 * Stores one group in one transaction. Fails with StoreUnavailable, for all appends alike; after `timeoutMs` without
 * an answer the connection is given up and the outcome unknown.
 */
export async function sendGroup(
  pool: Pool,
  clock: Clock,
  timeoutMs: number,
  group: readonly ChainedAppend[],
): Promise<readonly AppendOutcome[]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  let failure: Error | undefined
  try {
    return await callAppend(client, clock, timeoutMs, group)
  } catch (error) {
    const thrown = appendFailure(error)
    // A connection in an unknown state must not serve the next group.
    if (thrown.outcome === 'unknown') failure = thrown
    throw thrown
  } finally {
    client.release(failure)
  }
}

async function callAppend(
  client: PoolClient,
  clock: Clock,
  timeoutMs: number,
  group: readonly ChainedAppend[],
): Promise<readonly AppendOutcome[]> {
  // The driver knows query_timeout per query; its type declarations do not.
  const query: QueryConfig & { readonly query_timeout: number } = {
    name: 'ledger-append',
    text: `select head_before::text, actual_revisions, are_accepted
      from ledger.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: parametersOf(group, clock),
    query_timeout: timeoutMs,
  }
  const result = await client.query<GroupRow>(query)
  const row = result.rows[0]
  if (row === undefined) throw new Error('ledger.append answered no row')
  return outcomesOf(group, row)
}

interface GroupRow {
  readonly head_before: string
  readonly actual_revisions: readonly number[]
  readonly are_accepted: readonly boolean[]
}

/** Accepted appends stand one behind the other, from the position after the old head on. */
function outcomesOf(group: readonly ChainedAppend[], row: GroupRow): AppendOutcome[] {
  let position = Number(row.head_before)
  return group.map((append, index) => {
    if (row.are_accepted[index] === true) {
      position += append.events.length
      return { status: 'stored', position }
    }
    return { status: 'not-stored', actualRevision: row.actual_revisions[index] ?? -1 }
  })
}

function parametersOf(group: readonly ChainedAppend[], clock: Clock): unknown[] {
  const events = group.flatMap((append) => append.events)
  const owners = group.flatMap((append, index) => append.events.map(() => index + 1))
  return [
    textArray(group.map((append) => append.stream)),
    integerArray(group.map((append) => append.expected.revision)),
    byteaArray(group.map((append) => append.storedHash ?? append.expected.hash)),
    integerArray(owners),
    integerArray(events.map((event) => event.revision)),
    uuidArray(events.map((event) => event.id)),
    textArray(events.map((event) => event.type)),
    textArray(events.map((event) => event.dataText)),
    textArray(events.map((event) => event.metadataText)),
    byteaArray(events.map((event) => event.columns.hash)),
    smallintArray(events.map((event) => event.columns.chainVersion)),
    new Date(clock.now()).toISOString(),
  ]
}
