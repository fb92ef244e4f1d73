import { chakra } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fact } from '../../parts/facts.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { Time } from '../../parts/time.tsx'
import type { StoredEvent } from './stored-event.ts'
import { objectIn } from './stored-event.ts'

/** Members of events' data that have a name in the reader's language. */
const NAMED = [
  'accepted',
  'account',
  'action',
  'amount',
  'autoBan',
  'balanceUsd',
  'baseUrl',
  'before',
  'bodyExcerpt',
  'by',
  'cause',
  'channel',
  'channelType',
  'clientRequestId',
  'completionTokens',
  'creator',
  'durationMs',
  'effectiveAt',
  'endedAt',
  'error',
  'errorCode',
  'errorType',
  'expiresAt',
  'firstByteMs',
  'fromHold',
  'fromWallet',
  'gatewayTradeNo',
  'group',
  'groupRatio',
  'hold',
  'invitee',
  'inviter',
  'key',
  'late',
  'maxInputTokens',
  'message',
  'method',
  'model',
  'money',
  'nonce',
  'note',
  'number',
  'order',
  'previous',
  'price',
  'priority',
  'promptTokens',
  'quota',
  'quotaPerUnit',
  'reason',
  'relay',
  'remain',
  'remainChange',
  'request',
  'role',
  'root',
  'sequence',
  'source',
  'startedAt',
  'status',
  'stream',
  'succeeded',
  'suppressed',
  'tag',
  'testModel',
  'testedBy',
  'token',
  'type',
  'unlimited',
  'upTo',
  'upstreamId',
  'upstreamStatus',
  'user',
  'value',
  'weight',
] as const
const QUOTA = ['amount', 'fromHold', 'fromWallet', 'quota', 'remain', 'remainChange']
/** Longer texts stand in the JSON. */
const TEXT_MAX = 120

/** The single values of an event's data, member by member; the rest stands in its JSON. */
export function EventData({ event }: { event: StoredEvent }) {
  const { t } = useTranslation()
  const data = objectIn(event.data)
  const facts = Object.entries(data).flatMap(([name, value]): Fact[] => {
    if (name === 'at' || (name === 'remain' && data['unlimited'] === true)) return []
    const shown = valueOf(name, value)
    const named = NAMED.find((one) => one === name)
    const label = named === undefined ? name : t(`events.field_${named}`)
    return shown === null ? [] : [{ label, value: shown }]
  })
  return (
    <chakra.div mt="3" pt="3" borderTopWidth="1px" borderColor="border.muted">
      <Facts facts={facts} />
    </chakra.div>
  )
}

function valueOf(name: string, value: unknown): ReactNode {
  if (name === 'request') return <RequestLink request={value} />
  if (typeof value === 'number') {
    if (QUOTA.includes(name)) return <Money value={value} />
    return name.endsWith('At') ? <Time seconds={value / 1000} /> : String(value)
  }
  if (typeof value === 'boolean') return <YesOrNo value={value} />
  return typeof value === 'string' && value.length <= TEXT_MAX ? value : null
}

function YesOrNo({ value }: { value: boolean }) {
  const { t } = useTranslation()
  return t(value ? 'events.yes' : 'events.no')
}

/** The request that is charged or refunded, leading to what it was charged for. */
function RequestLink({ request }: { request: unknown }) {
  const id =
    typeof request === 'object' && request !== null && 'id' in request ? request.id : request
  if (typeof id !== 'string') return null
  return (
    <Opens>
      <Link to="/audit/charges/$requestId" params={{ requestId: id }}>
        {id}
      </Link>
    </Opens>
  )
}
