import type { TokenDeleted } from '@tollgate/domain/account/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type TokenId, tokenId } from '@tollgate/domain/ids.ts'
import type { EventTriggeredWorkflow, Step } from './manager/workflow.ts'
import type { ChannelSecrets } from '../secrets/channel-secrets.ts'
import type { TokenSecrets } from '../secrets/token-secrets.ts'
import type { TaskPayloads } from '../tasks/payloads.ts'
import type { AdjustmentNotes } from '../identity/adjustment-notes.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { TokenAddresses } from '../identity/token-addresses.ts'
import type { UserStore } from '../identity/users.ts'

export interface ErasureDeps {
  readonly users: Pick<UserStore, 'forgetCredentials'>
  readonly sessions: Pick<Sessions, 'revokeOpenedUntil'>
  readonly tokens: Pick<TokenSecrets, 'erase'>
  readonly channels: Pick<ChannelSecrets, 'erase'>
  readonly tasks: Pick<TaskPayloads, 'forget'>
  readonly notes: Pick<AdjustmentNotes, 'forget'>
  readonly addresses: Pick<TokenAddresses, 'forget'>
}

/** Removes secrets and sessions that an event has made useless, also after a crash of the process that appended it. */
export const erasure = (deps: ErasureDeps): readonly EventTriggeredWorkflow[] => [
  {
    from: 'event',
    kind: 'user-deletion',
    streamPrefixes: ['user-'],
    eventTypes: ['UserDeleted'],
    isDecidedBy: always,
    steps: (event) => [
      endSessions(deps, event),
      {
        name: 'forget the credentials',
        act: () => deps.users.forgetCredentials(numberOfStream(event.stream)),
      },
      {
        name: 'forget prompts and images',
        act: () => deps.tasks.forget(numberOfStream(event.stream)),
      },
      {
        name: 'forget what was said of adjustments',
        act: () => deps.notes.forget(numberOfStream(event.stream)),
      },
      {
        name: 'forget the addresses of tokens',
        act: () => deps.addresses.forget(numberOfStream(event.stream)),
      },
    ],
  },
  {
    from: 'event',
    kind: 'sign-out',
    streamPrefixes: ['user-'],
    eventTypes: ['UserBanned', 'UserRoleChanged'],
    isDecidedBy: always,
    steps: (event) => [endSessions(deps, event)],
  },
  {
    from: 'event',
    kind: 'token-deletion',
    streamPrefixes: ['account-'],
    eventTypes: ['TokenDeleted'],
    isDecidedBy: always,
    steps: (event) => [{ name: 'forget the key', act: () => deps.tokens.erase(tokenOf(event)) }],
  },
  {
    from: 'event',
    kind: 'channel-deletion',
    streamPrefixes: ['channel-'],
    eventTypes: ['ChannelDeleted'],
    isDecidedBy: always,
    steps: (event) => [
      {
        name: 'forget key and proxy',
        act: () => deps.channels.erase(numberOfStream(event.stream)),
      },
    ],
  },
]

const always = (): boolean => true

const endSessions = ({ sessions }: ErasureDeps, event: RecordedEvent): Step => ({
  name: 'end the sessions',
  act: () => sessions.revokeOpenedUntil(numberOfStream(event.stream), event.data.at),
})

const tokenOf = (event: RecordedEvent): TokenId =>
  tokenId((event as RecordedEvent & TokenDeleted).data.token)
