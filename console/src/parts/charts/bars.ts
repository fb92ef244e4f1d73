import type { Mark } from './chart-marks.ts'

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

/** Where the bars of a chart stand, in pixels from its upper left corner. */
export interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The share of a bar's place that stays free on each of its sides. */
const GAP = 0.18
/** Pixels that a bar is wide at most. */
const BAR_MAX = 56

/** The height of a bar, or of the greater of two that stand side by side. */
export const heightOf = ({ total, beside }: StackedPoint): number =>
  Math.max(total, beside?.total ?? 0)

/** The bars of a chart and where they are drawn. */
export interface DrawnBars {
  readonly series: readonly StackedSeries[]
  readonly points: readonly StackedPoint[]
  readonly plot: Plot
  readonly most: number
  readonly isBeside: boolean
}

/**
 * The outlines of a series' parts in all bars, as one SVG path: a chart of a week by the hour has a thousand parts, each of
 * which would be an element to lay out and paint.
 *
 * @param series in the order in which they are stacked, from the foot up
 * @param most the amount at the plot's upper edge
 * @param isBeside draws the second sources' bars instead of the first ones'
 */
export function partsPath(of: string, { series, points, plot, most, isBeside }: DrawnBars): string {
  const place = plot.width / points.length
  const wide = Math.min(BAR_MAX, place * (1 - 2 * GAP))
  const below = series.slice(
    0,
    series.findIndex(({ key }) => key === of),
  )
  const scale = plot.height / most
  return points
    .map((point, index) => {
      const values = (isBeside ? point.beside : point)?.values ?? {}
      const value = values[of] ?? 0
      if (value === 0) return ''
      const share = point.beside ? wide / 2 : wide
      const x = plot.left + (index + 0.5) * place - wide / 2 + (isBeside ? share : 0)
      const foot = below.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)
      const top = plot.top + plot.height - (foot + value) * scale
      return `M${px(x)} ${px(top)}h${px(share)}v${px(value * scale)}h${px(-share)}z`
    })
    .join('')
}

/** The number of the bar at a place, counted from the left edge of the drawing. */
export function barAt(x: number, plot: Plot, count: number): number {
  const place = Math.floor(((x - plot.left) / plot.width) * count)
  return Math.min(count - 1, Math.max(0, place))
}

/** A hundredth of a pixel is more than any screen shows. */
const px = (value: number): number => Math.round(value * 100) / 100
