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

/** Without the dust of binary fractions. */
const clean = (value: number): number => Number(value.toPrecision(12))
