import { Box, Flex, useToken } from '@chakra-ui/react'
import type { ReactElement, ReactNode } from 'react'
import { useEffect, useMemo, useState } from 'react'
import { Bar, BarChart, Tooltip, XAxis, YAxis } from 'recharts'
import type { Plot, StackedPoint, StackedSeries } from './bars.ts'
import { heightOf } from './bars.ts'
import { Swatch } from './chart-swatch.tsx'

export interface PointedBarsProps {
  readonly width: number
  readonly height: number
  readonly 'aria-label': string
  readonly series: readonly StackedSeries[]
  readonly points: readonly StackedPoint[]
  /** Where the drawing has its bars. */
  readonly plot: Plot
  /** Whether what this takes the place of has the focus. */
  readonly hasFocus: () => boolean
  /** Writes an amount with all its digits. */
  readonly formatValue: (value: number) => string
  readonly totalLabel: string
  /** Told which bar's details are shown. */
  readonly onShow: (point: StackedPoint | null) => void
  /** The drawing itself. */
  readonly children: ReactNode
}

/** Nothing: the drawing has the bars. */
const none = () => <></>

/** Arrow keys go on where they were: in the chart. */
const takeFocus = (drawing: SVGElement | null) =>
  drawing?.closest<SVGElement>('[role=application]')?.focus({ preventScroll: true })

/** A drawing of bars with the details of the bar that is pointed at, or that left and right led to. */
export default function PointedBars(props: PointedBarsProps) {
  const { plot, width, height, series, points, formatValue, totalLabel, onShow } = props
  const [hoverColor] = useToken('colors', ['bg.muted'])
  // The library lays everything out anew for a new list, though it be of the same points.
  const data = useMemo(() => [...points], [points])
  const [takesFocus] = useState(props.hasFocus)
  return (
    <BarChart
      aria-label={props['aria-label']}
      data={data}
      width={width}
      height={height}
      margin={{
        top: plot.top,
        right: width - plot.left - plot.width,
        bottom: height - plot.top - plot.height,
        left: plot.left,
      }}
    >
      <XAxis dataKey="label" hide />
      <YAxis hide />
      <Tooltip
        isAnimationActive={false}
        cursor={{ fill: hoverColor ?? 'none' }}
        offset={14}
        content={<BarDetails {...{ series, formatValue, totalLabel, onShow }} />}
      />
      <Bar dataKey={heightOf} isAnimationActive={false} shape={none} />
      <g ref={takesFocus ? takeFocus : null}>{props.children}</g>
    </BarChart>
  )
}

function pointOf(payload: unknown): StackedPoint | null {
  return payload !== null && typeof payload === 'object' && 'values' in payload
    ? (payload as StackedPoint)
    : null
}

function BarDetails(
  props: Pick<PointedBarsProps, 'series' | 'formatValue' | 'totalLabel' | 'onShow'> & {
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
