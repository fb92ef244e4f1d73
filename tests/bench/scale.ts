import process from 'node:process'

/** A part of the usual amounts, such as 0.1, for trying the bench out: the figures mean nothing then. */
const SCALE = Number(process.env['BENCH_SCALE'] ?? 1)
if (!(SCALE > 0)) throw new Error('BENCH_SCALE has to be a number above 0, such as 0.1')

/** So many, times BENCH_SCALE; at least one. */
export const scaled = (count: number): number => Math.max(1, Math.round(count * SCALE))
