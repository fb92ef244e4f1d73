import { Box, Flex, useToken } from '@chakra-ui/react'
import type { ReactElement } from 'react'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import type { Mark } from './chart-marks.ts'
import { fillOf } from './chart-marks.ts'
import { MarkPatterns, Swatch } from './chart-swatch.tsx'

/** One series of a stacked chart. */
export interface StackedSeries {
  readonly key: string
  readonly label: string
  readonly mark: Mark
}

/** One bar: its place on the axis and the amount of each series, by series key. */
export interface StackedPoint {
  readonly key: string
  readonly label: string
  readonly values: Readonly<Record<string, number>>
  readonly total: number
}

interface StackedBarsProps {
  /** Names the chart for those who do not see it. */
  readonly label: string
  readonly height: number
  readonly series: readonly StackedSeries[]
  readonly points: readonly StackedPoint[]
  /** What one unit of the axis stands for, so that the axis counts in round numbers of what is shown. */
  readonly scale: number
  /** Writes a number of axis units. */
  readonly formatAxis: (value: number) => string
  /** Writes an amount with all its digits. */
  readonly formatValue: (value: number) => string
  readonly totalLabel: string
  readonly onOpen: (pointKey: string, seriesKey: string) => void
}

/**
 * Bars over time, stacked by series. Pointing at a bar lists its total and its series from the greatest down; clicking
 * a part opens it. Loaded lazily, because the drawing library is large.
 */
export default function StackedBars(props: StackedBarsProps) {
  const { series, points, scale } = props
  const [axisColor, lineColor, hoverColor] = useToken('colors', [
    'fg.muted',
    'border.muted',
    'bg.muted',
  ])
  const tick = { fill: axisColor ?? 'currentColor', fontSize: 11 }
  return (
    <Box as="figure" aria-label={props.label}>
      <BarChart
        responsive
        data={[...points]}
        style={{ width: '100%', height: props.height }}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        barCategoryGap="18%"
        maxBarSize={56}
        accessibilityLayer={false}
      >
        <MarkPatterns marks={series.map(({ mark }) => mark)} />
        <CartesianGrid vertical={false} stroke={lineColor ?? 'currentColor'} />
        <XAxis
          dataKey="label"
          tick={tick}
          tickLine={false}
          axisLine={false}
          minTickGap={24}
          height={24}
        />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          tickCount={5}
          width="auto"
          tickFormatter={props.formatAxis}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: hoverColor ?? 'none' }}
          offset={14}
          content={
            <BarDetails
              series={series}
              formatValue={props.formatValue}
              totalLabel={props.totalLabel}
            />
          }
        />
        {series.map(({ key, label, mark }) => (
          <Bar
            key={key}
            dataKey={(point: StackedPoint) => (point.values[key] ?? 0) / scale}
            name={label}
            stackId="all"
            fill={fillOf(mark)}
            isAnimationActive={false}
            cursor="pointer"
            onClick={(bar) => {
              const point = pointOf(bar.payload)
              if (point) props.onOpen(point.key, key)
            }}
          />
        ))}
      </BarChart>
    </Box>
  )
}

function pointOf(payload: unknown): StackedPoint | null {
  return payload !== null && typeof payload === 'object' && 'values' in payload
    ? (payload as StackedPoint)
    : null
}

function BarDetails(
  props: Pick<StackedBarsProps, 'series' | 'formatValue' | 'totalLabel'> & {
    /** Given by the tooltip: whether it shows, and the bar it shows. */
    active?: boolean
    payload?: readonly { readonly payload?: unknown }[]
  },
): ReactElement | null {
  const point = pointOf(props.payload?.[0]?.payload)
  if (!props.active || !point) return null
  const parts = props.series
    .map((series) => ({ ...series, value: point.values[series.key] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .sort((a, b) => b.value - a.value)
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
    >
      <Flex justify="space-between" gap="4" fontWeight="600">
        <span>{point.label}</span>
        <span>{`${props.totalLabel} ${props.formatValue(point.total)}`}</span>
      </Flex>
      {parts.map(({ key, label, mark, value }) => (
        <Flex key={key} gap="2" align="center" mt="1">
          <Swatch mark={mark} />
          <Box flex="1" truncate>
            {label}
          </Box>
          <span>{props.formatValue(value)}</span>
        </Flex>
      ))}
    </Box>
  )
}
