import { isSpent } from '@tollgate/domain/channel/balance.ts'
import { type ChannelProbe, ProbeFailed, type Reach } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelTelemetry } from '@tollgate/domain/ports/channel-telemetry.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { autoDisable } from './automatic-status.ts'
import { type ChannelWriterDeps, executeOnChannel } from './channel-writer.ts'
import type { ChannelCareDeps, ChannelReachDeps } from './deps.ts'
import { eachChannel } from './each-channel.ts'
import { openChannel } from './open-channel.ts'

export interface BalanceDeps extends ChannelWriterDeps, ChannelReachDeps {
  readonly probe: Pick<ChannelProbe, 'readBalance'>
  readonly telemetry: Pick<ChannelTelemetry, 'recordBalance'>
}

export type ReadBalance =
  | { readonly status: 'read'; readonly balanceUsd: string; readonly position: Position }
  /** `message` says why there is no balance, for the admin to read. */
  | { readonly status: 'refused'; readonly message: string }

export interface HowToRead {
  readonly reach: Reach
  readonly cause: CommandCause
  readonly signal: AbortSignal
}

/** Asks upstream for the balance of a channel's account and records it: as an event when that changes the channel. */
export async function readBalance(
  deps: BalanceDeps,
  id: number,
  { reach, cause, signal }: HowToRead,
): Promise<ReadBalance> {
  const opened = await openChannel(deps, id, reach)
  if (opened.status === 'refused') return opened
  try {
    const balanceUsd = await deps.probe.readBalance(opened.probed, signal)
    const recorded = await executeOnChannel(
      deps,
      { id, command: { type: 'RecordBalance', balanceUsd } },
      cause,
    )
    if (recorded.status === 'rejected') return { status: 'refused', message: recorded.message }
    if (!recorded.changed) {
      await deps.telemetry.recordBalance(id, { at: deps.clock.now(), balanceUsd })
    }
    return { status: 'read', balanceUsd, position: recorded.position }
  } catch (error) {
    if (error instanceof ProbeFailed) return { status: 'refused', message: error.message }
    throw error
  }
}

/**
 * Reads the balances of all channels in service and takes out those that have none left. Channels whose balance cannot
 * be read are passed over, as a refresh of all is for those that can. Answers the position of the last event.
 */
export async function readAllBalances(
  deps: ChannelCareDeps,
  how: HowToRead,
): Promise<Position | null> {
  const { signal } = how
  let last: Position | null = null
  const listed = await deps.channelList.all()
  const ids = listed.filter(({ status }) => status === 'enabled').map(({ id }) => id)
  await eachChannel(deps, ids, signal, async (id) => {
    const read = await readBalance(deps, id, how)
    if (read.status === 'refused') return
    last = Math.max(last ?? 0, read.position)
    if (!isSpent(read.balanceUsd)) return
    const disabled = await autoDisable(deps, id, SPENT)
    if (disabled.status === 'done') last = Math.max(last, disabled.position)
  })
  return last
}

const SPENT = { reason: '余额不足', upstreamStatus: null, bodyExcerpt: '' } as const
