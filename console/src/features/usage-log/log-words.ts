import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { detailsOf } from './log-details.ts'
import { sentenceOf } from './log-sentences.ts'

/** Says in the reader's language what a row is about. */
export function useLogWords(): (log: Log) => string {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  return useCallback(
    (log) => {
      const said = sentenceOf(log, detailsOf(log))
      if (said.type === 'words') return said.words
      if (said.type === 'refusal')
        return t(`log.refusal.${said.code}`, { model: log.model_name, group: log.group })
      if (said.type === 'booking') {
        const values = Object.entries(said.values).map(([name, value]) => [
          name,
          typeof value === 'number' ? moneyString(value, unit, quotaPerUnit) : value,
        ])
        return t(`log.booking.${said.name}`, Object.fromEntries(values))
      }
      const parts = said.factors.map(({ name, value }) => `${t(`log.factor.${name}`)} ${value}`)
      return [...parts, said.model].filter(Boolean).join(' · ')
    },
    [t, unit, quotaPerUnit],
  )
}
