import { LOG_START } from '@tollgate/domain/event.ts'

/** Fails with RangeError unless it is LOG_START or a position. */
export function checkPosition(position: number): void {
  if (!Number.isSafeInteger(position) || position < LOG_START) {
    throw new RangeError(`position must be a whole number from ${LOG_START}, got ${position}`)
  }
}

/** Fails with RangeError unless at least one event is asked for. */
export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`limit must be a whole number from 1, got ${limit}`)
  }
}

/** Fails with RangeError for a revision below 0 or a limit that is no whole number; Infinity means no limit. */
export function checkReadStream(from: number | undefined, limit: number): void {
  if (from !== undefined && (!Number.isSafeInteger(from) || from < 0 || from >= 2 ** 31)) {
    throw new RangeError(`from must be a revision from 0, got ${from}`)
  }
  if (limit !== Infinity) checkLimit(limit)
}
