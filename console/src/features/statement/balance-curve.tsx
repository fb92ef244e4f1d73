import { Box } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { axisWidth, LABEL_SIZE } from '../../parts/charts/axis.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { useWidth } from '../../parts/charts/use-width.ts'
import { ExactMoney, useExact } from '../../parts/exact-money.tsx'
import { dateOf } from '../../parts/time-format.ts'
import { type Day, daysOf } from './daily.ts'
import { dailyQuery } from './queries.ts'

const HEIGHT = 224
const PADDING = 8
/** Bars of credits and debits, between the line and the dates. */
const BARS = 56
/** For the first and the last date below the line. */
const DATES = 16
const LABEL = { fill: 'var(--tg-colors-fg-muted)', style: { fontSize: LABEL_SIZE } } as const

/** The balance at the end of each of the last 30 days as a line, each day's credits and debits as bars, all as a table. */
export function BalanceCurve({
  user,
  from,
  to,
}: {
  user: number | undefined
  from: number
  to: number
}) {
  const { t } = useTranslation()
  const query = useQuery(dailyQuery(user, { from, to }))
  const days = query.data ? daysOf(query.data) : []
  if (query.error) return null
  return (
    <Chart
      title={t('statement.curve')}
      subtitle={t('statement.curveHelp')}
      height={HEIGHT}
      isLoading={query.isPending}
      twin={() => ({
        columns: [
          { label: t('statement.day') },
          { label: t('statement.debit'), align: 'end' },
          { label: t('statement.credit'), align: 'end' },
          { label: t('statement.closing'), align: 'end' },
        ],
        rows: days.map((day) => ({
          key: String(day.start),
          cells: [
            dateOf(day.start),
            <ExactMoney key="debit" value={day.debit} />,
            <ExactMoney key="credit" value={day.credit} />,
            <ExactMoney key="closing" value={day.closing} />,
          ],
        })),
      })}
    >
      <Curve days={days} />
    </Chart>
  )
}

/** Steps, since a balance holds until it changes; zero is always in view. */
function Curve({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation()
  const exact = useExact()
  const [watch, width] = useWidth()
  const balances = days.map(({ closing }) => closing)
  const [least, most] = [Math.min(0, ...balances), Math.max(1, ...balances)]
  const y = (value: number): number =>
    PADDING + ((most - value) / (most - least)) * (HEIGHT - DATES - BARS - 2 * PADDING)
  const labels = [exact(most), exact(0)]
  const moved = Math.max(1, ...days.flatMap(({ credit, debit }) => [credit, debit]))
  const zero = HEIGHT - DATES
  const left = axisWidth(labels)
  const step = days.length === 0 ? 0 : Math.max(0, width - left) / days.length
  const x = (day: number): number => left + day * step
  const path = balances
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index)},${y(value)}H${x(index + 1)}`)
    .join('')
  return (
    <Box ref={watch} h={`${HEIGHT}px`}>
      <svg width={width} height={HEIGHT} aria-hidden>
        {[most, 0].map((value, index) => (
          <g key={value}>
            <line
              x1={left}
              x2={width}
              y1={y(value)}
              y2={y(value)}
              stroke="var(--tg-colors-border)"
            />
            <text {...LABEL} x={left - 6} y={y(value)} dy="0.32em" textAnchor="end">
              {labels[index]}
            </text>
          </g>
        ))}
        {[days[0], days.at(-1)].map((day, index) =>
          day === undefined ? null : (
            <text
              {...LABEL}
              key={index === 0 ? 'first' : 'last'}
              x={index === 0 ? left : width}
              y={HEIGHT - 2}
              textAnchor={index === 0 ? 'start' : 'end'}
            >
              {dateOf(day.start)}
            </text>
          ),
        )}
        <path d={path} fill="none" stroke="var(--tg-colors-teal-fg)" strokeWidth={2} />
        {days.map((day, index) =>
          (['credit', 'debit'] as const).map((side, place) => (
            <rect
              key={`${day.start} ${side}`}
              x={x(index) + (place * step) / 2}
              y={zero - barHeight(day[side], moved)}
              width={Math.max(1, step / 2 - 1)}
              height={barHeight(day[side], moved)}
              fill={FILLS[side]}
            />
          )),
        )}
        {days.map((day, index) => (
          <rect
            key={day.start}
            x={x(index)}
            y={0}
            width={step}
            height={HEIGHT}
            fill="transparent"
            data-hint={t('statement.curveDay', {
              day: dateOf(day.start),
              closing: exact(day.closing),
              credit: exact(day.credit),
              debit: exact(day.debit),
            })}
          />
        ))}
      </svg>
    </Box>
  )
}

const FILLS = {
  credit: 'var(--tg-colors-teal-solid)',
  debit: 'var(--tg-colors-orange-solid)',
} as const

/** In proportion to the largest; a small one is still to be seen. */
const barHeight = (value: number, most: number): number =>
  value === 0 ? 0 : Math.max(1, (value / most) * (BARS - PADDING))
