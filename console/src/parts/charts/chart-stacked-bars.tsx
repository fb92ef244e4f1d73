import { Box, Flex, useToken } from '@chakra-ui/react'
import type { KeyboardEvent, ReactElement } from 'react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { BarShapeProps } from 'recharts'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { axisTo, axisWidth, LABEL_SIZE, ticksFitting } from './axis.ts'
import type { Mark } from './chart-marks.ts'
import { besideMark, fillOf } from './chart-marks.ts'
import { MarkPatterns, Swatch } from './chart-swatch.tsx'
import { useWidth } from './use-width.ts'

/** One series of a stacked chart. */
export interface StackedSeries {
  readonly key: string
  readonly label: string
  readonly mark: Mark
}

/** The amounts of one bar, by series key, and their sum. */
export interface StackedValues {
  readonly values: Readonly<Record<string, number>>
  readonly total: number
}

/** One bar: its place on the axis, its amounts, and those of a second source, which share its place. */
export interface StackedPoint extends StackedValues {
  readonly key: string
  readonly label: string
  readonly beside?: StackedValues
}

/** No lines upwards; the library would look for their places though it draws none. */
const none = (): number[] => []

/** Pixels right of the last bar. */
const EDGE = 4

interface StackedBarsProps {
  /** Names the chart for those who do not see it. */
  readonly label: string
  /** Says to those who come by keyboard how it is used. */
  readonly keysLabel: string
  readonly height: number
  readonly series: readonly StackedSeries[]
  readonly points: readonly StackedPoint[]
  /** The labels that stand under the bars, where there is room. */
  readonly ticks: readonly string[]
  /** What one unit of the axis stands for, so that the axis counts in round numbers of what is shown. */
  readonly scale: number
  /** Writes a number of axis units with so many digits after the point. */
  readonly formatAxis: (value: number, digits: number) => string
  /** Writes an amount with all its digits. */
  readonly formatValue: (value: number) => string
  readonly totalLabel: string
  /** Without a series: the whole bar. */
  readonly onOpen: (pointKey: string, seriesKey?: string) => void
}

/**
 * Bars over time, stacked by series. Pointing at a bar lists its total and its series from the greatest down; clicking
 * a part opens it. By keyboard, left and right go from bar to bar and Enter opens one. Loaded lazily, because the
 * drawing library is large.
 */
export default function StackedBars(props: StackedBarsProps) {
  const { series, points, scale } = props
  const [axisColor, lineColor, hoverColor] = useToken('colors', [
    'fg.muted',
    'border.muted',
    'bg.muted',
  ])
  // The library lays everything out anew for a new list, though it be of the same points.
  const data = useMemo(() => [...points], [points])
  // As a style: the page's reset wins over the attribute.
  const tick = { fill: axisColor ?? 'currentColor', style: { fontSize: LABEL_SIZE } }
  const axis = useMemo(
    () => axisTo(points.reduce((most, point) => Math.max(most, heightOf(point)), 0) / scale),
    [points, scale],
  )
  const label = (value: number) => props.formatAxis(value, axis.digits)
  const upright = axisWidth(axis.ticks.map(label))
  const [watch, width] = useWidth()
  const below = ticksFitting(
    props.ticks,
    points.map((point) => point.label),
    width - upright - EDGE,
  )
  // Details are of use to those who point or come by keyboard; before, they would only slow the first drawing.
  const [isUsed, setUsed] = useState(false)
  const use = () => setUsed(true)
  const current = useRef<StackedPoint | null>(null)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !current.current) return
    event.stopPropagation()
    props.onOpen(current.current.key)
  }
  return (
    <Box
      ref={watch}
      as="figure"
      aria-label={props.label}
      h={`${props.height}px`}
      onKeyDownCapture={press}
      onPointerEnter={use}
      onFocusCapture={use}
    >
      {width === 0 ? null : (
        <BarChart
          aria-label={props.keysLabel}
          data={data}
          width={width}
          height={props.height}
          margin={{ top: 8, right: EDGE, bottom: 0, left: 0 }}
          barCategoryGap="18%"
          maxBarSize={56}
        >
          <MarkPatterns marks={marksOf(props)} />
          <CartesianGrid
            vertical={false}
            verticalCoordinatesGenerator={none}
            stroke={lineColor ?? 'currentColor'}
          />
          <XAxis
            dataKey="label"
            tick={tick}
            tickLine={false}
            axisLine={false}
            ticks={below}
            interval={0}
            height={24}
          />
          <YAxis
            tick={tick}
            tickLine={false}
            axisLine={false}
            ticks={[...axis.ticks]}
            domain={[0, axis.ticks.at(-1) ?? 1]}
            interval={0}
            width={upright}
            tickFormatter={label}
          />
          {isUsed ? (
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: hoverColor ?? 'none' }}
              offset={14}
              content={
                <BarDetails
                  series={series}
                  formatValue={props.formatValue}
                  totalLabel={props.totalLabel}
                  onShow={(point) => {
                    current.current = point
                  }}
                />
              }
            />
          ) : null}
          <Bar
            dataKey={(point: StackedPoint) => heightOf(point) / scale}
            isAnimationActive={false}
            cursor="pointer"
            shape={partsOf(series, props.onOpen)}
          />
        </BarChart>
      )}
    </Box>
  )
}

