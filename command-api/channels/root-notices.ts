import type { ChannelAutoDisabled, ChannelAutoEnabled } from '@tollgate/domain/channel/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { UserStore } from '../identity/users.ts'
import type { EventTriggeredWorkflow } from '../workflows/manager/workflow.ts'
import type { Notice, NoticeText, Notifier } from '../notifications/notifier.ts'
import type { ChannelSecrets } from '../secrets/channel-secrets.ts'

export interface RootNoticeDeps {
  readonly notifier: Notifier
  readonly users: Pick<UserStore, 'root'>
  readonly channels: Pick<ChannelSecrets, 'describe'>
}

/**
 * Notifies the root user that a channel was taken out of service automatically, and that it is back (console-api 5).
 * Tests and trials in between change nothing for users and send no notice.
 */
export const channelNotice = (deps: RootNoticeDeps): EventTriggeredWorkflow => ({
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

/** Notifies the root user that a requested test of all channels has come to its end. */
export const tellAllTested = (
  deps: RootNoticeDeps,
  run: { readonly id: string; readonly at: number },
): Promise<void> =>
  tellRoot(deps, {
    type: 'channel_test',
    causationId: run.id,
    at: run.at,
    title: '通道测试完成',
    content: '所有通道测试已完成',
    values: [],
    english: {
      title: 'The test of channels is done',
      content: 'All channels have been tested.',
      values: [],
    },
  })

type StatusChange = RecordedEvent & (ChannelAutoDisabled | ChannelAutoEnabled)

const isStatusChange = (event: RecordedEvent): event is StatusChange =>
  event.type === 'ChannelAutoDisabled' || event.type === 'ChannelAutoEnabled'

async function tellStatus(deps: RootNoticeDeps, event: StatusChange): Promise<void> {
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

/** Before the setup there is no root user to notify. */
async function tellRoot(
  { notifier, users }: RootNoticeDeps,
  notice: Omit<Notice, 'userId'>,
): Promise<void> {
  const root = await users.root()
  if (root !== null) await notifier.notify({ ...notice, userId: root.id })
}
