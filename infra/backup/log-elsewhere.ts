import { isThere } from '@tollgate/command-api/timelines/log-pair/compare-pair.ts'
import { readTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import type { TokenIssued } from '@tollgate/domain/account/events.ts'
import { ACCOUNT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import { numberOfStream, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { BackupFailure } from './failure.ts'
import type { SavedLog } from './manifest.ts'

/** The log of which a backup holds no event: in EventStoreDB, which has copies of its own. */
export type LogElsewhere = Pick<EventStore, 'headPosition' | 'newestAt' | 'readAll' | 'readStream'>

/** Where the log ends now. Fails with LOG_UNFIT for a log that no Tollgate was started on, and as the store does. */
export async function savedLogOf(store: LogElsewhere): Promise<SavedLog> {
  const timelines = (await readTimelines(store)).map(({ log }) => log as string)
  const newest = await store.newestAt(await store.headPosition())
  if (newest === null || timelines.length === 0) {
    throw new BackupFailure(
      'LOG_UNFIT',
      'the event log at EVENTSTORE_URL has no identity yet: start Tollgate on it once, then run the command again',
    )
  }
  const { position, stream, revision, metadata } = newest
  return { timelines, position, stream, revision, hash: metadata.hash }
}

/** Throws LOG_UNFIT for another log than the backup goes with, or for an older state of it. */
export async function refuseInvalidLog(store: LogElsewhere, saved: SavedLog): Promise<void> {
  const timelines: readonly string[] = (await readTimelines(store)).map(({ log }) => log)
  const log = saved.timelines.at(-1) ?? ''
  const known = timelines.slice(0, saved.timelines.length)
  if (known.length > 0 && known.every((id, at) => id === saved.timelines[at])) {
    if (timelines.includes(log) && (await isThere(store, saved))) return
    throw new BackupFailure(
      'LOG_UNFIT',
      `the event log at EVENTSTORE_URL is older than the backup: ${saved.stream} revision ${saved.revision} (position ${saved.position}) is not in it. Put back a copy of the server's folder that was made after the backup, or restore an older backup`,
    )
  }
  throw new BackupFailure(
    'LOG_UNFIT',
    timelines.length === 0
      ? `the event log at EVENTSTORE_URL has no identity, and the backup goes with ${log}: put the server's folder back first`
      : `the event log at EVENTSTORE_URL is ${timelines.at(-1)}, and the backup goes with ${log}: name that log in EVENTSTORE_URL`,
  )
}

/** Streams whose number is the id of a row. Tokens have none: their ids are in events of accounts. */
const TABLE_OF_STREAM = {
  'user-': 'identity.users',
  'channel-': 'secrets.channels',
  'redemption-': 'secrets.redemptions',
  'task-': 'identity.task_payloads',
} as const
const PREFIXES = [...Object.keys(TABLE_OF_STREAM), 'account-']
/** Nearly all of a log, and none of them makes anything. */
const MAKING_NOTHING = Object.keys(ACCOUNT_EVENT_TYPES).filter((type) => type !== 'TokenIssued')
const PAGE_EVENTS = 1_000

/** The ids that events after a position gave away, by table: rows of a backup of before may lack them. */
export async function idsMadeSince(
  store: Pick<EventStore, 'readAll'>,
  after: Position,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const made = new Map<string, number[]>()
  const filter = { streamPrefixes: PREFIXES, exceptTypes: MAKING_NOTHING }
  for (let from = after; ;) {
    const events = await store.readAll(from, filter, PAGE_EVENTS)
    for (const event of events) {
      const found = madeBy(event)
      if (found === null) continue
      const ids = made.get(found.table)
      if (ids === undefined) made.set(found.table, [found.id])
      else ids.push(found.id)
    }
    const newest = events.at(-1)
    if (newest === undefined) return made
    from = newest.position
  }
}

function madeBy(event: RecordedEvent): { readonly table: string; readonly id: number } | null {
  const { type, stream, revision } = event
  if (type === 'TokenIssued') {
    return { table: 'secrets.tokens', id: (event as RecordedEvent<TokenIssued>).data.token }
  }
  const prefix = stream.slice(0, stream.indexOf('-') + 1)
  if (revision !== 0 || !Object.hasOwn(TABLE_OF_STREAM, prefix)) return null
  const table = TABLE_OF_STREAM[prefix as keyof typeof TABLE_OF_STREAM]
  return { table, id: numberOfStream(stream) }
}