/**
 * Draws a bar's parts, the first series at its foot. For the library they are one bar: with a bar for each series it
 * would lay the whole chart out so many times.
 */
function partsOf(
  series: StackedBarsProps['series'],
  onOpen: StackedBarsProps['onOpen'],
): (bar: BarShapeProps) => ReactElement | null {
  return ({ x, y, width, height, payload }) => {
    const point = pointOf(payload)
    if (!point || heightOf(point) === 0) return null
    const parts: ReactElement[] = []
    const drawn = point.beside ? [point, point.beside] : [point]
    const share = width / drawn.length
    for (const [index, { values }] of drawn.entries()) {
      let top = y + height
      for (const { key, mark } of series) {
        const part = ((values[key] ?? 0) / heightOf(point)) * height
        if (part === 0) continue
        top -= part
        parts.push(
          <rect
            key={`${index} ${key}`}
            x={x + index * share}
            y={top}
            width={share}
            height={part}
            fill={fillOf(index === 0 ? mark : besideMark(mark))}
            onClick={() => onOpen(point.key, key)}
          />,
        )
      }
    }
    return <>{parts}</>
  }
}

/** Every mark that is drawn, those of a second source only where there is one. */
function marksOf({ series, points }: Pick<StackedBarsProps, 'series' | 'points'>): Mark[] {
  const marks = series.map(({ mark }) => mark)
  return points.some(({ beside }) => beside) ? [...marks, ...marks.map(besideMark)] : marks
}

const heightOf = ({ total, beside }: StackedPoint): number => Math.max(total, beside?.total ?? 0)

function pointOf(payload: unknown): StackedPoint | null {
  return payload !== null && typeof payload === 'object' && 'values' in payload
    ? (payload as StackedPoint)
    : null
}

function BarDetails(
  props: Pick<StackedBarsProps, 'series' | 'formatValue' | 'totalLabel'> & {
    readonly onShow: (point: StackedPoint | null) => void
    /** Given by the tooltip: whether it shows, and the bar it shows. */
    active?: boolean
    payload?: readonly { readonly payload?: unknown }[]
  },
): ReactElement | null {
  const point = props.active ? pointOf(props.payload?.[0]?.payload) : null
  const { onShow } = props
  useEffect(() => onShow(point), [onShow, point])
  if (!point) return null
  const parts = props.series
    .map((series) => ({
      ...series,
      value: point.values[series.key] ?? 0,
      other: point.beside?.values[series.key] ?? 0,
    }))
    .filter(({ value, other }) => value !== 0 || other !== 0)
    .sort((a, b) => b.value - a.value || b.other - a.other)
  const text = (value: number, other: number | undefined): string =>
    other === undefined
      ? props.formatValue(value)
      : `${props.formatValue(value)} | ${props.formatValue(other)}`
  return (
    <Box
      bg="bg.panel"
      borderWidth="1px"
      borderColor="border.emphasized"
      borderRadius="l2"
      shadow="md"
      px="3"
      py="2"
      fontSize="xs"
      fontVariantNumeric="tabular-nums"
      maxW="320px"
      as="output"
      display="block"
    >
      <Flex justify="space-between" gap="4" fontWeight="600">
        <span>{point.label}</span>
        <span>{`${props.totalLabel} ${text(point.total, point.beside?.total)}`}</span>
      </Flex>
      {parts.map(({ key, label, mark, value, other }) => (
        <Flex key={key} gap="2" align="center" mt="1">
          <Swatch mark={mark} />
          <Box flex="1" truncate>
            {label}
          </Box>
          <span>{text(value, point.beside && other)}</span>
        </Flex>
      ))}
    </Box>
  )
}
