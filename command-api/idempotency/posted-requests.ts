import { hash } from 'node:crypto'
import type { ApiReply, RequestCommand } from '../http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Vault } from '../secrets/vault.ts'
import { changedRows, noRow, timestamp } from '../statements.ts'

/**
 * Requests that came with an Idempotency-Key, for a day, in `identity.posted_requests`: the same user's request to the
 * same route with the same key is carried out once. The row's id is the id of the command: it is the cause of the events
 * that follow, so that a request whose process died is found in the log when it comes again.
 */
export interface PostedRequests {
  begin(posted: PostedRequest): Promise<BegunRequest>
  /** Drops expired rows; answers how many. */
  removeExpired(): Promise<number>
}

export interface PostedRequest {
  /** User id; 0 for a caller who is not signed in. */
  readonly user: number
  /** Method and path of the route. */
  readonly operation: string
  /** The header Idempotency-Key. */
  readonly key: string
  /** All members that decide on the request's changes. */
  readonly contents: string
}

export type BegunRequest =
  /** To be carried out, under the command's id; `end` with its answer, or with null when it may be tried again. */
  | {
      readonly status: 'begun'
      readonly command: RequestCommand
      end(reply: ApiReply | null): Promise<void>
    }
  | { readonly status: 'answered'; readonly reply: ApiReply }
  /** The same request is being carried out at this moment. */
  | { readonly status: 'running' }
  /** The key came before with other contents. */
  | { readonly status: 'otherwise' }

/** As long as clients that lost an answer try again by themselves. */
export const REQUEST_KEY_LIFE_MS = 86_400_000
/** Another process may carry a request out when its own has given no sign of life for this long. */
export const RUN_LEASE_MS = 10_000
const RENEW_MS = 3_000

export function postedRequests(deps: {
  readonly db: CommonQueryMethods
  readonly store: Pick<EventStore, 'headPosition'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly randomness: Pick<Randomness, 'uuid'>
  readonly log: { warn(facts: object, message: string): void }
}): PostedRequests {
  const { db, store, vault, clock, randomness, log } = deps

  /** Puts a value into a column of the row, where `before` stands in it; answers the column's value after that. */
  async function keep(
    id: string,
    column: 'position' | 'reserved',
    before: string | null,
    value: string | number,
  ): Promise<string> {
    const name = sql.identifier([column])
    const kept = await db.maybeOneFirst(sql.type(keptValue)`
      update identity.posted_requests
      set ${name} = case when ${name} is not distinct from ${before} then ${value} else ${name} end
      where id = ${id} returning ${name} as kept`)
    // Without a row the key has expired while the request ran.
    return String(kept ?? value)
  }

  const commandOf = ({ id, position, reserved }: RequestRow): RequestCommand => ({
    id,
    since: async () =>
      Number(position ?? (await keep(id, 'position', null, await store.headPosition()))),
    async reserve<Ids>(make: () => Promise<Ids>, isThere?: (ids: Ids) => Promise<boolean>) {
      const known = reserved === null ? null : (JSON.parse(reserved) as Ids)
      if (known !== null && (await (isThere?.(known) ?? true))) return known
      return JSON.parse(await keep(id, 'reserved', reserved, JSON.stringify(await make()))) as Ids
    },
  })

  /** Says that the process lives until the request has ended. */
  async function keepAlive(run: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_MS, signal)
      if (signal.aborted) return
      await db
        .query(sql.type(noRow)`
          update identity.posted_requests
          set running_until = ${timestamp(clock.now() + RUN_LEASE_MS)} where run = ${run}`)
        .catch((err: unknown) => log.warn({ err }, 'a running request could not be told as such'))
    }
  }

  function begun(row: RequestRow, run: string): BegunRequest {
    const ended = new AbortController()
    void keepAlive(run, ended.signal)
    return {
      status: 'begun',
      command: commandOf(row),
      async end(reply) {
        ended.abort()
        const sealed = reply === null ? null : vault.seal('answer', JSON.stringify(reply))
        await db
          .query(sql.type(noRow)`
            update identity.posted_requests
            set running_until = null, answer = ${sealed && sql.binary(sealed)} where run = ${run}`)
          .catch((err: unknown) =>
            log.warn(
              { err },
              'an answer was not kept for repetitions; the log knows what was done',
            ),
          )
      },
    }
  }

  return {
    async begin({ user, operation, key, contents }) {
      const now = clock.now()
      const run = randomness.uuid()
      // The key salts the contents, which may be guessable: a password, say.
      const contentsHash = digest(`${key} ${contents}`)
      // No process carries the request out, and none has: it is the caller's to do.
      const isFree = sql.fragment`(known.answer is null
        and coalesce(known.contents_hash = excluded.contents_hash, true)
        and coalesce(known.running_until <= ${timestamp(now)}, true))`
      const row = await db.one(sql.type(requestRow)`
        insert into identity.posted_requests as known
          (id, user_id, operation, key_hash, contents_hash, expires_at, run, running_until)
        values (${run}, ${user}, ${operation}, ${sql.binary(digest(`key ${key}`))},
          ${sql.binary(contentsHash)}, ${timestamp(now + REQUEST_KEY_LIFE_MS)}, ${run},
          ${timestamp(now + RUN_LEASE_MS)})
        on conflict (user_id, operation, key_hash) do update set
          run = case when ${isFree} then excluded.run else known.run end,
          running_until =
            case when ${isFree} then excluded.running_until else known.running_until end
        returning id, contents_hash, position, reserved, answer, run`)
      if (row.contents_hash?.equals(contentsHash) === false) return { status: 'otherwise' }
      if (row.answer !== null) {
        return {
          status: 'answered',
          reply: JSON.parse(vault.open('answer', row.answer)) as ApiReply,
        }
      }
      return row.run === run ? begun(row, run) : { status: 'running' }
    },
    removeExpired: () =>
      changedRows(
        db,
        sql.type(noRow)`
          delete from identity.posted_requests where expires_at <= ${timestamp(clock.now())}`,
      ),
  }
}

const requestRow = z.object({
  id: z.string(),
  /** Null for requests of before bodies were compared. */
  contents_hash: z.instanceof(Buffer).nullable(),
  position: z.number().nullable(),
  reserved: z.string().nullable(),
  answer: z.instanceof(Buffer).nullable(),
  run: z.string().nullable(),
})
type RequestRow = z.output<typeof requestRow>

const keptValue = z.object({ kept: z.union([z.string(), z.number()]).nullable() })

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
