import type { ChannelAutoDisabled, ChannelAutoEnabled } from '@tollgate/domain/channel/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type RootNoticeDeps, tellRoot } from '../channels/root-notices.ts'
import type { NoticeText } from '../notifications/notifier.ts'
import type { ChannelSecrets } from '../secrets/channel-secrets.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'

export interface ChannelNoticeDeps extends RootNoticeDeps {
  readonly channels: Pick<ChannelSecrets, 'describe'>
}

/**
 * Notifies the root user that a channel was taken out of service automatically, and that it is back (console-api 5).
 * Tests and trials in between change nothing for users and send no notice.
 */
export const channelNotice = (deps: ChannelNoticeDeps): EventTriggeredWorkflow => ({
  from: 'event',
  kind: 'channel-status-notice',
  streamPrefixes: ['channel-'],
  eventTypes: ['ChannelAutoDisabled', 'ChannelAutoEnabled'],
  isDecidedBy: (event) => isStatusChange(event),
  steps: (event) => {
    if (!isStatusChange(event)) throw new TypeError(`${event.type} changes no channel's status`)
    return [{ name: 'notify the root user', act: () => tellStatus(deps, event) }]
  },
})

type StatusChange = RecordedEvent & (ChannelAutoDisabled | ChannelAutoEnabled)

const isStatusChange = (event: RecordedEvent): event is StatusChange =>
  event.type === 'ChannelAutoDisabled' || event.type === 'ChannelAutoEnabled'

async function tellStatus(deps: ChannelNoticeDeps, event: StatusChange): Promise<void> {
  const id = numberOfStream(event.stream)
  const name = (await deps.channels.describe([id])).get(id)?.name ?? ''
  const isOut = event.type === 'ChannelAutoDisabled'
  const what = { name, id, isOut, reason: event.data.reason }
  await tellRoot(deps, {
    type: `channel_update_${id}_${isOut ? OUT : IN}`,
    causationId: event.id,
    at: event.data.at,
    ...chinese(what),
    english: english(what),
  })
}

/** Statuses on the wire. */
const IN = 1
const OUT = 3

interface Change {
  readonly name: string
  readonly id: number
  readonly isOut: boolean
  readonly reason: string
}

function chinese({ name, id, isOut, reason }: Change): NoticeText {
  const done = isOut ? '已被禁用' : '已被启用'
  return {
    title: `通道「${name}」（#${id}）${done}`,
    content: `通道「{{value}}」（#{{value}}）${done}${reason === '' ? '' : '，原因：{{value}}'}`,
    values: [name, String(id), ...(reason === '' ? [] : [reason])],
  }
}

function english({ name, id, isOut, reason }: Change): NoticeText {
  const done = isOut ? 'was disabled' : 'is enabled again'
  return {
    title: `Channel "${name}" (#${id}) ${done}`,
    content: `Channel "{{value}}" (#{{value}}) ${done}${reason === '' ? '.' : ': {{value}}'}`,
    values: [name, String(id), ...(reason === '' ? [] : [reason])],
  }
}
