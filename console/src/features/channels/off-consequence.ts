import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { grouped } from '../../parts/quota-format.ts'
import { fewOf, modelsLeftWithout, shareOf } from './impact.ts'
import { allChannelsQuery, trafficQuery } from './queries.ts'

/**
 * The text that warns before channels are switched off or deleted. After `first` it names their share of the traffic,
 * and the models that no channel serves then.
 */
export function useOffConsequence(first: string, ids: readonly number[]): string {
  const { t } = useTranslation()
  const all = useQuery(allChannelsQuery)
  const traffic = useQuery(trafficQuery)
  const off = new Set(ids)
  const orphans = all.data === undefined ? null : modelsLeftWithout(all.data, off)
  const share = traffic.data === undefined ? null : shareOf(traffic.data, off)
  const lines = [first]
  if (share !== null) {
    const requests = grouped(share.requests, 0)
    lines.push(t('channels.traffic', { count: ids.length, percent: share.percent, requests }))
  }
  if (orphans?.length === 0) lines.push(t('channels.noOrphans'))
  else if (orphans !== null) {
    lines.push(t('channels.orphans', { count: orphans.length, names: fewOf(orphans) }))
  }
  return lines.join('\n\n')
}
