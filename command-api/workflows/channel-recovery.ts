import type { CommandCause } from '../aggregates/cause.ts'
import type { RowRecovery } from './manager/workflow.ts'
import { orphanRecovery } from './orphan-recovery.ts'
import { announceSecret, type ChannelWriterDeps, loadChannel } from '../channels/channel-writer.ts'

/** A change that was written this long ago has no living writer any more. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000
const TABLE = 'secrets.channels'
const CAUSE: CommandCause = { actor: 'system', correlationId: 'channel-row', causationId: null }

/** Recovers channels after a crash: a new key or proxy that no event has told of, and orphans. */
export const channelRecovery = (
  deps: ChannelWriterDeps,
  graceSeconds = GRACE_SECONDS,
  orphanAgeSeconds?: number,
): readonly RowRecovery[] => [
  {
    from: 'row',
    kind: 'channel-row',
    find: async () => {
      const ids = await deps.secrets.unannounced(graceSeconds, ROWS_AT_ONCE_MAX)
      return ids.map((id) => `${TABLE}/${id}`)
    },
    steps: (name) => [
      {
        name: 'tell of the new key',
        act: () => announceChange(deps, Number(name.slice(TABLE.length + 1))),
      },
    ],
  },
  orphanRecovery({
    kind: 'channel-orphan',
    table: TABLE,
    rows: deps.secrets,
    isLive: async (id) => (await loadChannel(deps, id)) !== null,
    ageSeconds: orphanAgeSeconds,
  }),
]

async function announceChange(deps: ChannelWriterDeps, id: number): Promise<void> {
  if ((await loadChannel(deps, id)) === null) return deps.secrets.erase(id)
  const kept = await deps.secrets.open(id)
  // Erased since: its deletion has been decided.
  if (kept === null) return
  // Telling twice does no harm.
  await announceSecret(deps, id, CAUSE)
  // A change that came after the row was read waits for its own event.
  await deps.secrets.confirm(id, kept.revision)
}
