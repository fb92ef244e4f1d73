import { channelDecider } from '@tollgate/domain/channel/decider.ts'
import { isLive } from '@tollgate/domain/channel/state.ts'
import { channelStream } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import { announceSecret, type ChannelWriterDeps } from './channels/channel-writer.ts'
import type { UserStore } from './identity/users.ts'
import { loadAggregate } from './ledger/aggregate.ts'
import type { CommandCause } from './ledger/cause.ts'
import type { RowKind } from './ledger/process-manager/process-kind.ts'
import type { ChannelSecrets } from './secrets/channel-secrets.ts'
import { alignUser, type UserWriter } from './users/align.ts'

export interface SweeperDeps extends UserWriter {
  readonly users: UserStore
  readonly channels: ChannelSecrets
}

/** A row that was written ahead of its event this long ago is nobody's work any more. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000

const CAUSE: CommandCause = { actor: 'system', correlationId: 'sweeper', causationId: null }

/**
 * Finishes what a crash left between a row and its event (decision 41), as processes of the process manager. Users are
 * brought to where their row says; a channel whose event never came is forgotten, one whose event came is confirmed.
 */
export const unfinishedRows = (
  deps: SweeperDeps,
  graceSeconds = GRACE_SECONDS,
): readonly RowKind[] => [
  {
    from: 'row',
    kind: 'user-row',
    find: async () => {
      const rows = await deps.users.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)
      return rows.map(({ id }) => USERS + id)
    },
    steps: (id) => [{ name: 'bring the events to the row', act: () => finishUser(deps, idIn(id)) }],
  },
  {
    from: 'row',
    kind: 'channel-row',
    find: async () => {
      const ids = await deps.channels.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)
      return ids.map((id) => CHANNELS + id)
    },
    steps: (id) => [
      { name: 'confirm or forget the channel', act: () => finishChannel(deps, idIn(id)) },
    ],
  },
]

/** Tables whose rows are named; the names are also what such rows' events give as their cause. */
const USERS = 'identity.users/'
const CHANNELS = 'secrets.channels/'

const idIn = (name: string): number => Number(name.slice(name.indexOf('/') + 1))

async function finishUser(deps: SweeperDeps, id: number): Promise<void> {
  const user = await deps.users.byId(id, { isDeletedWanted: true })
  if (user?.isPending === true) await alignUser(deps, user, CAUSE)
}

async function finishChannel(deps: SweeperDeps, id: number): Promise<void> {
  if (!(await deps.channels.isPending(id))) return
  const kept = await deps.channels.open(id)
  const loaded = await loadAggregate(deps.store, channelStream(id), channelDecider)
  if (kept === null || !isLive(loaded.state)) return deps.channels.erase(id)
  // The row may hold a new key that no event has told of yet; telling twice does no harm.
  const writer: ChannelWriterDeps = { ...deps, secrets: deps.channels }
  await announceSecret(writer, channelId(id), CAUSE)
  // A change that came after the row was read waits for its own event.
  await deps.channels.confirm(id, kept.revision)
}
