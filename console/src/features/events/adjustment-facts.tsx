import { chakra } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Actor } from '../../parts/actor.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { type EventDetail, objectIn } from './stored-event.ts'

/** Why an administrator changed a balance, who it was, what they saw and what they set; nothing for other events. */
export function AdjustmentFacts({ detail: { event, note } }: { detail: EventDetail }) {
  const { t } = useTranslation()
  const adjustment = objectIn(event.data)['adjustment']
  if (typeof adjustment !== 'object' || adjustment === null) return null
  const { from, to, note: noteId, legacyText } = adjustment as Readonly<Record<string, unknown>>
  const reason =
    typeof legacyText === 'string'
      ? legacyText
      : (note ?? t(typeof noteId === 'string' ? 'events.noteErased' : 'events.noNote'))
  const amount = (value: unknown) =>
    typeof value === 'number' ? <Money value={value} kind="balance" /> : null
  return (
    <chakra.div mt="3" pt="3" borderTopWidth="1px" borderColor="border.muted">
      <Facts
        facts={[
          { label: t('events.field_reason'), value: reason },
          { label: t('events.changedBy'), value: <Actor of={event} /> },
          { label: t('events.balanceSeen'), value: amount(from) },
          { label: t('events.balanceSet'), value: amount(to) },
        ]}
      />
    </chakra.div>
  )
}
