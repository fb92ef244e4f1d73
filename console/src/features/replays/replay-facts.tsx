import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { useTimeZone } from '../../core/time-zone.ts'
import { Facts } from '../../parts/facts.tsx'
import type { Replay } from '../../parts/replays/replay-queries.ts'
import { dateOf, momentText, zoneName } from '../../parts/time-format.ts'
import { revisionOfReplay } from './queries.ts'
import { usePricesName } from './replay-status.tsx'

/** The definition of a replay: its period with the zone that it is written in, its prices, how it is cut. */
export function ReplayFacts({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  useTimeZone()
  const { from, to, bucket, zone } = replay
  return (
    <Facts
      facts={[
        {
          label: t('replays.period'),
          value: t('replays.fromTo', {
            from: momentText(from / 1000),
            to: momentText(to / 1000),
            zone: zoneName(),
          }),
        },
        { label: t('replays.prices'), value: <DatedPrices replay={replay} /> },
        {
          label: t('replays.bucket'),
          value: t('replays.bucketIn', { bucket: t(`replays.bucket_${bucket}`), zone }),
        },
      ]}
    />
  )
}

/** Which prices a replay is at, with the revision that its last run found in force, for those who may read it. */
function DatedPrices({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  const prices = usePricesName(replay)
  const isAdmin = useIsAdmin()
  const revision = useQuery(revisionOfReplay(replay, isAdmin)).data
  if (replay.book_revision === -1) return <>{t('replays.pricesDefaults', { prices })}</>
  const at = revision?.in_force_at ?? revision?.effective_at ?? revision?.at
  if (!revision || !at) return <>{prices}</>
  const dated = { prices, number: String(revision.number), date: dateOf(at / 1000) }
  return (
    <>{t(typeof replay.prices === 'object' ? 'replays.draftOver' : 'replays.pricesDated', dated)}</>
  )
}
