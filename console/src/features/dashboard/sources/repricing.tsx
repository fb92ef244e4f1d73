import { Grid, Heading } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../parts/page.tsx'
import { Impact } from '../../../parts/replays/impact.tsx'
import { type Replay, replayLinesQuery } from '../../../parts/replays/replay-queries.ts'
import { repricingSteps } from '../../../parts/replays/steps.ts'
import { Waterfall } from '../../../parts/replays/waterfall.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'

const SUMMED = { isSummed: true, most: 100 } as const

/** The panel that a repricing opens on: the way from the charge to the new total, and who pays more or less. */
export function Repricing({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  const by = replay.by.includes('user') ? 'user' : (replay.by[0] ?? null)
  const total = useQuery(replayLinesQuery(replay, 'total', SUMMED))
  const lines = useQuery({
    ...replayLinesQuery(replay, by ?? 'total', SUMMED),
    enabled: by !== null,
  })
  const [line] = total.data?.items ?? []
  if (total.data !== undefined && line === undefined) return null
  return (
    <Panel p="4" mb="3" as="section" aria-label={t('replays.waterfall')}>
      <Heading as="h2" size="sm" fontWeight="600" mb="3">
        {t('replays.waterfall')}
      </Heading>
      {line === undefined ? (
        <SkeletonRows rows={4} />
      ) : (
        <Grid templateColumns={{ base: 'minmax(0, 1fr)', lg: '3fr 2fr' }} gap="6">
          <Waterfall steps={repricingSteps(line)} />
          {by !== null && lines.data !== undefined ? (
            <Impact replay={replay} dimension={by} lines={lines.data.items} />
          ) : null}
        </Grid>
      )}
    </Panel>
  )
}
