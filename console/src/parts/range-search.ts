import { enum as oneOf, catch as orElse, coerce, int, nonnegative, optional } from 'zod/mini'
import { RANGE_PRESETS } from './range.ts'

const second = orElse(optional(coerce.number().check(int(), nonnegative())), undefined)

/** The search fields of a range, for a screen's own schema; odd values become absent. */
export const rangeSearchFields = {
  range: orElse(optional(oneOf(RANGE_PRESETS)), undefined),
  start: second,
  end: second,
}
