import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
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
