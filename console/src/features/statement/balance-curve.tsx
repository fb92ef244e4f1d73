import { Box, Button } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { axisTo, axisWidth, LABEL_SIZE } from '../../parts/charts/axis.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { useWidth } from '../../parts/use-size.ts'
import { ExactMoney, useExact } from '../../parts/exact-money.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { dateOf, momentText } from '../../parts/time-format.ts'
import { type CurvePeriod, dayAfter, daysOf, eventsOf, type Step } from './daily.ts'
import type { Period } from '../../parts/range/months.ts'
import { dailyQuery, eventsQuery } from './queries.ts'

const HEIGHT = 224
const PADDING = 8
/** Bars of credits and debits, between the line and the dates. */
const BARS = 56
/** The widest bar, where events are far apart. */
const BAR_MOST = 24
/** For the first and the last date below the line. */
const DATES = 16
const LABEL = { fill: 'var(--tg-colors-fg-muted)', style: { fontSize: LABEL_SIZE } } as const

interface CurveProps {
  readonly user: number | undefined
  readonly curve: CurvePeriod
  /** Unix seconds. */
  readonly now: number
  /** A day was chosen, by its first second: its events come next. */
  readonly onDay: (start: number) => void
  /** From a day's events to the days of its month. */
  readonly onDays: () => void
}

/**
 * The balance as a line, what was credited and debited as bars, all as a table: at the end of each day of a period, or,
 * in a period of a day, after each event.
 */
export function BalanceCurve({ user, curve, now, onDay, onDays }: CurveProps) {
  const { t } = useTranslation()
  const { from, to, isDay } = curve
  const period = { from, to }
  const query = useQuery(isDay ? eventsQuery(user, period) : dailyQuery(user, period))
  const steps = query.data ? (isDay ? eventsOf(query.data) : daysOf(query.data, now)) : []
  if (query.error) return null
  const nameOf = isDay ? momentText : dateOf
  const day = { day: dateOf(period.from / 1000) }
  const isCut = isDay && query.data !== undefined && query.data.next !== null
  return (
    <Chart
      title={t('statement.curve')}
      subtitle={
        isDay ? (
          <>
            {t(isCut ? 'statement.curveEventsCut' : 'statement.curveEvents', day)}{' '}
            <Button size="2xs" variant="outline" onClick={onDays}>
              {t('statement.curveDays')}
            </Button>
          </>
        ) : (
          t(curve.isCut ? 'statement.curveHelpCut' : 'statement.curveHelp', { count: steps.length })
        )
      }
      height={HEIGHT}
      isLoading={query.isPending}
      twin={() => ({
        columns: [
          { label: t(isDay ? 'statement.time' : 'statement.day') },
          { label: t('statement.debit'), align: 'end' },
          { label: t('statement.credit'), align: 'end' },
          { label: t('statement.closing'), align: 'end' },
        ],
        rows: steps.map((step) => ({
          key: step.key,
          cells: [
            isDay ? (
              nameOf(step.start)
            ) : (
              <Button key="day" size="2xs" variant="ghost" onClick={() => onDay(step.start)}>
                {nameOf(step.start)}
              </Button>
            ),
            <ExactMoney key="debit" value={step.debit} isInColumn />,
            <ExactMoney key="credit" value={step.credit} isInColumn />,
            <ExactMoney key="closing" value={step.closing} isInColumn />,
          ],
        })),
      })}
    >
      <Curve steps={steps} period={period} nameOf={nameOf} {...(isDay ? {} : { onDay })} />
    </Chart>
  )
}

/** Steps, since a balance holds until it changes; zero is always in view. */
function Curve(props: {
  steps: readonly Step[]
  period: Period
  nameOf: (seconds: number) => string
  onDay?: (start: number) => void
}) {
  const { t } = useTranslation()
  const exact = useExact()
  const [watch, width] = useWidth()
  const { steps, nameOf, onDay } = props
  const [from, to] = [props.period.from / 1000, props.period.to / 1000]
  const balances = steps.map(({ closing }) => closing)
  const { unit, quotaPerUnit } = useQuotaUnit()
  const one = unit === 'currency' ? quotaPerUnit : 1
  const ticks = axisTo(Math.max(1, ...balances) / one).ticks.map((tick) => Math.round(tick * one))
  const [least, most] = [Math.min(0, ...balances), ticks.at(-1) ?? 1]
  const y = (value: number): number =>
    PADDING + ((most - value) / (most - least)) * (HEIGHT - DATES - BARS - 2 * PADDING)
  const labels = ticks.map((tick) => exact(tick))
  const moved = Math.max(1, ...steps.flatMap(({ credit, debit }) => [credit, debit]))
  const zero = HEIGHT - DATES
  const left = axisWidth(labels)
  const x = (seconds: number): number =>
    left + ((Math.max(seconds, from) - from) / (to - from)) * Math.max(0, width - left)
  const ends = steps.map(
    ({ start }, index) => steps[index + 1]?.start ?? (onDay ? Math.min(dayAfter(start), to) : to),
  )
  const path = steps
    .map(
      ({ start, closing }, index) =>
        `${index === 0 ? 'M' : 'L'}${x(start)},${y(closing)}H${x(ends[index] ?? to)}`,
    )
    .join('')
  return (
    <Box ref={watch} h={`${HEIGHT}px`}>
      <svg width={width} height={HEIGHT} aria-hidden>
        {ticks.map((value, index) => (
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
        {/* The period's first and last day, or a day's beginning and end. */}
        {[from, onDay ? to - 1 : to].map((bound, index) => (
          <text
            {...LABEL}
            key={index === 0 ? 'first' : 'last'}
            x={index === 0 ? left : width}
            y={HEIGHT - 2}
            textAnchor={index === 0 ? 'start' : 'end'}
          >
            {nameOf(bound)}
          </text>
        ))}
        <path d={path} fill="none" stroke="var(--tg-colors-teal-fg)" strokeWidth={2} />
        {steps.map((step, index) => {
          const own = x(ends[index] ?? to) - x(step.start)
          return (['credit', 'debit'] as const).map((side, place) => (
            <rect
              key={`${step.key} ${side}`}
              x={x(step.start) + (place * own) / 2}
              y={zero - barHeight(step[side], moved)}
              width={Math.min(BAR_MOST, Math.max(1, own / 2 - 1))}
              height={barHeight(step[side], moved)}
              fill={FILLS[side]}
            />
          ))
        })}
        {steps.map((step, index) => (
          <rect
            key={step.key}
            x={x(step.start)}
            y={0}
            width={Math.max(1, x(ends[index] ?? to) - x(step.start))}
            height={HEIGHT}
            fill="transparent"
            {...(onDay ? { onClick: () => onDay(step.start), cursor: 'zoom-in' } : {})}
            data-hint={t('statement.curveDay', {
              day: nameOf(step.start),
              closing: exact(step.closing),
              credit: exact(step.credit),
              debit: exact(step.debit),
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
