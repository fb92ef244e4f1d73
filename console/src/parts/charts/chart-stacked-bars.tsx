import { Box, useToken } from '@chakra-ui/react'
import type { ComponentType, KeyboardEvent, MouseEvent } from 'react'
import { useMemo, useRef, useState } from 'react'
import { axisTo, axisWidth, LABEL_SIZE, ticksFitting } from './axis.ts'
import type { Axis } from './axis.ts'
import type { Plot, StackedPoint, StackedSeries } from './bars.ts'
import { barAt, heightOf, partsPath } from './bars.ts'
import type { PointedBarsProps } from './chart-pointed-bars.tsx'
import { besideMark, fillOf } from './chart-marks.ts'
import { MarkPatterns } from './chart-swatch.tsx'
import { useWidth } from '../use-size.ts'

/** Pixels around the bars: above the first line, right of the last bar, below for the labels. */
const ABOVE = 8
const EDGE = 4
const BELOW = 24

export interface StackedBarsProps {
  /** Names the chart for those who do not see it. */
  readonly label: string
  /** Says to those who come by keyboard how it is used. */
  readonly keysLabel: string
  readonly height: number
  readonly series: readonly StackedSeries[]
  readonly points: readonly StackedPoint[]
  /** The labels that stand under the bars, where there is room. */
  readonly ticks: readonly string[]
  /** The amount of one unit of the axis, so that the axis counts in round numbers of the unit on show. */
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
 * Bars over time, stacked by series; clicking a part opens it. Pointing at a bar lists its total and its series from the
 * greatest down; by keyboard, left and right go from bar to bar and Enter opens one. The library for that is large and
 * slow to start, and comes when somebody points at the chart or reaches it by keyboard.
 */
export function StackedBars(props: StackedBarsProps) {
  const { series, points, scale, height } = props
  const [watch, width] = useWidth()
  const [Pointed, setPointed] = useState<ComponentType<PointedBarsProps> | null>(null)
  const current = useRef<StackedPoint | null>(null)
  const still = useRef<SVGSVGElement>(null)
  const axis = useMemo(
    () => axisTo(points.reduce((most, point) => Math.max(most, heightOf(point)), 0) / scale),
    [points, scale],
  )
  const left = axisWidth(axis.ticks.map((value) => props.formatAxis(value, axis.digits)))
  const plot: Plot = {
    left,
    top: ABOVE,
    width: Math.max(0, width - left - EDGE),
    height: height - ABOVE - BELOW,
  }
  // Details are a help: without them, the chart stands as well.
  const use = () =>
    void import('./chart-pointed-bars.tsx').then(
      (loaded) => setPointed(() => loaded.default),
      () => null,
    )
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !current.current) return
    event.stopPropagation()
    props.onOpen(current.current.key)
  }
  const size = { width, height, 'aria-label': props.keysLabel }
  const drawing = <Drawing {...props} axis={axis} plot={plot} />
  return (
    <Box
      ref={watch}
      as="figure"
      aria-label={props.label}
      h={`${height}px`}
      onKeyDownCapture={press}
      onPointerEnter={use}
      onFocusCapture={use}
    >
      {width === 0 ? null : Pointed === null ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the library's own svg, whose place it keeps, has it.
        <svg ref={still} role="application" tabIndex={0} {...size}>
          {drawing}
        </svg>
      ) : (
        <Pointed
          {...size}
          series={series}
          points={points}
          plot={plot}
          hasFocus={() => still.current !== null && still.current === document.activeElement}
          formatValue={props.formatValue}
          totalLabel={props.totalLabel}
          onShow={(point) => {
            current.current = point
          }}
        >
          {drawing}
        </Pointed>
      )}
    </Box>
  )
}

/** Lines and their amounts, bars, and the times below them. */
function Drawing(props: StackedBarsProps & { axis: Axis; plot: Plot }) {
  const { series, points, axis, plot } = props
  const [axisColor, lineColor] = useToken('colors', ['fg.muted', 'border.muted'])
  const labels = points.map(({ label }) => label)
  const most = axis.ticks.at(-1) ?? 1
  const marks = series.map(({ mark }) => mark)
  const hasBeside = points.some(({ beside }) => beside)
  const open = (event: MouseEvent<SVGElement>, key: string) => {
    const from = event.currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0
    const point = points[barAt(event.clientX - from, plot, points.length)]
    if (point) props.onOpen(point.key, key)
  }
  return (
    <g style={{ fontSize: LABEL_SIZE }} fill={axisColor}>
      <MarkPatterns marks={hasBeside ? [...marks, ...marks.map(besideMark)] : marks} />
      {axis.ticks.map((value) => {
        const y = plot.top + plot.height * (1 - value / most)
        return (
          <g key={value}>
            <line x1={plot.left} x2={plot.left + plot.width} y1={y} y2={y} stroke={lineColor} />
            <text x={plot.left - 8} y={y} dy="0.355em" textAnchor="end">
              {props.formatAxis(value, axis.digits)}
            </text>
          </g>
        )
      })}
      {ticksFitting(props.ticks, labels, plot.width).map((label) => (
        <text
          key={label}
          x={plot.left + (labels.indexOf(label) + 0.5) * (plot.width / points.length)}
          y={plot.top + plot.height + 8}
          dy="0.71em"
          textAnchor="middle"
        >
          {label}
        </text>
      ))}
      {(hasBeside ? [false, true] : [false]).flatMap((isBeside) =>
        series.map(({ key, mark }) => (
          <path
            key={`${isBeside} ${key}`}
            d={partsPath(key, { series, points, plot, most: most * props.scale, isBeside })}
            fill={fillOf(isBeside ? besideMark(mark) : mark)}
            cursor="pointer"
            onClick={(event) => open(event, key)}
          />
        )),
      )}
    </g>
  )
}
