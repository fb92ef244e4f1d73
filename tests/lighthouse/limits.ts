import { percentile } from '../bench/percentiles.ts'

/** Address of a page that is measured. */
export type Place = '/' | '/login' | '/log' | '/detail'
export type Device = 'desktop' | 'mobile'

/** Findings of Lighthouse on one page: scores of 100, and how much moved by itself (CLS). */
export interface Measured {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly layoutShift: number
}

const DESKTOP_PERFORMANCE = 95
const MOBILE_PERFORMANCE: Readonly<Record<Place, number>> = {
  '/': 90,
  '/login': 90,
  '/log': 80,
  '/detail': 80,
}
const FULL = 100
const SHIFT_MAX = 0.02

/** The median of each figure. */
export function summaryOf(runs: readonly Measured[]): Measured {
  const median = (figure: (run: Measured) => number): number => percentile(runs.map(figure), 50)
  return {
    performance: median(({ performance }) => performance),
    accessibility: median(({ accessibility }) => accessibility),
    bestPractices: median(({ bestPractices }) => bestPractices),
    layoutShift: median(({ layoutShift }) => layoutShift),
  }
}

/** The limits that a page has missed, a line each; a figure that Lighthouse did not give has missed its limit. */
export function missedBy(measured: Measured, place: Place, device: Device): string[] {
  const performance = device === 'desktop' ? DESKTOP_PERFORMANCE : MOBILE_PERFORMANCE[place]
  return [
    atLeast('performance', measured.performance, performance),
    atLeast('accessibility', measured.accessibility, FULL),
    atLeast('best practices', measured.bestPractices, FULL),
    measured.layoutShift <= SHIFT_MAX
      ? []
      : [`CLS is ${measured.layoutShift}, at most ${SHIFT_MAX} wanted`],
  ].flat()
}

const atLeast = (what: string, score: number, least: number): string[] =>
  score >= least ? [] : [`${what} is ${score}, at least ${least} wanted`]
