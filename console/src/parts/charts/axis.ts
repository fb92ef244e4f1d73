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
  const longest = Math.max(0, ...labels.map((label) => label.length))
  return Math.ceil(longest * CHARACTER_WIDTH * LABEL_SIZE) + LABEL_GAP
}

/** Without the dust of binary fractions. */
const clean = (value: number): number => Number(value.toPrecision(12))
