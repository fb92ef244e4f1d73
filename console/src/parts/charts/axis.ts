/** The marks of an axis from zero: round steps, as few as carry the eye. */
export interface Axis {
  readonly ticks: readonly number[]
  /** Digits after the point that tell the ticks apart. */
  readonly digits: number
}

const STEPS = [1, 2, 2.5, 5, 10] as const
/** Steps between zero and the greatest value. */
const STEPS_WANTED = 4

/** An axis that reaches at least `greatest`. */
export function axisTo(greatest: number): Axis {
  if (!(greatest > 0)) return { ticks: [0, 1], digits: 0 }
  const rough = greatest / STEPS_WANTED
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = clean((STEPS.find((one) => one * power >= rough * (1 - 1e-9)) ?? 10) * power)
  const count = Math.ceil(greatest / step - 1e-9)
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => clean(index * step)),
    digits:
      step
        .toFixed(10)
        .replace(/\.?0+$/, '')
        .split('.')[1]?.length ?? 0,
  }
}

/** The size of an axis' labels in pixels. */
export const LABEL_SIZE = 12

/** The width kept for each character, as a share of the size: digits have 0.5 to 0.64 in the fonts in use. */
const CHARACTER_WIDTH = 0.65
/** Pixels between labels and drawing. */
const LABEL_GAP = 10

/** Pixels for an upright axis with these labels. Measuring them in the page would draw the chart once more. */
export function axisWidth(labels: readonly string[]): number {
  return Math.ceil(textWidth(labels)) + LABEL_GAP
}

/** Pixels that the longest label needs at most. */
function textWidth(labels: readonly string[]): number {
  return Math.max(0, ...labels.map(({ length }) => length)) * CHARACTER_WIDTH * LABEL_SIZE
}

/** Pixels between neighbours below a drawing. */
const TICK_GAP = 16

/**
 * Every n-th of the labels that may stand below a drawing's bars, with the smallest n that keeps them apart; none
 * reaches beyond the last bar's edge. Measuring them in the page would halt the drawing.
 *
 * @param labels in equal steps
 * @param bars the labels of all bars, at equal distances
 * @param width of all bars in pixels
 */
export function ticksFitting(
  labels: readonly string[],
  bars: readonly string[],
  width: number,
): string[] {
  const place = new Map(bars.map((label, index) => [label, (index + 0.5) * (width / bars.length)]))
  const wide = textWidth(labels)
  const apart = (place.get(labels[1] ?? '') ?? 0) - (place.get(labels[0] ?? '') ?? 0)
  const every = apart > 0 ? Math.ceil((wide + TICK_GAP) / apart) : 1
  return labels.filter(
    (label, index) => index % every === 0 && (place.get(label) ?? 0) + wide / 2 <= width,
  )
}

/** Without the dust of binary fractions. */
const clean = (value: number): number => Number(value.toPrecision(12))
