import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../../core/session.ts'
import { Select } from '../../../parts/choice-fields.tsx'
import { Count } from '../../../parts/count.tsx'
import { Money, UNKNOWN } from '../../../parts/money.tsx'
import { Panel } from '../../../parts/page.tsx'
import { signedPercent } from '../../../parts/quota-format.ts'
import { dimensionsFor, type ReplayDimension } from '../../../parts/replays/replay-queries.ts'
import { ErrorState, SkeletonRows } from '../../../parts/states.tsx'
import type { Measure } from '../series.ts'
import {
  changeOf,
  type Difference,
  differences,
  percentOf,
  type SourceKeys,
} from './source-data.ts'
import { KeyName } from './source-key.tsx'
import { useSourceName } from './source-name.ts'
import { type Frame, keysQuery, type Source } from './source-queries.ts'

const MEASURES = ['quota', 'count', 'tokens'] as const satisfies readonly Measure[]
/** Lines drawn; the largest changes come first. */
const LINES_MAX = 200

interface TwoSources {
  readonly first: Source
  readonly second: Source
  readonly frame: Frame
}

/** Where two sources differ, the largest change first. */
export function DifferenceTable(props: TwoSources) {
  const { t } = useTranslation()
  const [dimension, setDimension] = useState<ReplayDimension>('model')
  const [measure, setMeasure] = useState<Measure>('quota')
  const dimensions = dimensionsFor(useIsAdmin())
  const nameOf = useSourceName()
  const one = useQuery(keysQuery(props.first, dimension, props.frame))
  const other = useQuery(keysQuery(props.second, dimension, props.frame))
  const failed = one.error ?? other.error
  const lacking = one.data === null ? props.first : other.data === null ? props.second : null
  return (
    <Panel mt="3" p="4" as="section" aria-label={t('sources.differences')}>
      <Flex justify="space-between" gap="3" wrap="wrap" mb="2">
        <Heading as="h2" size="sm" fontWeight="600">
          {t('sources.differences')}
        </Heading>
        <Flex gap="2">
          <Select
            label={t('sources.dimension')}
            value={dimension}
            onChange={(value) => setDimension(dimensions.find((by) => by === value) ?? 'model')}
            options={dimensions.map((value) => ({ value, label: t(`sources.by_${value}`) }))}
          />
          <Select
            label={t('sources.measure')}
            value={measure}
            onChange={(value) => setMeasure(MEASURES.find((name) => name === value) ?? 'quota')}
            options={MEASURES.map((value) => ({ value, label: t(`sources.measure_${value}`) }))}
          />
        </Flex>
      </Flex>
      {failed ? (
        <ErrorState
          error={failed}
          onRetry={() => void Promise.all([one.refetch(), other.refetch()])}
        />
      ) : lacking ? (
        <Text color="fg.muted">{t('sources.lacking', { name: nameOf(lacking) })}</Text>
      ) : one.data && other.data ? (
        <Lines {...props} {...{ dimension, measure }} one={one.data} other={other.data} />
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Panel>
  )
}

function Lines(
  props: TwoSources & {
    dimension: ReplayDimension
    measure: Measure
    one: SourceKeys
    other: SourceKeys
  },
) {
  const { t } = useTranslation()
  const { first, second, frame, dimension, measure, one, other } = props
  const nameOf = useSourceName()
  const lines = differences(one, other, measure)
  if (lines.length === 0) return <Text color="fg.muted">{t('sources.noLines')}</Text>
  return (
    <>
      <Box
        as="section"
        overflow="auto"
        maxH="480px"
        tabIndex={0}
        aria-label={t('sources.differences')}
      >
        <chakra.table w="full" fontSize="sm" css={CELLS}>
          <thead>
            <tr>
              <th scope="col">{t(`sources.by_${dimension}`)}</th>
              <th scope="col">{nameOf(first)}</th>
              <th scope="col">{nameOf(second)}</th>
              <th scope="col">{t('sources.change')}</th>
              <th scope="col">{t('sources.relative')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, LINES_MAX).map((line) => (
              <tr key={line.key}>
                <td>
                  <KeyName dimension={dimension} line={line} frame={frame} />
                </td>
                <td>
                  <Figure value={line.first?.[measure]} measure={measure} />
                </td>
                <td>
                  <Figure value={line.second?.[measure]} measure={measure} />
                </td>
                <td>
                  <Figure value={changeOf(line, measure) ?? undefined} measure={measure} isChange />
                </td>
                <td>
                  <Percent line={line} measure={measure} />
                </td>
              </tr>
            ))}
          </tbody>
        </chakra.table>
      </Box>
      {one.isWhole && other.isWhole && lines.length <= LINES_MAX ? null : (
        <Text color="fg.muted" fontSize="sm" mt="2">
          {t('sources.notWhole')}
        </Text>
      )}
    </>
  )
}

function Figure(props: { value: number | undefined; measure: Measure; isChange?: boolean }) {
  const { value, measure, isChange = false } = props
  if (value === undefined) return UNKNOWN
  if (measure === 'quota')
    return <Money value={value} {...(isChange ? { kind: 'difference' } : {})} />
  return (
    <>
      {isChange && value > 0 ? '+' : null}
      <Count value={value} />
    </>
  )
}

function Percent({ line, measure }: { line: Difference; measure: Measure }) {
  const { t, i18n } = useTranslation()
  const percent = percentOf(line, measure)
  if (percent === null) return UNKNOWN
  return t('sources.percent', { percent: signedPercent(percent, i18n.language) })
}

const CELLS = {
  '& th, & td': { textAlign: 'end', padding: '1.5', whiteSpace: 'nowrap' },
  '& th:first-of-type, & td:first-of-type': { textAlign: 'start' },
  '& th': { color: 'fg.muted', fontWeight: '500' },
  '& tr': { borderBottomWidth: '1px', borderColor: 'border.muted' },
} as const
