import { Box, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Select } from '../../parts/choice-fields.tsx'
import { Count } from '../../parts/count.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { Replay, ReplayLine } from '../../parts/replays/replay-queries.ts'
import { replayLinesQuery } from '../../parts/replays/replay-queries.ts'
import { steps } from './steps.ts'

/** Over the whole time; the lines that a table shows, all are in the export. */
const SUMMED = { isSummed: true, most: 100 } as const

/** The result: from what was charged to what it would cost, and where the difference is. */
export function ReplayResult({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  const total = useQuery(replayLinesQuery(replay, 'total', SUMMED))
  const [by, setBy] = useState(replay.by[0] ?? 'total')
  if (total.error) {
    return <ErrorState error={total.error} onRetry={() => void total.refetch()} />
  }
  const [line] = total.data?.items ?? []
  if (total.data === undefined) return <SkeletonRows rows={4} />
  if (line === undefined) return <Text color="fg.muted">{t('replays.nothing')}</Text>
  const isRepriced = replay.prices !== 'as-charged'
  const { prices, rounding } = steps(line)
  return (
    <Stack gap="4">
      <Facts
        facts={[
          { label: t('replays.requests'), value: <Count value={line.requests} /> },
          { label: t('replays.failures'), value: <Count value={line.failures} /> },
          { label: t('replays.charged'), value: <Money value={line.quota} /> },
          ...(isRepriced
            ? [
                {
                  label: t('replays.byPrices'),
                  value: <Money value={prices} kind="change" />,
                },
                {
                  label: t('replays.byRounding'),
                  value: <Money value={rounding} kind="change" />,
                },
                { label: t('replays.repriced'), value: <Money value={line.repriced} /> },
                { label: t('replays.unpriced'), value: <Count value={line.unpriced} /> },
              ]
            : []),
        ]}
      />
      {replay.by.length > 0 ? (
        <Stack gap="2">
          <Select
            label={t('replays.by')}
            value={by}
            onChange={setBy}
            options={replay.by.map((value) => ({ value, label: nameOf(value) }))}
          />
          <Differences replay={replay} by={by} isRepriced={isRepriced} />
        </Stack>
      ) : null}
    </Stack>
  )

  function nameOf(table: string): string {
    return table
      .split('+')
      .map((one) => t(`replays.by_${one as 'user' | 'group' | 'token' | 'model' | 'channel'}`))
      .join(' × ')
  }
}

function Differences(props: { replay: Replay; by: string; isRepriced: boolean }) {
  const { t } = useTranslation()
  const { isRepriced } = props
  const lines = useQuery(replayLinesQuery(props.replay, props.by, SUMMED))
  if (lines.error) return <ErrorState error={lines.error} onRetry={() => void lines.refetch()} />
  if (lines.data === undefined) return <SkeletonRows rows={4} />
  return (
    <Box
      as="section"
      overflowX="auto"
      fontSize="sm"
      tabIndex={0}
      aria-label={t('replays.by')}
      css={{
        '& th, & td': { textAlign: 'end', padding: '1.5', whiteSpace: 'nowrap' },
        '& th:first-of-type, & td:first-of-type': { textAlign: 'start' },
        '& th': { color: 'fg.muted', fontWeight: '500' },
      }}
    >
      <table style={{ width: '100%' }}>
        <thead>
          <tr>
            <th scope="col">{t('replays.what')}</th>
            {isRepriced ? (
              <>
                <th scope="col">{t('replays.difference')}</th>
                <th scope="col">{t('replays.charged')}</th>
                <th scope="col">{t('replays.repriced')}</th>
              </>
            ) : (
              <>
                <th scope="col">{t('replays.charged')}</th>
                <th scope="col">{t('replays.requests')}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.data.items.map((line) => (
            <tr key={line.key}>
              <td>{line.name || line.key}</td>
              {isRepriced ? (
                <>
                  <td>
                    <Money value={line.repriced - line.quota} kind="change" /> <Share line={line} />
                  </td>
                  <td>
                    <Money value={line.quota} />
                  </td>
                  <td>
                    <Money value={line.repriced} />
                  </td>
                </>
              ) : (
                <>
                  <td>
                    <Money value={line.quota} />
                  </td>
                  <td>
                    <Count value={line.requests} />
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  )
}

function Share({ line }: { line: ReplayLine }) {
  const { t, i18n } = useTranslation()
  if (line.quota === 0) return null
  const percent = ((line.repriced - line.quota) / line.quota) * 100
  const text = percent.toLocaleString(i18n.language, {
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  return <>{t('replays.percent', { percent: text })}</>
}
