import { useTranslation } from 'react-i18next'
import { useExact } from '../../parts/exact-money.tsx'
import type { Group, Term } from './filters.ts'
import type { EventLine, Line } from './queries.ts'

/** Whether entries came in between an administrator's look at a balance and the change of it: the difference was booked. */
export function isEditOutdated({ facts, balance }: Pick<EventLine, 'facts' | 'balance'>): boolean {
  const { adjustment } = facts
  return adjustment !== null && 'to' in adjustment && adjustment.to !== balance
}

/** Changes of a hold, by the type of their event. */
const HOLD_CHANGES = {
  QuotaHeld: 'placed',
  HoldExtended: 'extended',
  HoldReduced: 'reduced',
  HoldReleased: 'released',
  HoldExpired: 'expired',
} as const
const holdChangeOf = (type: string) =>
  type in HOLD_CHANGES ? HOLD_CHANGES[type as keyof typeof HOLD_CHANGES] : 'placed'

/** The sentences of lines in the reader's language, made of their facts. */
export function useSentence(): {
  /** How lines were gathered and filtered: a sum without a token or model says so, and one of a term names it. */
  readonly sentence: (line: Line, by?: { group: Group; term: Term | undefined }) => string
  readonly reference: (line: EventLine) => string
} {
  const { t } = useTranslation()
  const exact = useExact()
  const sentence = (line: Line, by?: { group: Group; term: Term | undefined }): string => {
    const kind = line.kind === '' ? '' : t(`statement.kind_${line.kind}`)
    if (line.type === 'event') {
      if (line.kind === 'usage') return line.model || kind
      if (line.kind !== 'hold') return kind
      const amount = exact(Math.abs(line.held_change))
      return t(`statement.hold_${holdChangeOf(line.event_type)}`, { amount })
    }
    if (line.model !== '') return line.model
    if (line.token_id !== 0)
      return line.token_name || t('statement.tokenNumber', { id: line.token_id })
    if (kind !== '') return kind
    if (by?.group === 'token' || by?.group === 'model') return t(`statement.without_${by.group}`)
    if (by?.term !== undefined) return t(`statement.${by.term}`)
    return t('statement.everything')
  }
  const reference = (line: EventLine): string => {
    const { adjustment } = line.facts
    if (adjustment === null) {
      if (line.kind === 'affiliate-reward') return t('statement.invitee', { id: line.reference })
      if (line.kind === 'redemption') return t('statement.code', { id: line.reference })
      return line.reference
    }
    if ('legacy_text' in adjustment) return adjustment.legacy_text
    const change = t(isEditOutdated(line) ? 'statement.editedMeanwhile' : 'statement.edited', {
      from: exact(adjustment.from),
      to: exact(adjustment.to),
    })
    return [change, adjustment.note, line.actor_name || line.actor]
      .filter((part) => part !== '')
      .join(' · ')
  }
  return { sentence, reference }
}
