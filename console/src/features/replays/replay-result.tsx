import { pathOf } from '../../core/calls.ts'
import { Box, Flex, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Select } from '../../parts/choice-fields.tsx'
import { Count } from '../../parts/count.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { signedPercent } from '../../parts/quota-format.ts'
import { Impact, LineLink } from '../../parts/replays/impact.tsx'
import type { Replay, ReplayLine } from '../../parts/replays/replay-queries.ts'
import { replayLinesQuery } from '../../parts/replays/replay-queries.ts'
import { repricingSteps } from '../../parts/replays/steps.ts'
import { Waterfall } from '../../parts/replays/waterfall.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { isActive } from './queries.ts'

/** Over the whole time; the lines that a table shows, all are in the export. */
const SUMMED = { isSummed: true, most: 100 } as const

/** The result: of a repricing a waterfall and who pays more or less, then the lines of each breakdown, also as files. */
export function ReplayResult({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  const total = useQuery(replayLinesQuery(replay, 'total', SUMMED))
  const isRepriced = replay.prices !== 'as-charged'
  // Users first: whom a price change concerns is what it is asked for.
  const first = isRepriced && replay.by.includes('user') ? 'user' : (replay.by[0] ?? 'total')
  const [by, setBy] = useState(first)
  if (total.error) {
    return <ErrorState error={total.error} onRetry={() => void total.refetch()} />
  }
  const [line] = total.data?.items ?? []
  if (total.data === undefined) return <SkeletonRows rows={4} />
  // The result of a replay that has ended is asked for anew; what was there before stands meanwhile.
  if (line === undefined && (isActive(replay) || total.isPlaceholderData)) {
    return <SkeletonRows rows={4} />
  }
  if (line === undefined && replay.status !== 'done') return null
  if (line === undefined) return <Text color="fg.muted">{t('replays.nothing')}</Text>
  return (
    <Stack gap="4">
      {isRepriced ? <Waterfall steps={repricingSteps(line)} /> : null}
      <Facts
        facts={[
          { label: t('replays.requests'), value: <Count value={line.requests} /> },
          { label: t('replays.failures'), value: <Count value={line.failures} /> },
          ...(isRepriced
            ? [{ label: t('replays.unpriced'), value: <Count value={line.unpriced} /> }]
            : [{ label: t('replays.charged'), value: <Money value={line.quota} /> }]),
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
          <Lines replay={replay} by={by} isRepriced={isRepriced} total={line} />
        </Stack>
      ) : null}
      <Flex gap="2" wrap="wrap">
        {(['csv', 'jsonl'] as const).map((format) => (
          <ExportButton
            key={format}
            name={`replay-${by}`}
            format={format}
            list={() => ({
              path: pathOf('/api/replays/{id}/export', replay),
              query: { by, format },
            })}
          />
        ))}
      </Flex>
    </Stack>
  )

  function nameOf(table: string): string {
    return table
      .split('+')
      .map((one) => t(`replays.by_${one as 'user' | 'group' | 'token' | 'model' | 'channel'}`))
      .join(' × ')
  }
}

/** The lines of a breakdown, and below them the total of all, those that are not shown included. */
function Lines(props: { replay: Replay; by: string; isRepriced: boolean; total: ReplayLine }) {
  const { t } = useTranslation()
  const { replay, by, isRepriced, total } = props
  const lines = useQuery(replayLinesQuery(replay, by, SUMMED))
  if (lines.error) return <ErrorState error={lines.error} onRetry={() => void lines.refetch()} />
  if (lines.data === undefined) return <SkeletonRows rows={4} />
  const isPair = by.includes('+')
  return (
    <>
      {isRepriced && !isPair ? (
        <Impact replay={replay} dimension={by} lines={lines.data.items} />
      ) : null}
      <Box
        as="section"
        overflowX="auto"
        containerType="inline-size"
        fontSize="sm"
        tabIndex={0}
        aria-label={t('replays.by')}
        css={CELLS}
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
              <tr key={`${line.key} ${line.key2}`}>
                <td>
                  {isPair ? (
                    `${line.name || line.key} × ${line.name2 || line.key2}`
                  ) : (
                    <LineLink replay={replay} dimension={by} line={line} />
                  )}
                </td>
                <Figures line={line} isRepriced={isRepriced} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('replays.total')}</th>
              <Figures line={total} isRepriced={isRepriced} />
            </tr>
          </tfoot>
        </table>
      </Box>
    </>
  )
}

/** The cells of a line behind its name. */
function Figures({ line, isRepriced }: { line: ReplayLine; isRepriced: boolean }) {
  const { t } = useTranslation()
  const charged = (
    <td data-label={t('replays.charged')}>
      <Money value={line.quota} />
    </td>
  )
  return isRepriced ? (
    <>
      <td data-label={t('replays.difference')}>
        <Money value={line.repriced - line.quota} kind="difference" /> <Share line={line} />
      </td>
      {charged}
      <td data-label={t('replays.repriced')}>
        <Money value={line.repriced} />
      </td>
    </>
  ) : (
    <>
      {charged}
      <td data-label={t('replays.requests')}>
        <Count value={line.requests} />
      </td>
    </>
  )
}

function Share({ line }: { line: ReplayLine }) {
  const { t, i18n } = useTranslation()
  if (line.quota === 0) return null
  const percent = ((line.repriced - line.quota) / line.quota) * 100
  return <>{t('replays.percent', { percent: signedPercent(percent, i18n.language) })}</>
}

const CELLS = {
  '& th, & td': { textAlign: 'end', padding: '1.5', whiteSpace: 'nowrap' },
  '& th:first-of-type, & tbody td:first-of-type': { textAlign: 'start' },
  '& th': { color: 'fg.muted', fontWeight: '500' },
  '& tfoot th, & tfoot td': { fontWeight: '650', borderTopWidth: '1px', borderColor: 'border' },
  // In a narrow panel each line is a name, and below it the amounts with their labels: nothing is cut at the edge.
  '@container (max-width: 28rem)': {
    '& table, & tbody, & tfoot': { display: 'block' },
    '& thead': { display: 'none' },
    '& tr': {
      display: 'grid',
      gridTemplateColumns: 'repeat(3, minmax(min-content, 1fr))',
      borderTopWidth: '1px',
      borderColor: 'border.muted',
    },
    '& td': { textAlign: 'start', whiteSpace: 'normal', overflowWrap: 'anywhere' },
    '& tbody td:first-of-type, & tfoot th': { gridColumn: '1 / -1' },
    '& td[data-label]::before': {
      content: 'attr(data-label)',
      display: 'block',
      color: 'fg.muted',
      fontSize: 'xs',
    },
  },
} as const
