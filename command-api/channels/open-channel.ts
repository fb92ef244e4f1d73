import { mayFollow } from '@tollgate/domain/channel/destination.ts'
import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ProbedChannel, Reach } from '@tollgate/domain/ports/channel-probe.ts'
import { type ChannelWriterDeps, loadChannel } from './channel-writer.ts'
import type { ChannelReachDeps } from './deps.ts'
import { addressInUse, destinationProblem } from './private-address.ts'

export type OpenedChannel =
  | { readonly status: 'open'; readonly channel: LiveChannel; readonly probed: ProbedChannel }
  /** `message` is for the admin. */
  | { readonly status: 'refused'; readonly message: string }

/**
 * A channel with its secrets, for a request to upstream. Refused when the key was given for another destination, or
 * when the channel leads further than the caller may reach.
 */
export async function openChannel(
  deps: ChannelWriterDeps & ChannelReachDeps,
  id: number,
  reach: Reach,
): Promise<OpenedChannel> {
  // In this order: a move writes the key's row before its event, so a row read afterwards says where its key may go.
  const channel = await loadChannel(deps, id)
  const secret = channel === null ? null : await deps.secrets.open(id)
  if (channel === null || secret === null) return { status: 'refused', message: 'record not found' }
  const { terms } = channel
  if (!mayFollow(secret.destination, terms)) return { status: 'refused', message: KEY_OF_ELSEWHERE }
  const { key, proxy } = secret
  if (reach === 'public') {
    const refusal = await destinationProblem(deps, reach, [addressInUse(deps, terms), proxy])
    if (refusal !== null) return { status: 'refused', message: refusal }
  }
  return { status: 'open', channel, probed: { id, terms, key, proxy, reach } }
}

const KEY_OF_ELSEWHERE =
  '该渠道的密钥是为另一地址填写的，不会发往现在的地址；请编辑渠道，核对地址并重新填写密钥'
