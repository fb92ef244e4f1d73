import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { UNKNOWN } from '../../parts/money.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { Tag } from '../../parts/tag.tsx'
import { dateTime } from '../../parts/time-format.ts'
import { channelState, responseTone, stateReason } from './channel-status.ts'

/** Whether a channel is in service; when Tollgate took it out, why is said on hover. */
export function State({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { name, tone } = channelState(channel)
  return (
    <Tag tone={tone} hint={stateReason(channel)}>
      {t(`channels.state_${name}`)}
    </Tag>
  )
}

/** How long its last test took, in the colours of the seeds. */
export function ResponseTime({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const tested =
    channel.test_time > 0
      ? t('channels.testedAt', { time: dateTime(channel.test_time) })
      : undefined
  const text =
    channel.response_time === 0
      ? t('channels.untested')
      : t('channels.seconds', { n: (channel.response_time / 1000).toFixed(2) })
  return (
    <Tag {...responseTone(channel.response_time)} hint={tested}>
      {text}
    </Tag>
  )
}

/** The balance of the channel's account at its provider, in US dollars; its hint has all digits and when it was read. */
export function UpstreamBalance({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const { balance, balance_updated_time: readAt } = channel
  if (readAt === 0) return t('channels.balanceUnread')
  const hint = t('channels.balanceAt', { amount: String(balance), time: dateTime(readAt) })
  return <span data-hint={hint}>{balanceText(channel)}</span>
}

/** The same as a figure alone. */
export const balanceText = ({ balance, balance_updated_time: readAt }: Channel): string =>
  readAt > 0 ? grouped(balance, 2) : UNKNOWN
