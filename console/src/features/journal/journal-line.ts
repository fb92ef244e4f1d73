import type { TFunction } from 'i18next'
import type { Answer } from '../../core/calls.ts'
import { POSTED_TYPES } from './filters.ts'

/** One posting; times in unix milliseconds. Its `source` is the kind of the booking, such as `redemption`. */
export type JournalLine = Answer<'GET /api/ledger/journal'>['lines'][number]

/** The name of the event that posted a line; its type where a later server has another. */
export function postedName(t: TFunction, { event_type: type }: JournalLine): string {
  const known = POSTED_TYPES.find((one) => one === type)
  return known ? t(`audit.type_${known}`) : type
}

/** A posting's place: which row it is. */
export const placeOf = ({ position, line }: JournalLine): string => `${position}:${line}`
