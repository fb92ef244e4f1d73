import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { Actor } from '@tollgate/domain/event.ts'
import { refundReason } from '@tollgate/domain/task/refund.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { keyText } from '../runner/columns.ts'

/** The cause of an event that moves quota; a credit has the source that its event names. */
export const ENTRY_SOURCES = [
  'sign-up',
  'invitation',
  'redemption',
  'top-up',
  'grant',
  'refund',
  'adjustment',
  'hold',
  'usage',
  'usage-refund',
  'affiliate-reward',
  'affiliate-transfer',
] as const
export type EntrySource = (typeof ENTRY_SOURCES)[number]

/** The facts of a posting besides its accounts and amount; 0 or '' where the event says nothing. */
export const entryFactsRow = z.object({
  /** The causing user, relay or system: `user:12`, `relay:…` or `system`. */
  actor: z.string(),
  source: z.enum(ENTRY_SOURCES),
  token_id: z.number(),
  channel: z.number(),
  model: z.string(),
  request_id: z.string(),
  /** A code's id, an order with the money paid, why a charge was refunded, or the invitee of a reward. */
  reason: z.string(),
  /** A change by an administrator: domain/account/adjustment as JSON; '' for others. */
  adjustment: z.string(),
  /** 1 for a charge that came in after its hold had ended. */
  late: z.number(),
})
export type EntryFacts = Readonly<z.output<typeof entryFactsRow>>

/** An account's event with the one who caused it. */
type AccountEntry = AccountEvent & { readonly metadata: { readonly actor: Actor } }

/** The facts of an event's postings; null for an event that never moves quota. */
export function entryFacts(event: AccountEntry): EntryFacts | null {
  const { actor } = event.metadata
  const about = (source: EntrySource, facts: Partial<EntryFacts> = {}): EntryFacts => ({
    ...NO_FACTS,
    ...facts,
    actor: keyText(actor),
    source,
  })
  switch (event.type) {
    case 'QuotaCredited': {
      const { source, reason, adjustment } = event.data
      return about(source, { reason: storableText(reason), ...adjusted(adjustment) })
    }
    case 'QuotaDebited':
      return about('adjustment', adjusted(event.data.adjustment))
    case 'QuotaHeld':
      return about('hold', { token_id: event.data.token ?? 0 })
    case 'HoldExtended':
    case 'HoldReduced':
    case 'HoldReleased':
    case 'HoldExpired':
      return about('hold')
    case 'UsageCharged': {
      const { token, late, request } = event.data
      return about('usage', {
        token_id: token ?? 0,
        channel: request.channel,
        model: keyText(request.model),
        request_id: keyText(request.id),
        late: late ? 1 : 0,
      })
    }
    case 'UsageRefunded': {
      const { token, channel, request, reason, failed } = event.data
      return about('usage-refund', {
        token_id: token ?? 0,
        channel: channel ?? 0,
        request_id: keyText(request),
        reason: storableText(failed === undefined ? reason : refundReason(failed)),
      })
    }
    case 'AffiliateRewardEarned':
      return about('affiliate-reward', { reason: String(event.data.invitee) })
    case 'AffiliateQuotaTransferred':
      return about('affiliate-transfer')
    case 'AccountOpened':
    case 'AccountSuspended':
    case 'AccountResumed':
    case 'TokenIssued':
    case 'TokenRevised':
    case 'TokenEnabled':
    case 'TokenDisabled':
    case 'TokenExpired':
    case 'TokenExhausted':
    case 'TokenDeleted':
    case 'BalanceCarriedForward':
      return null
    default:
      return event satisfies never
  }
}

const NO_FACTS = {
  token_id: 0,
  channel: 0,
  model: '',
  request_id: '',
  reason: '',
  adjustment: '',
  late: 0,
} as const

const adjusted = (adjustment: object | undefined): Pick<EntryFacts, 'adjustment'> => ({
  adjustment: adjustment === undefined ? '' : storableText(JSON.stringify(adjustment)),
})
