import { type EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client'
import type { Position } from '@tollgate/domain/event.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { Address } from './address.ts'
import { searchLog } from './search-log.ts'

const SETTINGS = '$settings'
/** A stream's metadata stands in a stream of its own. */
const METADATA_STREAM = '$$'
const ADMINISTRATORS = '$admins'
const EVERYBODY = '$all'
/** To write to a stream, to delete it, and to limit it by its metadata. */
const RIGHTS = ['$w', '$d', '$mw'] as const
const NAMED_MAX = 3

type Acl = Readonly<Record<string, unknown>>

/** Reads who may write, once; `end` is where the log ends now. */
export type ReadOpenRights = (end: Position) => Promise<string | null>

/**
 * Users beside Tollgate's own and administrators who may write to the ledger's streams or cut them, and how to mend it,
 * in words for operators; null when nobody may. The right to read the log shows the settings and the metadata of
 * streams; the newest of each counts. Fails with StoreUnavailable.
 *
 * Seen on 23.10.6 and 24.10.4: without a default ACL every user may write and cut, and one that names all five rights
 * keeps others out. The servers' reading of one that leaves a right out was not seen; it counts as everybody's, as in
 * the default of before: a warning too many costs a look, one too few the books.
 */
export function openRights(
  client: EventStoreDBClient,
  { isSecure, user }: Pick<Address, 'isSecure' | 'user'>,
): ReadOpenRights {
  let from: Parameters<typeof searchLog>[1]['from'] = START
  let defaults: Acl = {}
  const ofStreams = new Map<string, Acl>()

  /** Roles of others; a user that comes with a certificate is not known by name. */
  const othersIn = (roles: unknown): readonly string[] =>
    [roles]
      .flat()
      .filter((role): role is string => typeof role === 'string')
      .filter((role) =>
        user === null ? role === EVERYBODY : role !== user && role !== ADMINISTRATORS,
      )

  const othersOf = (acl: Acl): readonly string[] => [
    ...new Set(RIGHTS.flatMap((right) => othersIn(acl[right] ?? defaults[right] ?? EVERYBODY))),
  ]

  function note(stream: string, data: object): void {
    if (stream === SETTINGS) defaults = aclIn(data, '$userStreamAcl')
    else if (isStreamOfTollgate(stream.slice(METADATA_STREAM.length))) {
      ofStreams.set(stream.slice(METADATA_STREAM.length), aclIn(data, '$acl'))
    }
  }

  return async (end) => {
    if (!isSecure) {
      return 'whoever reaches EventStoreDB may write to the ledger and cut it, as it asks for no user: docs/eventstoredb.md has the steps to secure it (User and rights)'
    }
    const search = { from, end, filter: streamNameFilter, prefixes: [SETTINGS, METADATA_STREAM] }
    from = await searchLog(client, search, ({ event }) => {
      const data: unknown = event?.data
      if (event !== undefined && typeof data === 'object' && data !== null) {
        note(event.streamId, data)
      }
    })
    const byDefault = othersOf({})
    const open = [...ofStreams].filter(
      ([, acl]) => Object.keys(acl).length > 0 && othersOf(acl).length > 0,
    )
    if (byDefault.length === 0 && open.length === 0) return null
    const where =
      byDefault.length > 0
        ? `by the default ACL: ${named(byDefault)}`
        : `by the ACL of ${named(open.map(([stream]) => stream))}`
    return `other users of EventStoreDB may write to the ledger or cut it (${where}): docs/eventstoredb.md has the steps that leave it to Tollgate's user (User and rights)`
  }
}

function aclIn(data: object, name: string): Acl {
  const acl: unknown = Reflect.get(data, name)
  return typeof acl === 'object' && acl !== null ? (acl as Acl) : {}
}

const named = (names: readonly string[]): string =>
  `${names.slice(0, NAMED_MAX).join(', ')}${names.length > NAMED_MAX ? ', and more' : ''}`
