import { Box, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { axisWidth, LABEL_SIZE } from '../../parts/charts/axis.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { useWidth } from '../../parts/use-size.ts'
import { useExact } from '../../parts/exact-money.tsx'
import { dateOf, dateTime } from '../../parts/time-format.ts'
import { type PriceFactors, type PriceStep, stepsQuery } from './queries.ts'

const HEIGHT = 144
const PADDING = 8
/** For the first and the last date below the lines. */
const DATES = 24
/** Between these and the legend. */
const BELOW = 10
const LABEL = { fill: 'var(--tg-colors-fg-muted)', style: { fontSize: LABEL_SIZE } } as const
/** Room before the first step and after the last, in milliseconds of time. */
const TAIL_MS = 86_400_000

const LINES = ['input', 'output', 'call'] as const
type Line = (typeof LINES)[number]
const COLOURS: Record<Line, string> = {
  input: 'var(--tg-colors-teal-fg)',
  output: 'var(--tg-colors-orange-fg)',
  call: 'var(--tg-colors-blue-fg)',
}

/** A model's price in a group through time, as lines of steps and as a table; planned steps are dashed. */
export function PriceLine({ model, group }: { model: string; group: string }) {
  const { t } = useTranslation()
  const exact = useExact()
  const formatFactors = useFactors()
  const query = useQuery(stepsQuery(model, group))
  const steps = query.data?.steps ?? []
  const used = LINES.filter((line) => steps.some((step) => step[line] !== null))
  const factors = steps.findLast((step) => !step.is_planned)?.factors ?? null
  const cell = (value: string | null) => (value === null ? '–' : exact(Number(value)))
  if (query.error) return null
  return (
    <Box borderBottomWidth="1px" borderColor="border">
      <Chart
        title={t('prices.lineTitle', { model, group })}
        subtitle={t('prices.lineHelp')}
        height={HEIGHT}
        isLoading={query.isPending}
        legend={
          <Flex gap="4" wrap="wrap" fontSize="xs" color="fg.muted">
            {used.map((line) => (
              <Flex key={line} as="span" gap="1.5" align="center">
                <Box as="span" w="3" h="2px" style={{ background: COLOURS[line] }} />
                {t(`prices.line_${line}`)}
              </Flex>
            ))}
            {factors === null ? null : (
              <Text>{t('prices.factorsNow', { factors: formatFactors(factors) })}</Text>
            )}
            {used.length === 0 && !query.isPending ? <Text>{t('prices.lineNone')}</Text> : null}
          </Flex>
        }
        twin={() => ({
          columns: [
            { label: t('prices.revision') },
            { label: t('prices.from') },
            ...LINES.map((line) => ({ label: t(`prices.line_${line}`), align: 'end' as const })),
            { label: t('prices.factors') },
          ],
          rows: steps.map((step) => ({
            key: String(step.revision),
            cells: [
              step.number === 0
                ? t('prices.defaults')
                : t(step.is_planned ? 'prices.numberedPlan' : 'prices.numbered', {
                    number: step.number,
                  }),
              step.from === null ? '–' : dateTime(step.from / 1000),
              ...LINES.map((line) => cell(step[line])),
              step.factors === null ? '–' : formatFactors(step.factors),
            ],
          })),
        })}
      >
        <Drawing steps={steps} lines={used} now={query.dataUpdatedAt} />
      </Chart>
    </Box>
  )
}

const TERMS = ['priority', 'flex', 'fast', 'geo'] as const

/** Writes factors as a list of words. */
function useFactors() {
  const { t, i18n } = useTranslation()
  return ({ above, ...factors }: PriceFactors): string =>
    [
      ...TERMS.flatMap((term) =>
        factors[term] === undefined ? [] : [t(`prices.factor_${term}`, { factor: factors[term] })],
      ),
      ...(above === undefined
        ? []
        : [
            t('prices.factor_above', {
              tokens: above.tokens.toLocaleString(i18n.language),
              in: above.in,
              out: above.out,
            }),
          ]),
    ].join(t('prices.comma'))
}

function Drawing(props: { steps: readonly PriceStep[]; lines: readonly Line[]; now: number }) {
  const { steps, lines, now } = props
  const exact = useExact()
  const [watch, width] = useWidth()
  const moments = steps.map(({ from }) => from ?? 0).filter((from) => from > 0)
  const begin = Math.min(now, ...moments) - TAIL_MS
  const end = Math.max(now, ...moments) + TAIL_MS
  const values = lines.flatMap((line) => steps.map((step) => Number(step[line] ?? 0)))
  const most = Math.max(1, ...values)
  const marks = [most, 0].map((value) => ({ value, label: exact(value) }))
  const left = axisWidth(marks.map(({ label }) => label))
  const x = (at: number | null): number =>
    left + ((Math.max(begin, at ?? begin) - begin) / (end - begin)) * Math.max(0, width - left)
  const y = (value: number): number => PADDING + (1 - value / most) * (HEIGHT - DATES - 2 * PADDING)
  return (
    <Box ref={watch} h={`${HEIGHT}px`}>
      <svg width={width} height={HEIGHT} aria-hidden>
        {marks.map(({ value, label }) => (
          <g key={value}>
            <line
              x1={left}
              x2={width}
              y1={y(value)}
              y2={y(value)}
              stroke="var(--tg-colors-border)"
            />
            <text {...LABEL} x={left - 6} y={y(value)} dy="0.32em" textAnchor="end">
              {label}
            </text>
          </g>
        ))}
        <text {...LABEL} x={left} y={HEIGHT - BELOW}>
          {dateOf(begin / 1000)}
        </text>
        <text {...LABEL} x={width} y={HEIGHT - BELOW} textAnchor="end">
          {dateOf(end / 1000)}
        </text>
        {lines.map((line) =>
          steps.map((step, index) => {
            const value = step[line]
            if (value === null) return null
            const next = steps[index + 1]
            const until = next === undefined ? end : next.from
            const after = next?.[line] ?? null
            const rise = after === null ? '' : `V${y(Number(after))}`
            return (
              <path
                key={`${line} ${step.revision}`}
                d={`M${x(step.from)},${y(Number(value))}H${x(until)}${rise}`}
                fill="none"
                stroke={COLOURS[line]}
                strokeWidth={2}
                {...(step.is_planned ? { strokeDasharray: '4 4' } : {})}
              />
            )
          }),
        )}
      </svg>
    </Box>
  )
}
