import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { Reach } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelReachDeps } from './deps.ts'

const ROOT = 100

/** How far a caller's questions about channels may lead: private addresses are role 100's alone (decision 46). */
export const reachOf = (callerRole: number): Reach => (callerRole >= ROOT ? 'configured' : 'public')

const FORBIDDEN = {
  private:
    '渠道 API 地址或代理地址位于内网，请更换地址，或由超级管理员开启 fetch_setting.allow_private_channel_addresses',
  metadata: '渠道 API 地址或代理地址不能指向链路本地地址或云平台元数据服务，请更换地址',
} as const
const ROOT_ONLY =
  '渠道 API 地址或代理地址位于内网，只有超级管理员可以保存、测试或读取，请联系超级管理员'

/** Neither channels nor the proxies that they go through lead to where they must not: why these do; null when none does. */
export async function destinationProblem(
  { addressProblem }: Pick<ChannelReachDeps, 'addressProblem'>,
  reach: Reach,
  addresses: readonly string[],
): Promise<string | null> {
  for (const address of addresses) {
    const reason = await addressProblem(address.trim(), reach)
    if (reason === null) continue
    if (reason === 'metadata' || reach === 'configured') return FORBIDDEN[reason]
    // Root could do it only where the option allows private addresses.
    const isAllowedToRoot = (await addressProblem(address.trim(), 'configured')) === null
    return isAllowedToRoot ? ROOT_ONLY : FORBIDDEN.private
  }
  return null
}

/** The address that a channel's requests go to: its own, else its type's. */
export const addressInUse = (
  { defaultBaseUrl }: Pick<ChannelReachDeps, 'defaultBaseUrl'>,
  { type, baseUrl }: Pick<ChannelTerms, 'type' | 'baseUrl'>,
): string => (baseUrl.trim() === '' ? defaultBaseUrl(type) : baseUrl)
