import { RANGE_PRESETS } from './range.ts'
import { natural, oneOf } from '../search-params.ts'

/** The readers of a range's fields in an address, for a screen's own. */
export const rangeSearchFields = {
  range: oneOf(RANGE_PRESETS),
  start: natural,
  end: natural,
}
